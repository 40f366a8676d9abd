import { useEffect, useState } from 'react';
import { instant, type Instant } from '#wire/instant.ts';
import { hydrationState } from './hydration.ts';

const every = 30_000;

/** The present, moved on twice a minute, so that an open page does not show what is over. */
export function useNow(): Instant {
  const [now, setNow] = useState(() => hydrationState()?.now ?? instant(Date.now()));
  useEffect(() => {
    const isOld = (moment: Instant) => Date.now() - Date.parse(moment) > every / 2;
    const moveOn = () => setNow((before) => (isOld(before) ? instant(Date.now()) : before));
    // What was drawn may have stood there for long before the app was.
    const first = setTimeout(moveOn);
    const timer = setInterval(moveOn, every);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, []);
  return now;
}
