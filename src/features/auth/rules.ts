import { addSeconds, type Instant } from '#wire/instant.ts';

/** Letters and digits that nobody confuses when reading them aloud. */
export const codeAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
export const codeLength = 6;

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** In seconds. A session ends when it was idle for `idle`, and after `session` at the latest. */
export const lifetimes = { code: 10 * minute, access: 15 * minute, idle: 30 * day, session: 90 * day };

/** Seconds before another code can be asked for. */
export const resendWait = minute;

export const throttleLimits = {
  codesAtOnce: 3,
  triesPerCode: 5,
  wrongPerHour: 25,
  wrongInARow: 100,
  shortCodesRefused: day,
};

/** How many emails with a code one network can cause at an address. */
const networkLimits = [
  { seconds: hour, max: 6 },
  { seconds: day, max: 20 },
];
/** How many all networks together can cause at an address; beyond that one per `interval`, so that the owner gets a code. */
const recipientLimit = { seconds: day, max: 40, interval: 15 * minute };

export interface SentCode {
  created_at: Instant;
  used_at: Instant | null;
  /** Whether the network that asks now asked for this one too. */
  same_network: boolean;
}

/**
 * Whether a further code may be mailed to an address that got these. Only who still has an unused one is kept waiting
 * for a minute: somebody who has just logged in can ask for another at once.
 */
export function maySend(sent: readonly SentCode[], now: Instant): boolean {
  const during = (seconds: number) => sent.filter(({ created_at }) => created_at > addSeconds(now, -seconds));
  const { seconds, max, interval } = recipientLimit;
  return (
    during(resendWait).every(({ used_at }) => used_at !== null) &&
    networkLimits.every(
      (limit) => during(limit.seconds).filter(({ same_network }) => same_network).length < limit.max,
    ) &&
    (during(seconds).length < max || during(interval).length === 0)
  );
}

/** Wrong guesses at one address, whichever code they were aimed at. */
export interface LoginThrottle {
  hour_started_at: Instant;
  wrong_this_hour: number;
  wrong_in_a_row: number;
  short_codes_refused_until: Instant | null;
}

/** The guard after one more wrong guess. */
export function afterWrongGuess(guard: LoginThrottle, now: Instant): LoginThrottle {
  const sameHour = guard.hour_started_at > addSeconds(now, -hour);
  const inARow = guard.wrong_in_a_row + 1;
  const tooMany = inARow >= throttleLimits.wrongInARow;
  return {
    hour_started_at: sameHour ? guard.hour_started_at : now,
    wrong_this_hour: sameHour ? guard.wrong_this_hour + 1 : 1,
    wrong_in_a_row: tooMany ? 0 : inARow,
    short_codes_refused_until: tooMany
      ? addSeconds(now, throttleLimits.shortCodesRefused)
      : guard.short_codes_refused_until,
  };
}

/** Seconds until short codes of this address are looked at again; 0 when they are. Long codes always are. */
export function secondsLocked(guard: LoginThrottle, now: Instant): number {
  const hourEnds = addSeconds(guard.hour_started_at, hour);
  const shutForHour = guard.wrong_this_hour >= throttleLimits.wrongPerHour ? hourEnds : now;
  const shutUntil = Math.max(Date.parse(shutForHour), Date.parse(guard.short_codes_refused_until ?? now));
  return Math.max(0, Math.ceil((shutUntil - Date.parse(now)) / 1000));
}

/** A code as it is compared: people type lower case, spaces and hyphens. */
export const normalCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

/** The pages that can be seen without a session; below /app/club/ (not /app/clubs/) stand the invites. */
export const isPublicPath = (path: string): boolean =>
  /^\/(login|privacy-policy|confirm|unsubscribe|revert-email)?\/?$/.test(path) ||
  path.startsWith('/app/club/');

/** Shorter than this: no screen has a longer address. */
const maxPathLength = 2048;

// oxlint-disable-next-line no-control-regex -- these are what must not get through
const forbidden = /[\\\s\u0000-\u001f\u007f]/;

/**
 * An address within this application, path first, or nothing. A value from a link, a query or storage passes here
 * each time it is read, because whatever gets through is where the user is led after the login.
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

// The order matters: most browsers and systems name others as well.
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

/** What a browser says of itself, in the words of people. */
export function deviceName(agent: string): string {
  const named = (list: readonly (readonly [RegExp, string])[]) =>
    list.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [named(browsers), named(systems)];
  return [browser, system].filter(Boolean).join(' on ') || 'Unknown device';
}
