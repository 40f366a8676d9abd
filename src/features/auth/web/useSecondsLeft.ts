import { useEffect, useState } from 'react';
import { deviceTime } from '#wire/server-time.ts';

/** Counts down the `seconds` that follow `start`. Never exceeds `seconds`, even if the clock is set back. */
export function useSecondsLeft(start: number, seconds: number): number {
  const secondsLeft = () =>
    Math.min(seconds, Math.max(0, Math.ceil(seconds - (deviceTime() - start) / 1000)));
  const [shown, setShown] = useState(secondsLeft);
  const isOver = shown === 0;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => setShown(secondsLeft), 250);
    return () => clearInterval(timer);
  });
  return shown;
}
