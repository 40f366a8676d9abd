import { createSender } from '#wire/client.ts';
import type { InitialState } from '#web/hydration.ts';
import type { Instant } from '#wire/instant.ts';
import type { Look } from '#wire/look.ts';
import { compareClocks } from '#wire/server-time.ts';
import { session } from './session.ts';
import { wideWindow } from './wide-window.ts';

/** A screen rendered by the server for the current user, with the API responses it was rendered from, keyed by URL. */
export interface Rendered {
  html: string;
  /** The time for which the screen is rendered. */
  now: Instant;
  /** The look of the user, in which the screen is rendered. */
  look: Look;
  responses: Record<string, string>;
  /** The keys of the responses whose lists have only the rows that the screen shows at first. */
  incomplete: QueryKey[];
  /** The scripts that only some viewers need, besides those that the page names. */
  scripts: string[];
}

type QueryKey = readonly unknown[];

/** In milliseconds. If the screen takes longer, client-side rendering gives the user something to see sooner. */
const timeout = 2000;

const authorization = () => `Bearer ${session.read()?.AccessToken.Token}`;

/** Prefetched responses by URL. Each is used once, and only by the user it was fetched for. */
const prefetched = new Map<string, { authorization: string; response: Promise<Response> }>();

const addPrefetched = (url: string, response: Promise<Response>) =>
  prefetched.set(url, { authorization: authorization(), response });

/** The server-rendered screen on the page, and the state it was rendered with. */
let rendered:
  | { path: string; initialState: InitialState; look: Look; authorization: string; incomplete: QueryKey[] }
  | undefined;

/** Lower bounds in pixels for the page head and for one row, so that the number of rows is never underestimated. */
const minHeight = { head: 200, row: 66 };
/** The server renders no more rows than this. */
const maxRows = 100;

/** On reload or back, the user may have scrolled far down, so the maximum number of rows is needed. */
function readWindow(): Omit<InitialState, 'now'> {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // The size of the window, because reading the size of the viewport would force a layout.
  const onScreen = Math.max(1, Math.ceil((outerHeight - minHeight.head) / minHeight.row));
  const rows = navigation?.type === 'navigate' ? Math.min(onScreen, maxRows) : maxRows;
  return { rows, wide: wideWindow().matches };
}

/**
 * While the app is still loading, fetches the screen if the server renders it, and otherwise the data of the user.
 * Returns the HTML and further scripts of the screen, if any.
 */
export async function startEarlyFetches(
  path: string,
  isRendered: boolean,
): Promise<Pick<Rendered, 'html' | 'scripts'> | undefined> {
  if (!path.startsWith('/app') || !session.read()) return undefined;
  if (!isRendered) return void fetchUser();
  const size = readWindow();
  const screen = await Promise.race([fetchScreen(path, size), afterTimeout()]);
  if (!screen?.html) return undefined;
  for (const [url, text] of Object.entries(screen.responses))
    addPrefetched(url, Promise.resolve(new Response(text)));
  const { now, look, incomplete } = screen;
  rendered = { path, initialState: { now, ...size }, look, authorization: authorization(), incomplete };
  return screen;
}

const afterTimeout = () => new Promise<undefined>((resolve) => setTimeout(resolve, timeout));

/** Like `fetch`, and compares the clock of the server with the one of this device. */
async function fetchWithClock(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  compareClocks(response.headers.get('date'));
  return response;
}

/** Ignores errors, ended sessions and rate limits: the requests of the app get them again and report them. */
const send = createSender({
  origin: '',
  session: { ...session, lost: () => {} },
  fetch: fetchWithClock,
  wait: async () => false,
});

function fetchScreen(path: string, size: Omit<InitialState, 'now'>): Promise<Rendered | undefined> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const call = { method: 'GET', path: '/screen', who: 'user' } as const;
  return send(call, { path, zone, ...size }).catch(() => undefined) as Promise<Rendered | undefined>;
}

function fetchUser(): void {
  const url = '/api/v1/users';
  const response = fetchWithClock(url, { headers: { authorization: authorization() } });
  // Avoids an unhandled rejection; the consumer of the response gets the error.
  response.catch(() => {});
  addPrefetched(url, response);
}

/** The state that the screen was rendered with, if it was rendered for this path and the current user. */
export const renderedState = (path: string): InitialState | undefined =>
  rendered?.path === path && rendered.authorization === authorization() ? rendered.initialState : undefined;

/** The look of the user, if the server has rendered a screen for them. */
export const renderedLook = (): Look | undefined => rendered?.look;

/** The keys of the responses that came with the screen and leave out rows. */
export const incompleteResponses = (): readonly QueryKey[] => rendered?.incomplete ?? [];

/** Like `fetch`, but takes a prefetched response if there is one. */
export const earlyFetch: typeof fetch = (input, init) => {
  const entry = prefetched.get(String(input));
  prefetched.delete(String(input));
  const isSameUser = entry?.authorization === new Headers(init?.headers).get('authorization');
  return entry && isSameUser ? entry.response : fetchWithClock(input, init);
};

/** Drops unused responses, which would be stale when used later. */
export const discardEarlyFetches = (): void => prefetched.clear();
