import { useEffect, useState } from 'react';
import { instant, type Instant } from '#wire/instant.ts';

const every = 30_000;

/** The present, moved on twice a minute, so that an open page does not show what is over. */
export function useNow(): Instant {
  const [now, setNow] = useState(() => instant(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setNow(instant(Date.now())), every);
    return () => clearInterval(timer);
  }, []);
  return now;
}
