import { isPublicPath, localPath } from '#features/auth/rules.ts';
import { type AuthData, isAuthData, type SessionStore } from '#wire/client.ts';

/** Everything this application ever keeps in local storage. */
const keys = { auth: 'authData', returnUrl: 'returnUrl', clubSlug: 'clubSlug' } as const;

/** The server, which makes some of the pages, has no storage: there nobody is logged in. */
const inBrowser = typeof window !== 'undefined';

const stored = (key: string): string | null => (inBrowser ? localStorage.getItem(key) : null);

export interface SessionState {
  loggedIn: boolean;
  /** When that last changed, in milliseconds. */
  updated: number;
}

/** What the session needs of the router. */
export interface Guide {
  /** Path and query of where the user is, or is on the way to. */
  here(): string;
  go(path: string): Promise<void> | void;
}

let guide: Guide = {
  here: () => location.pathname + location.search,
  go: (path) => location.assign(path),
};
let state: SessionState = { loggedIn: Boolean(read()), updated: Date.now() };
const listeners = new Set<() => void>();
/** There while this browser itself ends the session. */
let ending: { isLost: boolean } | undefined;

function read(): AuthData | undefined {
  const text = stored(keys.auth);
  if (text === null) return undefined;
  try {
    const auth: unknown = JSON.parse(text);
    if (isAuthData(auth)) return auth;
  } catch {
    // Said below: unparseable or of another shape is the same to the user.
  }
  console.warn('The stored session could not be read and is ignored.');
  return undefined;
}

function publish(loggedIn = Boolean(read())): void {
  if (loggedIn === state.loggedIn) return;
  state = { loggedIn, updated: Date.now() };
  for (const listener of listeners) listener();
}

/** The session of this browser. Every tab reads the same storage, and one of them renews at a time. */
export const session: SessionStore = {
  read,
  write(auth) {
    localStorage.setItem(keys.auth, JSON.stringify(auth));
    publish();
  },
  lost() {
    if (ending) return void (ending.isLost = true);
    // An answer that comes after the logout, or a second one of the same loss, has nothing more to say.
    if (!state.loggedIn) return;
    localStorage.removeItem(keys.auth);
    publish();
    leadToLogin();
  },
  alone: (work) => ('locks' in navigator ? navigator.locks.request('muster-session', () => work()) : work()),
};

/** Enters as somebody, who may be another than the one before: this and every other tab forget that one first. */
export function beginSession(auth: AuthData): void {
  localStorage.removeItem(keys.auth);
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
 * Forgets the session and all that goes with it as soon as `deed` has ended it, and leads to the landing page. The
 * screens learn of it only there, so that none of them asks for anything without a session. Whatever finds the session
 * dead meanwhile, as the live connection does before the deed is answered, leads nowhere; only if the deed fails does
 * that count as the loss it then was.
 */
export async function endSession(operation: () => Promise<unknown> = async () => {}): Promise<void> {
  const own = { isLost: false };
  ending = own;
  try {
    await operation();
    for (const key of Object.values(keys)) localStorage.removeItem(key);
    await guide.go('/');
    publish();
  } finally {
    ending = undefined;
    if (own.isLost) session.lost();
  }
}

/** Leads to the login and back afterwards: to `returnTo`, or to where the user is now. */
export function leadToLogin(returnTo = guide.here()): void {
  const path = localPath(returnTo);
  if (path && !/^\/(login\/?)?($|[?#])/.test(path)) localStorage.setItem(keys.returnUrl, path);
  void guide.go('/login');
}

export const returnUrl = (): string | undefined => localPath(stored(keys.returnUrl));

/** The stored return address, which is used once. */
export function takeReturnUrl(): string | undefined {
  const path = returnUrl();
  localStorage.removeItem(keys.returnUrl);
  return path;
}

/** The invite that waits for the login, known by the address to return to. */
export function pendingInvite(): string | undefined {
  if (stored(keys.clubSlug) === null) return undefined;
  const [, token] = /^\/app\/club\/[^/?#]+\/([^/?#]+)/.exec(returnUrl() ?? '') ?? [];
  return token && decodeURIComponent(token);
}

/** Keeps in mind the club whose invite is being accepted. */
export const rememberClub = (slug: string): void => localStorage.setItem(keys.clubSlug, slug);

export const forgetClub = (): void => localStorage.removeItem(keys.clubSlug);

export function followGuide(next: Guide): void {
  guide = next;
}

// Only other tabs cause this event; a key of `null` means that all of the storage was cleared.
function onStorage({ key, newValue }: StorageEvent): void {
  if (key !== keys.auth && key !== null) return;
  const { loggedIn } = state;
  // By the time this tab hears that a session ended there may be one of somebody else, which is told next.
  publish(newValue !== null && Boolean(read()));
  const [path = '/'] = guide.here().split('?', 1);
  if (loggedIn && !state.loggedIn && !isPublicPath(path)) void guide.go('/');
}

if (inBrowser) window.addEventListener('storage', onStorage);
