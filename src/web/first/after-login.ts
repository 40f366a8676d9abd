import { localPath } from '#features/auth/rules.ts';
import { isIntended, type JoinIntent } from '#features/invites/rules.ts';
import { arrivalKey, keys } from './session.ts';
import { deviceTime } from '#wire/server-time.ts';
import { localStore, tabStore } from './storage.ts';

/** An event with a public preview. It has no start while its time is not fixed. */
export interface ArrivalEvent {
  title: string;
  start?: string;
  zone?: string;
}

/** A page that was opened without a session. `title` and `day` are those of an event with a public preview. */
export interface Arrival {
  path: string;
  title?: string;
  /** In the language of the current page, which may differ from that of the page that was opened. */
  day?: string;
}

const joinKey = 'join';

/** Session storage belongs to one tab, so what the user opens or presses here affects no login in another tab. */
function inTab<T>(key: string): Partial<T> {
  try {
    return (JSON.parse(tabStore.get(key) ?? '') as Partial<T> | null) ?? {};
  } catch {
    return {};
  }
}

const keepInTab = (key: string, value: object) => void tabStore.set(key, JSON.stringify(value));

/** Only pages below /app: home itself opens after every login anyway. */
const isInApp = (path: string) => /^\/app\/[^?#]/.test(path);

const contentOf = (tag: string): string | undefined =>
  document.head.querySelector<HTMLMetaElement>(`meta[${tag}]`)?.content;

/** Remembers a page that needs a session, with the preview that the server wrote into the head of exactly this page. */
export function rememberArrival(path: string): void {
  if (!isInApp(path)) return;
  const canonical = document.head.querySelector<HTMLLinkElement>('link[rel=canonical]');
  const isOfPage = canonical && new URL(canonical.href).pathname === path.replace(/[?#].*/s, '');
  const event = isOfPage && contentOf('name=event');
  keepInTab(arrivalKey, { path, ...(event && (JSON.parse(event) as ArrivalEvent)) });
}

/** 'Sunday 21 June 2026'. Not from `format.ts`, which the script of the landing page need not load. */
function dayIn(language: string, { start, zone }: Partial<ArrivalEvent>): string | undefined {
  if (!start || !zone) return undefined;
  const isEnglish = language === 'en';
  const format = new Intl.DateTimeFormat(isEnglish ? 'en-GB' : language, {
    dateStyle: 'full',
    timeZone: zone,
  });
  const day = format.format(Date.parse(start));
  return isEnglish ? day.replace(',', '') : day;
}

/** The page that was opened in this tab. Validated on every read, because users can change the storage. */
export function arrival(): Arrival | undefined {
  const { path: stored, ...event } = inTab<Arrival & ArrivalEvent>(arrivalKey);
  const path = localPath(stored);
  if (!path || !isInApp(path)) return undefined;
  try {
    const day = dayIn(document.documentElement.lang, event);
    return { path, ...(event.title && { title: event.title, ...(day && { day }) }) };
  } catch {
    return { path };
  }
}

export const kindOf = ({ path }: Arrival): 'event' | 'club' | 'page' =>
  path.startsWith('/app/events/') ? 'event' : path.startsWith('/app/clubs/') ? 'club' : 'page';

/** 'Morning row · Sunday 21 June 2026', or nothing without a preview. */
export const detailsOf = ({ title, day }: Arrival): string => [title, day].filter(Boolean).join(' · ');

export function takeArrival(): string | undefined {
  const path = arrival()?.path;
  tabStore.remove(arrivalKey);
  return path;
}

/** Where the login leads: to the page opened in this tab, or to the stored return address. */
export const returnUrl = (): string | undefined =>
  arrival()?.path ?? localPath(localStore.get(keys.returnUrl));

/** Returns the same as `returnUrl`, and removes it from the storage. */
export function takeReturnUrl(): string | undefined {
  const path = returnUrl();
  localStore.remove(keys.returnUrl);
  takeArrival();
  return path;
}

/** The token of the invite that the user accepted before logging in, read from the return address. */
export function pendingInvite(): string | undefined {
  if (localStore.get(keys.clubSlug) === null) return undefined;
  const [, token] = /^\/app\/club\/[^/?#]+\/([^/?#]+)/.exec(returnUrl() ?? '') ?? [];
  return token && decodeURIComponent(token);
}

/** Stores the club whose invite is being accepted. */
export const rememberClub = (slug: string): void => void localStore.set(keys.clubSlug, slug);

/** Stores that 'Accept Invite' was pressed in this tab before the login. A later invite replaces an earlier one. */
export const rememberJoin = (token: string): void => keepInTab(joinKey, { token, at: deviceTime() });

/** Binds the stored intent to the email that was entered last. */
export function bindJoin(email: string): void {
  const intent = inTab<JoinIntent>(joinKey);
  if (intent.token) keepInTab(joinKey, { ...intent, email });
}

/** Whether the user with this email has pressed 'Accept Invite' in this tab. */
export const isJoinIntended = (token: string, email: string | undefined): boolean =>
  isIntended(inTab<JoinIntent>(joinKey), { token, email, now: deviceTime() });

/** Forgets the invite that was being accepted, and its page as the return address. */
export function forgetInvite(): void {
  if (pendingInvite()) localStore.remove(keys.returnUrl);
  localStore.remove(keys.clubSlug);
  tabStore.remove(joinKey);
}
