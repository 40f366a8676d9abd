import { useEffect, useSyncExternalStore } from 'react';
import { keys } from '#web/first/session.ts';
import { localStore } from '#web/first/storage.ts';
import { instant, secondsBetween, type Instant } from '#wire/instant.ts';
import { serverTime } from '#wire/server-time.ts';

/** The last view of an event in this browser, and the last one of the visit before. */
interface Visit {
  last: Instant;
  before: Instant | null;
}

/** Seconds without a view after which the next one is another visit. */
const pause = 30 * 60;

const maxVisits = 50;

/** The storage may be blocked or edited. */
function stored(): Record<string, Visit> {
  try {
    return (JSON.parse(localStore.get(keys.visits) ?? 'null') as Record<string, Visit> | null) ?? {};
  } catch {
    return {};
  }
}

/** When the visit before this one ended. */
function visitBefore(visit: Visit | undefined, now: Instant): Instant | null {
  if (!visit) return null;
  return secondsBetween(visit.last, now) > pause ? visit.last : visit.before;
}

function recordView(event: string): void {
  const { [event]: visit, ...others } = stored();
  const last = instant(serverTime());
  const kept = Object.fromEntries(Object.entries(others).slice(1 - maxVisits));
  localStore.set(
    keys.visits,
    JSON.stringify({ ...kept, [event]: { last, before: visitBefore(visit, last) } }),
  );
}

const neverChanges = () => () => {};

/**
 * When the viewer last visited an event with this browser. Null at the first visit, where everything would be new, and on
 * the server.
 */
export function useLastVisit(event: string): Instant | null {
  useEffect(() => recordView(event), [event]);
  return useSyncExternalStore(
    neverChanges,
    () => visitBefore(stored()[event], instant(serverTime())),
    () => null,
  );
}
