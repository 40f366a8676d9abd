import type { Query, QueryKey } from '@tanstack/react-query';
import type { Club } from '#features/clubs/contract.ts';
import type { Event } from '#features/events/contract.ts';
import type { User } from '#features/users/contract.ts';
import { type AuthData, Failure } from '#wire/client.ts';
import { queryClient } from './queries.ts';
import { session } from './first/session.ts';
import { deviceTime } from '#wire/server-time.ts';

/** In milliseconds: two weeks. */
const maxAge = 14 * 24 * 60 * 60 * 1000;
const maxEntries = 100;

/**
 * Each session has its own cache, named by the id in its refresh token: what one person has seen can't be read after
 * their logout, or by the next person, even if deleting the cache fails.
 */
const prefix = 'screens-';
/** Raised when screens need a field that responses stored by earlier releases lack. */
const format = 2;
const nameOf = (auth: AuthData): string => `${prefix}${format}-${auth.RefreshToken.Token.split('.', 1)[0]}`;
const currentName = (): string | undefined => {
  const auth = session.read();
  return auth && nameOf(auth);
};

/** Browsers have caches on secure origins only. */
const isSupported = () => 'caches' in globalThis;

/** The queries of the screens that open offline (home, clubs, events and check-in), by kind, with the length of their key. */
const keyLengths: Readonly<Record<string, number>> = {
  user: 1,
  attending: 1,
  ofMyClubs: 1,
  club: 2,
  event: 2,
  checkIns: 3,
};
const isStored = (key: QueryKey): boolean => key.length === keyLengths[String(key[0])];

const urlOf = (key: QueryKey): string => `/screens/${encodeURIComponent(JSON.stringify(key))}`;
const keyOf = ({ url }: Request): QueryKey =>
  JSON.parse(decodeURIComponent(new URL(url).pathname.slice('/screens/'.length))) as QueryKey;

/** When an entry was read from the server, in milliseconds, and the id of its club, if it has one. */
const headers = { at: 'x-at', club: 'x-club' };

const clubOf = ([kind, club]: QueryKey, data: unknown): string =>
  kind === 'club'
    ? (data as Club).id
    : kind === 'event'
      ? (data as Event).owner_club_id
      : kind === 'checkIns'
        ? String(club)
        : '';

/** Stores what the app fetches from now on, and what it has already fetched with the session `auth`. */
export function startOfflineCache(auth: AuthData | undefined): void {
  if (!isSupported()) return;
  const queries = queryClient.getQueryCache();
  /** The session for which each query was sent. */
  const senders = new WeakMap<Query, string | undefined>();
  const store = (query: Query) => {
    const name = senders.get(query);
    // Skip the data if another session has begun, here or in another tab: the data may belong to the old session.
    if (name && name === currentName()) void save(name, query);
  };
  for (const query of queries.getAll()) {
    senders.set(query, auth && nameOf(auth));
    // An invalidated query is incomplete. It is stored when it is refetched.
    if (isStored(query.queryKey) && query.state.status === 'success' && !query.state.isInvalidated)
      store(query);
  }
  queries.subscribe((event) => {
    if (event.type !== 'updated' || !isStored(event.query.queryKey)) return;
    const { query, action } = event;
    if (action.type === 'fetch') senders.set(query, currentName());
    // Skip data that the app itself has put into the query, except check-ins, which it puts there once they are saved.
    if (action.type === 'success' && (!action.manual || query.queryKey[0] === 'checkIns')) store(query);
    if (action.type === 'error' && isGone(action.error)) void remove(query.queryKey);
  });
  void deleteOthers();
}

const isGone = (error: unknown) => error instanceof Failure && (error.status === 403 || error.status === 404);

async function save(name: string, { queryKey, state: { data, dataUpdatedAt } }: Query): Promise<void> {
  const cache = await caches.open(name);
  const responseHeaders = { [headers.at]: String(dataUpdatedAt), [headers.club]: clubOf(queryKey, data) };
  await cache.put(urlOf(queryKey), new Response(JSON.stringify(data), { headers: responseHeaders }));
  if (queryKey[0] === 'user') await prune(cache, data as User);
  // The session may have ended meanwhile.
  if (name !== currentName()) await caches.delete(name);
}

async function remove(key: QueryKey): Promise<void> {
  const name = currentName();
  if (name) await (await caches.open(name)).delete(urlOf(key));
}

async function entriesOf(cache: Cache) {
  const entries = (await cache.keys()).map(async (request) => {
    const response = await cache.match(request);
    return { request, response, at: Number(response?.headers.get(headers.at)) };
  });
  return (await Promise.all(entries)).sort((a, b) => b.at - a.at);
}

const isExpired = (at: number) => Math.abs(deviceTime() - at) > maxAge;

/** Deletes entries that are expired or exceed the maximum number, and those of clubs that the user is no longer in. */
async function prune(cache: Cache, { clubs }: User): Promise<void> {
  for (const [index, { request, response, at }] of (await entriesOf(cache)).entries()) {
    const club = response?.headers.get(headers.club);
    const isForeign = club && !clubs.some(({ id }) => id === club);
    if (isForeign || isExpired(at) || index >= maxEntries) await cache.delete(request);
  }
}

/** Deletes the caches of other sessions. */
export async function deleteOthers(): Promise<void> {
  if (!isSupported()) return;
  const current = currentName();
  for (const name of await caches.keys())
    if (name.startsWith(prefix) && name !== current) await caches.delete(name);
}

/** Fills the queries without data from the cache of the current session. */
export async function restoreScreens(): Promise<void> {
  const name = currentName();
  if (!name || !isSupported()) return;
  const cache = await caches.open(name);
  for (const { request, response, at } of await entriesOf(cache)) {
    const key = keyOf(request);
    if (isExpired(at)) await cache.delete(request);
    else if (response && queryClient.getQueryData(key) === undefined)
      queryClient.setQueryData(key, await response.json(), { updatedAt: at });
  }
}
