import { addSeconds, type Instant } from '#wire/instant.ts';

/** Letters and digits without look-alikes such as 0/O and 1/I. */
export const codeAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
export const codeLength = 6;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** In seconds. A session expires after being idle for `idle`, and after `session` at the latest. */
export const lifetimes = { code: 10 * minute, access: 15 * minute, idle: 30 * day, session: 90 * day };

/** Seconds before another code can be requested. */
const resendWait = minute;

/** Wrong guesses until a code can no longer be used. */
export const triesPerCode = 5;

export const throttleLimits = {
  codesAtOnce: 3,
  wrongPerHour: 25,
  wrongInARow: 100,
  shortCodesRefused: day,
};

interface Limit {
  seconds: number;
  max: number;
}

/** Limits of code emails that one network can trigger to one address. */
const networkLimits: readonly Limit[] = [
  { seconds: hour, max: 6 },
  { seconds: day, max: 20 },
];
/**
 * Limit of code emails that all networks together can trigger to one address. Beyond it, one email is sent per
 * `recipientInterval`, so that the owner still gets a code.
 */
const recipientLimit: Limit = { seconds: day, max: 40 };
const recipientInterval: Limit = { seconds: 15 * minute, max: 1 };

export interface SentCode {
  created_at: Instant;
  used_at: Instant | null;
  /** Null once the code was used, or after too many wrong guesses. */
  good_until: Instant | null;
  /** Whether the current network also requested this code. */
  same_network: boolean;
  /** Whether it was requested for the current purpose. */
  same_purpose: boolean;
}

const secondsFrom = (time: Instant, now: Instant): number => (Date.parse(now) - Date.parse(time)) / 1000;

/**
 * Seconds until another code may be sent to an address that received the codes in `sent`; 0 if it may be sent now. The
 * one-minute wait applies only while a recent code of the same purpose is unused, so a user who has just logged in can
 * request another at once.
 */
export function secondsUntilSend(sent: readonly SentCode[], now: Instant): number {
  const until = ({ seconds, max }: Limit, codes: readonly SentCode[]) => {
    const ages = codes.map(({ created_at }) => secondsFrom(created_at, now)).sort((a, b) => a - b);
    return Math.max(0, seconds - (ages[max - 1] ?? seconds));
  };
  const unused = sent.filter(({ used_at, same_purpose }) => used_at === null && same_purpose);
  const ofNetwork = sent.filter(({ same_network }) => same_network);
  const waits = [
    until({ seconds: resendWait, max: 1 }, unused),
    ...networkLimits.map((limit) => until(limit, ofNetwork)),
    Math.min(until(recipientLimit, sent), until(recipientInterval, sent)),
  ];
  return Math.ceil(Math.max(...waits));
}

/**
 * The status of the newest code of the current purpose that can still be used or, if no code can be used, of the newest
 * one. In seconds.
 */
export function codeStatus(sent: readonly SentCode[], now: Instant) {
  const newestFirst = sent
    .filter(({ same_purpose }) => same_purpose)
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  const remaining = ({ good_until }: SentCode) => Math.ceil(-secondsFrom(good_until ?? now, now));
  const code = newestFirst.find((each) => remaining(each) > 0) ?? newestFirst[0];
  return {
    sent_ago: code ? Math.max(0, Math.floor(secondsFrom(code.created_at, now))) : 0,
    next_in: secondsUntilSend(sent, now),
    good_for: code ? Math.max(0, remaining(code)) : 0,
  };
}

/** The wrong guesses for one address, across all of its codes. */
export interface LoginThrottle {
  hour_started_at: Instant;
  wrong_this_hour: number;
  wrong_in_a_row: number;
  short_codes_refused_until: Instant | null;
}

/** The throttle after one more wrong guess. */
export function afterWrongGuess(throttle: LoginThrottle, now: Instant): LoginThrottle {
  const sameHour = throttle.hour_started_at > addSeconds(now, -hour);
  const inARow = throttle.wrong_in_a_row + 1;
  const tooMany = inARow >= throttleLimits.wrongInARow;
  return {
    hour_started_at: sameHour ? throttle.hour_started_at : now,
    wrong_this_hour: sameHour ? throttle.wrong_this_hour + 1 : 1,
    wrong_in_a_row: tooMany ? 0 : inARow,
    short_codes_refused_until: tooMany
      ? addSeconds(now, throttleLimits.shortCodesRefused)
      : throttle.short_codes_refused_until,
  };
}

/** Seconds until short codes of this address are accepted; 0 if they are accepted now. Long codes are never locked. */
export function secondsLocked(throttle: LoginThrottle, now: Instant): number {
  const hourEnds = addSeconds(throttle.hour_started_at, hour);
  const hourlyLockEnds = throttle.wrong_this_hour >= throttleLimits.wrongPerHour ? hourEnds : now;
  const lockedUntil = Math.max(
    Date.parse(hourlyLockEnds),
    Date.parse(throttle.short_codes_refused_until ?? now),
  );
  return Math.max(0, Math.ceil((lockedUntil - Date.parse(now)) / 1000));
}

/** Normalises a typed code: upper case, without spaces and hyphens. */
export const normalCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

interface Registration {
  registration: 'open' | 'invited' | 'closed';
  allowedEmailDomains: readonly string[] | undefined;
}

/** Whether the operator lets a person with this address create an account. */
export function mayRegister(
  { registration, allowedEmailDomains }: Registration,
  { email, isInvited }: { email: string; isInvited: boolean },
): boolean {
  if (registration === 'closed' || (registration === 'invited' && !isInvited)) return false;
  return allowedEmailDomains?.includes(email.slice(email.lastIndexOf('@') + 1)) ?? true;
}

/** The token in the path of an invite page, such as /app/club/rowers/abc. */
export const inviteIn = (path: string | undefined): string | undefined =>
  /^\/app\/club\/[^/?#]+\/([\w-]+)\/?(?:[?#]|$)/.exec(path ?? '')?.[1];

/** Pages that need no session. Invites live below /app/club/ (not /app/clubs/). */
export const isPublicPath = (path: string): boolean =>
  /^\/(login|privacy-policy|confirm|unsubscribe|revert-email)?\/?$/.test(path) ||
  path.startsWith('/app/club/');

/** Exclusive upper bound; no screen has a longer path. */
const maxPathLength = 2048;

// oxlint-disable-next-line no-control-regex -- control characters are rejected on purpose
const forbidden = /[\\\s\u0000-\u001f\u007f]/;

/**
 * Returns the value if it is a path inside this app, otherwise undefined. Every return path read from a link, a query
 * or storage must pass through here: the app redirects to it after the login.
 */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length >= maxPathLength || forbidden.test(value)) return undefined;
  const path = decoded(value.replace(/[?#].*/s, ''));
  if (!path?.startsWith('/') || path.includes('//') || forbidden.test(path)) return undefined;
  return path.split('/').some((part) => part === '.' || part === '..') ? undefined : value;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

// The order matters: most user agents also name other browsers and systems.
const browsers = [
  [/Edg/, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrom(e|ium)|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
] as const;
const systems = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Macintosh/, 'Mac'],
  [/Linux/, 'Linux'],
] as const;

const firstMatch = (list: readonly (readonly [RegExp, string])[], agent: string) =>
  list.find(([pattern]) => pattern.test(agent))?.[1] ?? null;

/** The names of the browser and the system in a user agent string. */
export const deviceOf = (agent: string) => ({
  browser: firstMatch(browsers, agent),
  system: firstMatch(systems, agent),
});

/** A display name for a user agent string, for readers of the API. */
export function deviceName(agent: string): string {
  const { browser, system } = deviceOf(agent);
  return [browser, system].filter(Boolean).join(' on ') || 'Unknown device';
}
