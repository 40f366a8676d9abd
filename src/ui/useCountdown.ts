import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** Runs `done` after so many milliseconds; those while it is held, or the window is left, do not count. */
export function useCountdown(milliseconds: number, held: boolean, done: () => void): void {
  const left = useRef(milliseconds);
  const finish = useEffectEvent(done);
  const stopped = useIsAway() || held;
  useEffect(() => {
    if (stopped) return;
    const started = Date.now();
    const timer = setTimeout(() => finish(), left.current);
    return () => {
      clearTimeout(timer);
      left.current -= Date.now() - started;
    };
  }, [stopped]);
}

function useIsAway(): boolean {
  const [away, setAway] = useState(false);
  useEffect(() => {
    const leave = () => setAway(true);
    const come = () => setAway(false);
    window.addEventListener('blur', leave);
    window.addEventListener('focus', come);
    return () => {
      window.removeEventListener('blur', leave);
      window.removeEventListener('focus', come);
    };
  }, []);
  return away;
}
