import { type InfiniteData } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { api } from '#web/api.ts';
import { queryClient } from '#web/queries.ts';
import { useUser } from '#web/useSession.ts';
import { Failure, NetworkFailure } from '#wire/client.ts';
import type { CheckIn, Expected } from '#features/events/checkins/contract.ts';
import type { Event } from '#features/events/contract.ts';
import { tabStore } from '#web/first/storage.ts';

/** The taps that are not saved yet: the last value for each person. */
type Taps = Readonly<Record<string, boolean | null>>;

interface State {
  taps: Taps;
  /** Why the server did not save the last taps. */
  failure?: Error;
}

const untouched: State = { taps: {} };
const states = new Map<string, State>();
const sending = new Set<string>();
const listeners = new Set<() => void>();

/** The maximum number of people in one request. */
const maxUsers = 200;
/** Milliseconds from a failed request until the next attempt. */
const retryAfter = 10_000;

type EventOfClub = Pick<Event, 'id' | 'owner_club_id'>;

/** The session storage survives a reload, and a logout clears it. Each user has their own key. */
const keyOf = (user: string, { id }: EventOfClub) => `check-ins ${user} ${id}`;

function stateOf(key: string): State {
  const cached = states.get(key);
  if (cached) return cached;
  const stored = tabStore.get(key);
  const state = stored ? { taps: JSON.parse(stored) as Taps } : untouched;
  states.set(key, state);
  return state;
}

function setState(key: string, state: State): void {
  states.set(key, state);
  if (Object.keys(state.taps).length > 0) tabStore.set(key, JSON.stringify(state.taps));
  else tabStore.remove(key);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Removes the taps that were sent, unless they have changed since. */
const without = (taps: Taps, sent: readonly CheckIn[]): Taps =>
  Object.fromEntries(
    Object.entries(taps).filter(
      ([user, came]) => !sent.some((each) => each.user_id === user && each.came === came),
    ),
  );

/** Whether a retry would fail as well. After a 401 it may succeed, because the user may have logged in again. */
const isRejected = (failure: Error): boolean =>
  failure instanceof Failure &&
  !(failure instanceof NetworkFailure) &&
  failure.status < 500 &&
  failure.status !== 401;

/** Sends the taps, one request at a time, and retries after a lost connection or a server error. */
async function send(user: string, event: EventOfClub): Promise<void> {
  const key = keyOf(user, event);
  if (sending.has(key) || !navigator.onLine) return;
  sending.add(key);
  let sent: CheckIn[] = [];
  try {
    for (;;) {
      sent = Object.entries(stateOf(key).taps)
        .slice(0, maxUsers)
        .map(([user_id, came]) => ({ user_id, came }));
      if (sent.length === 0) break;
      const { users } = await api.checkins.save({ event: event.id, users: sent });
      showSaved(event, users);
      setState(key, { taps: without(stateOf(key).taps, sent) });
    }
  } catch (error) {
    const failure = error as Error;
    const isFinal = isRejected(failure);
    const { taps } = stateOf(key);
    setState(key, isFinal ? { taps: without(taps, sent), failure } : { taps });
    if (!isFinal) setTimeout(() => void send(user, event), retryAfter);
  } finally {
    sending.delete(key);
  }
}

/** The key of the list of an event. The offline cache stores the list, and reads the club from its key. */
export const listKey = (event: EventOfClub) => ['checkIns', event.owner_club_id, event.id];

/**
 * Updates the loaded lists with the saved taps. A person who is not on the full list was found by searching,
 * so the full list is reloaded.
 */
function showSaved(event: EventOfClub, saved: readonly CheckIn[]): void {
  const came = new Map(saved.map((each) => [each.user_id, each.came]));
  queryClient.setQueriesData<InfiniteData<{ people: Expected[] }>>(
    { queryKey: listKey(event) },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          people: page.people.map((each) => ({
            ...each,
            came: came.get(each.id) ?? (came.has(each.id) ? null : each.came),
          })),
        })),
      },
  );
  const listedIds = new Set(
    queryClient
      .getQueryData<InfiniteData<{ people: Expected[] }>>(listKey(event))
      ?.pages.flatMap(({ people }) => people.map(({ id }) => id)),
  );
  if (saved.some(({ user_id }) => !listedIds.has(user_id)))
    void queryClient.invalidateQueries({ queryKey: listKey(event), exact: true });
}

/** The unsaved taps of an event. They are kept while the device is offline. */
export function useCheckIns(event: EventOfClub) {
  const user = useUser().id;
  const key = keyOf(user, event);
  const state = useSyncExternalStore(
    subscribe,
    () => stateOf(key),
    () => untouched,
  );
  useEffect(() => {
    const resume = () => void send(user, event);
    resume();
    window.addEventListener('online', resume);
    return () => window.removeEventListener('online', resume);
  }, [user, event]);
  return {
    ...state,
    mark(people: readonly string[], came: boolean | null) {
      const { taps } = stateOf(key);
      setState(key, { taps: { ...taps, ...Object.fromEntries(people.map((id) => [id, came])) } });
      void send(user, event);
    },
  };
}
