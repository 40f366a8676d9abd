import { useEffect, useState } from 'react';

/** Counts down from `seconds` after `start`; a clock that was set back does not make it longer. */
export function useSecondsLeft(start: number, seconds: number): number {
  const left = () => Math.min(seconds, Math.max(0, Math.ceil(seconds - (Date.now() - start) / 1000)));
  const [shown, setShown] = useState(left);
  const over = shown === 0;
  useEffect(() => {
    if (over) return undefined;
    const timer = setInterval(() => setShown(left), 250);
    return () => clearInterval(timer);
  });
  return shown;
}
