import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { deviceTime } from '#wire/server-time.ts';

/** Calls `done` after some milliseconds. Pauses while `paused` is true or the window is blurred. */
export function useCountdown(milliseconds: number, paused: boolean, done: () => void): void {
  const remaining = useRef(milliseconds);
  const finish = useEffectEvent(done);
  const stopped = useIsBlurred() || paused;
  useEffect(() => {
    if (stopped) return;
    const started = deviceTime();
    const timer = setTimeout(() => finish(), remaining.current);
    return () => {
      clearTimeout(timer);
      remaining.current -= deviceTime() - started;
    };
  }, [stopped]);
}

function useIsBlurred(): boolean {
  const [blurred, setBlurred] = useState(false);
  useEffect(() => {
    const onBlur = () => setBlurred(true);
    const onFocus = () => setBlurred(false);
    window.addEventListener('blur', onBlur);
    window.addEventListener('focus', onFocus);
    return () => {
      window.removeEventListener('blur', onBlur);
      window.removeEventListener('focus', onFocus);
    };
  }, []);
  return blurred;
}
