import { useEffect, useState } from 'react';
import { instant, type Instant } from '#wire/instant.ts';
import { hydrationState } from './hydration.ts';
import { serverTime } from '#wire/server-time.ts';

const interval = 30_000;

/** The current time by the clock of the server, updated every 30 seconds, so that an open page does not go stale. */
export function useNow(): Instant {
  const [now, setNow] = useState(() => hydrationState()?.now ?? instant(serverTime()));
  useEffect(() => {
    const isStale = (time: Instant) => serverTime() - Date.parse(time) > interval / 2;
    const update = () => setNow((previous) => (isStale(previous) ? instant(serverTime()) : previous));
    // The server-rendered time may be old by the time the app hydrates.
    const first = setTimeout(update);
    const timer = setInterval(update, interval);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, []);
  return now;
}
