import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ada, rowers, run, success } from '#test/render-page.tsx';
import { deleteOthers, restoreScreens, startOfflineCache } from './offline-cache.ts';
import { queries, queryClient } from './queries.ts';
import { beginSession, endSession, setNavigation } from './first/session.ts';

const day = 24 * 60 * 60 * 1000;
const auth = (id: string, token = 'token') => ({
  AccessToken: { Token: `access of ${id}` },
  RefreshToken: { Token: `${id}.${token}.signature` },
});

/** jsdom has no Cache API. */
class FakeCache {
  entries = new Map<string, Response>();
  put = async (path: string, response: Response) => void this.entries.set(path, response);
  match = async ({ url }: { url: string }) => this.entries.get(new URL(url).pathname)?.clone();
  delete = async (key: string | { url: string }) =>
    this.entries.delete(typeof key === 'string' ? key : new URL(key.url).pathname);
  keys = async () => [...this.entries.keys()].map((path) => ({ url: `http://localhost${path}` }));
}
let stores: Map<string, FakeCache>;

/** The responses of the server, by path. */
let responses: Record<string, () => Response | Promise<Response>>;

const stored = () =>
  [...stores].flatMap(([name, { entries }]) => [...entries].map(([path]) => `${name} ${path}`));
const club = (slug = 'rowers') => ({ ...queries.club(slug), retry: false });
const read = (query = club()) => queryClient.fetchQuery(query).catch(() => undefined);
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
const gone = () => Response.json({ data: null, status: 404, error: 'not_found' }, { status: 404 });

/** Clears the memory, as a reload does, and restores the stored data. */
async function reopened(slug = 'rowers') {
  await settled();
  queryClient.clear();
  await restoreScreens();
  return queryClient.getQueryState(queries.club(slug).queryKey);
}

let isStarted = false;
beforeEach(() => {
  stores = new Map();
  vi.stubGlobal('caches', {
    open: async (name: string) => stores.get(name) ?? stores.set(name, new FakeCache()).get(name),
    keys: async () => [...stores.keys()],
    delete: async (name: string) => stores.delete(name),
  });
  responses = {
    '/api/v1/clubs/rowers': () => success(rowers),
    '/api/v1/events/tuesday-run': () => success(run),
    '/api/v1/users': () => success(ada),
  };
  vi.stubGlobal('fetch', async (url: string) => responses[url]?.() ?? gone());
  setNavigation({ here: () => '/app', go: () => {} });
  localStorage.clear();
  beginSession(auth('ada'));
  // Start it once: it subscribes to the queries of all tests.
  if (!isStarted) startOfflineCache(undefined);
  isStarted = true;
});
afterEach(() => {
  vi.useRealTimers();
  queryClient.clear();
});

test('offline cache: after a reload, a screen that was open before has its data and the time at which the data was loaded [UX-33]', async () => {
  await read();
  const { dataUpdatedAt } = queryClient.getQueryState(club().queryKey) ?? {};
  expect(await reopened()).toMatchObject({ data: rowers, dataUpdatedAt });
  const event = queries.event('tuesday-run');
  await queryClient.fetchQuery(event);
  await reopened();
  expect(queryClient.getQueryData(event.queryKey)).toEqual(run);
});

const people = (came: boolean | null) => ({ pages: [{ people: [{ id: 'bob', came }] }] });

test('offline cache: the check-in list of an event is stored with the check-ins that were saved, until the user leaves the club [CAME-02, UX-33]', async () => {
  const key = ['checkIns', rowers.id, run.id];
  const reload = async () => {
    await settled();
    queryClient.clear();
    await restoreScreens();
    return queryClient.getQueryData(key);
  };
  await queryClient.fetchQuery({ queryKey: key, queryFn: () => people(null) });
  expect(await reload()).toEqual(people(null));
  await queryClient.fetchQuery({ queryKey: key, queryFn: () => people(null), staleTime: 0 });
  queryClient.setQueryData(key, people(true));
  expect(await reload()).toEqual(people(true));
  // The results of a search are not stored.
  await queryClient.fetchQuery({ queryKey: [...key, 'bob'], queryFn: () => people(true) });
  await settled();
  expect(stored()).toHaveLength(1);
  responses['/api/v1/users'] = () => success({ ...ada, clubs: [] });
  await queryClient.fetchQuery(queries.user());
  await settled();
  expect(stored()).toEqual([expect.stringContaining('user')]);
});

test('offline cache: newer data in memory is not replaced', async () => {
  await read();
  await settled();
  queryClient.setQueryData(club().queryKey, { ...rowers, club_name: 'Renamed' });
  await restoreScreens();
  expect(queryClient.getQueryData(club().queryKey)?.club_name).toBe('Renamed');
});

test('offline cache: holds what the server has sent, not what the app expects it to send', async () => {
  queryClient.setQueryData(club().queryKey, { ...rowers, club_name: 'Optimistic' });
  expect(await reopened()).toBeUndefined();
  expect(stored()).toEqual([]);
});

test('offline cache: stores no other data, such as notifications or the list of members for admins [UX-33]', async () => {
  responses['/api/v1/notifications'] = () => success([]);
  await queryClient.fetchQuery(queries.notifications());
  await settled();
  expect(stored()).toEqual([]);
});

test('offline cache: a token refresh keeps the stored data, and another session cannot read it [UX-33]', async () => {
  await read();
  await settled();
  localStorage.setItem('authData', JSON.stringify(auth('ada', 'another token')));
  expect(await reopened()).toBeDefined();
  localStorage.setItem('authData', JSON.stringify(auth('bob')));
  expect(await reopened()).toBeUndefined();
  await deleteOthers();
  expect(stored()).toEqual([]);
});

test('offline cache: nothing is left after a logout [UX-33]', async () => {
  await read();
  await settled();
  expect(stored()).toHaveLength(1);
  await endSession();
  await deleteOthers();
  expect([...stores.keys()]).toEqual([]);
});

test('offline cache: a response that arrives after the session changed is not stored for any user [UX-33]', async () => {
  for (const next of [undefined, auth('bob')]) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    responses['/api/v1/clubs/rowers'] = () => promise;
    const reading = read();
    await settled();
    // As another tab does: its storage event has not arrived yet.
    if (next) localStorage.setItem('authData', JSON.stringify(next));
    else localStorage.removeItem('authData');
    resolve(success(rowers));
    await reading;
    await settled();
    expect(stored()).toEqual([]);
    queryClient.clear();
    localStorage.setItem('authData', JSON.stringify(auth('ada')));
  }
});

test('offline cache: data older than two weeks is not shown, and is deleted [UX-33]', async () => {
  await read();
  await settled();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 14 * day - 60_000 });
  expect(await reopened()).toBeDefined();
  vi.setSystemTime(Date.now() + 120_000);
  expect(await reopened()).toBeUndefined();
  expect(stored()).toEqual([]);
});

test('offline cache: a club or event is deleted when the server says that the user can no longer see it [UX-33]', async () => {
  await read();
  await queryClient.fetchQuery(queries.event('tuesday-run'));
  await settled();
  expect(stored()).toHaveLength(2);
  responses['/api/v1/clubs/rowers'] = gone;
  await queryClient.fetchQuery({ ...club(), staleTime: 0 }).catch(() => {});
  await settled();
  expect(stored().join()).not.toContain('rowers');
  // The user's own data says that they are no longer a member.
  responses['/api/v1/users'] = () => success({ ...ada, clubs: [] });
  await queryClient.fetchQuery(queries.user());
  await settled();
  expect(stored()).toEqual([expect.stringContaining('user')]);
});

test('offline cache: a response of the first screen that leaves out rows is not stored', async () => {
  queryClient.setQueryData(club().queryKey, rowers);
  await queryClient.invalidateQueries({ queryKey: club().queryKey, refetchType: 'none' });
  startOfflineCache(auth('ada'));
  await settled();
  expect(stored()).toEqual([]);
});
