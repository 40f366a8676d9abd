import { isPublicPath, localPath } from '#features/auth/rules.ts';
import { type AuthData, isAuthData, type SessionStore } from '#wire/client.ts';
import { deviceTime } from '#wire/server-time.ts';
import { localStore, tabStore } from './storage.ts';
import { endSubscription } from './subscription.ts';

/** All local storage keys of this application. */
export const keys = {
  auth: 'authData',
  returnUrl: 'returnUrl',
  clubSlug: 'clubSlug',
  look: 'look',
  drafts: 'drafts',
  /** When 'Not now' was pressed in a club that needs a second admin. */
  notNow: 'notNow',
  /** When hosts last visited their events, so that the pages mark what has changed since. */
  visits: 'visits',
} as const;

/** The key in session storage of the page that was opened in this tab without a session (`after-login.ts`). */
export const arrivalKey = 'arrival';

/** The server renders some pages. It has no storage, so nobody is logged in there. */
const inBrowser = typeof window !== 'undefined';

export interface SessionState {
  loggedIn: boolean;
  /** Time of the last change, in milliseconds. */
  updated: number;
}

/** The part of the router that the session needs. */
export interface Navigation {
  /** Path and query of the current location, or of the pending navigation. */
  here(): string;
  go(path: string): Promise<void> | void;
}

let navigation: Navigation = {
  here: () => location.pathname + location.search,
  go: (path) => location.assign(path),
};
let state: SessionState = { loggedIn: Boolean(read()), updated: deviceTime() };
const listeners = new Set<() => void>();
/** Set while this tab ends the session. */
let ending: { isLost: boolean } | undefined;

function read(): AuthData | undefined {
  const text = localStore.get(keys.auth);
  if (text === null) return undefined;
  try {
    const auth: unknown = JSON.parse(text);
    if (isAuthData(auth)) return auth;
  } catch {
    // Logged below, like JSON of another shape.
  }
  console.warn('The stored session could not be read and is ignored.');
  return undefined;
}

function publish(loggedIn = Boolean(read())): void {
  if (loggedIn === state.loggedIn) return;
  state = { loggedIn, updated: deviceTime() };
  for (const listener of listeners) listener();
}

/** The session of this browser. All tabs share the storage; a lock lets only one tab at a time refresh the tokens. */
export const session: SessionStore = {
  read,
  write(auth) {
    localStore.set(keys.auth, JSON.stringify(auth));
    publish();
  },
  lost() {
    if (ending) return void (ending.isLost = true);
    // Ignores a response that arrives after the logout, or after an earlier one has reported the loss.
    if (!state.loggedIn) return;
    localStore.remove(keys.auth);
    publish();
    redirectToLogin();
  },
  alone: (work) => ('locks' in navigator ? navigator.locks.request('muster-session', () => work()) : work()),
};

/**
 * Starts a session, perhaps as another user: all tabs drop the previous session first, and this browser gets no more of
 * its notifications.
 */
export function beginSession(auth: AuthData): void {
  void endSubscription();
  localStore.remove(keys.auth);
  publish();
  session.write(auth);
}

export const isLoggedIn = (): boolean => read() !== undefined;

export const sessionState = (): SessionState => state;

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Clears the session and its storage after `operation` has ended it, and navigates to the landing page, unless `stays`
 * says that the current page is public. Screens are notified only after that navigation, so that none of them sends a
 * request without a session. A loss that is reported meanwhile, for example by the live connection, does not redirect; if
 * `operation` fails, the loss is handled then.
 */
export async function endSession(
  operation: () => Promise<unknown> = async () => {},
  { stays = false }: { stays?: boolean } = {},
): Promise<void> {
  const thisEnd = { isLost: false };
  ending = thisEnd;
  try {
    await operation();
    for (const key of Object.values(keys)) localStore.remove(key);
    tabStore.clear();
    if (!stays) await navigation.go('/');
    publish();
  } finally {
    ending = undefined;
    if (thisEnd.isLost) session.lost();
  }
}

/** Redirects to the login, and afterwards back to `returnTo` or to the current location. */
export function redirectToLogin(returnTo = navigation.here()): void {
  const path = localPath(returnTo);
  if (path && !/^\/(login\/?)?($|[?#])/.test(path)) {
    localStore.set(keys.returnUrl, path);
    tabStore.remove(arrivalKey);
  }
  void navigation.go('/login');
}

export function setNavigation(next: Navigation): void {
  navigation = next;
}

// Only other tabs cause this event. The key is `null` when the whole storage was cleared.
function onStorage({ key, newValue }: StorageEvent): void {
  if (key !== keys.auth && key !== null) return;
  const { loggedIn } = state;
  // The storage may already hold the session of another user. Its event follows, so this one only reports the logout.
  publish(newValue !== null && Boolean(read()));
  if (!state.loggedIn) tabStore.clear();
  const [path = '/'] = navigation.here().split('?', 1);
  if (loggedIn && !state.loggedIn && !isPublicPath(path)) void navigation.go('/');
}

if (inBrowser) window.addEventListener('storage', onStorage);
