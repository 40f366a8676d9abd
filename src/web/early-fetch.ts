import { createSender } from '#wire/client.ts';
import type { InitialState } from './hydration.ts';
import { session } from './session.ts';

/** A screen as the server draws it for whoever asks, and the answers of the API that it is drawn from, by their address. */
export interface Rendered {
  html: string;
  answers: Record<string, string>;
}

/** Whoever waits longer is better off with an empty screen that fills itself: milliseconds. */
const timeout = 2000;

const whole = /^\/app(\/(clubs|events)\/[^/]+)?\/?$/;

const authorization = () => `Bearer ${session.read()?.AccessToken.Token}`;

/** Answers that are there, or on their way to whoever will ask for them, each for one asking, and for who it was asked for. */
const begun = new Map<string, { authorization: string; answer: Promise<Response> }>();

const give = (url: string, answer: Promise<Response>) =>
  begun.set(url, { authorization: authorization(), answer });

/** The screen that has been drawn: where, and as what this browser sees. */
let rendered: { path: string; initialState: InitialState; authorization: string } | undefined;

/** Of what stands above any list, and of a row: pixels, rather too few than too many. */
const least = { head: 200, row: 160 };
/** The server draws no more. */
const max = 100;

/** Whoever comes back may have been far down the page. */
function readInitialState(): InitialState {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  // The size of the window, as that of the page is known only when it is laid out.
  const columns = outerWidth < 640 ? 1 : 2;
  const onScreen = Math.max(1, Math.ceil((outerHeight - least.head) / least.row)) * columns;
  const rows = navigation?.type === 'navigate' ? Math.min(onScreen, max) : max;
  return { now: new Date().toISOString(), rows };
}

/** Asks for what the screen shows, while the app is not yet there: for the screen itself, where the server draws it. */
export async function startEarlyFetches(path: string): Promise<string | undefined> {
  if (!path.startsWith('/app') || !session.read()) return undefined;
  if (!whole.test(path)) return void askForUser();
  const initialState = readInitialState();
  const screen = await Promise.race([askForScreen(path, initialState), late()]);
  if (!screen?.html) return undefined;
  for (const [url, text] of Object.entries(screen.answers)) give(url, Promise.resolve(new Response(text)));
  rendered = { path, initialState, authorization: authorization() };
  return screen.html;
}

const late = () => new Promise<undefined>((resolve) => setTimeout(resolve, timeout));

/** What goes wrong here the app finds out for itself, and tells; a session that is over as well, or that it has to wait. */
const send = createSender({
  origin: '',
  session: { ...session, lost: () => {} },
  wait: async () => false,
});

function askForScreen(path: string, initialState: InitialState): Promise<Rendered | undefined> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const call = { method: 'GET', path: '/drawn', who: 'user' } as const;
  return send(call, { path, zone, ...initialState }).catch(() => undefined) as Promise<Rendered | undefined>;
}

function askForUser(): void {
  const url = '/api/v1/users';
  const answer = fetch(url, { headers: { authorization: authorization() } });
  // Told to whoever takes it.
  answer.catch(() => {});
  give(url, answer);
}

/** What the screen was drawn for that stands there, if it is that of the path, and of who is here now. */
export const renderedState = (path: string): InitialState | undefined =>
  rendered?.path === path && rendered.authorization === authorization() ? rendered.initialState : undefined;

/** As `fetch`, with the answer that is on its way already, if there is one. */
export const earlyFetch: typeof fetch = (input, init) => {
  const clockOffset = begun.get(String(input));
  begun.delete(String(input));
  const isTheirs = clockOffset?.authorization === new Headers(init?.headers).get('authorization');
  return clockOffset && isTheirs ? clockOffset.answer : fetch(input, init);
};

/** Whatever nobody has asked for by now would be old when they do. */
export const discardEarlyFetches = (): void => begun.clear();
