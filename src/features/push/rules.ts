/** A browser that gets notifications, as its push service knows it. */
export interface Subscription {
  endpoint: string;
  p256dh: Buffer;
  auth: Buffer;
}

/** The max length of an endpoint. */
const maxEndpoint = 1000;

const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]):\d+$/;

/**
 * The endpoint in its canonical form, or undefined if no push may be sent to it: it must be https on port 443, without
 * user info, at one of `hosts`. Plain http and a port are accepted for a loopback address in `hosts`, which tests use.
 * An endpoint is an address that a user chose, so this is checked when it is stored and before each request.
 */
export function allowedEndpoint(endpoint: string, hosts: readonly string[]): string | undefined {
  const url = urlIn(endpoint);
  if (!url || url.username || url.password || url.href.length > maxEndpoint) return undefined;
  const { href, protocol, host, hostname, port } = url;
  const isAllowed = loopback.test(host)
    ? protocol === 'http:' && hosts.includes(host)
    : protocol === 'https:' && port === '' && hosts.some((allowed) => isBelow(hostname, allowed));
  return isAllowed ? href : undefined;
}

function urlIn(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Whether a host is the allowed one, or below it if that begins with `*.`. */
function isBelow(hostname: string, allowed: string): boolean {
  if (!allowed.startsWith('*.')) return hostname === allowed;
  const suffix = allowed.slice(1);
  return hostname.endsWith(suffix) && hostname.length > suffix.length;
}

/** What became of a push. `after` is in seconds: when the service accepts the next attempt, or 0 if it did not say. */
export type PushOutcome = { state: 'accepted' | 'gone' | 'failed' } | { state: 'retry'; after: number };

/** The longest wait that a push service may ask for, in seconds: a push that waits for a day is useless. */
const maxRetryAfter = 24 * 60 * 60;

/** The outcome of a push for the response of its service. `retryAfter` is the header of that name. */
export function outcomeOf(status: number, retryAfter: string | null, now: number): PushOutcome {
  if ([200, 201, 202].includes(status)) return { state: 'accepted' };
  // The service does not know the subscription, or it was made with another key than ours.
  if ([401, 403, 404, 410].includes(status)) return { state: 'gone' };
  if (status === 429 || status >= 500) return { state: 'retry', after: secondsOf(retryAfter ?? '', now) };
  return { state: 'failed' };
}

/** Seconds to wait, for a number of seconds or a date. */
function secondsOf(retryAfter: string, now: number): number {
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - now) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(0, Math.ceil(seconds)), maxRetryAfter);
}

/** Limits for one session. */
export const limits = {
  changes: { max: 30, seconds: 60 * 60 },
  tests: { max: 5, seconds: 24 * 60 * 60 },
};

/** How many seconds before its end a session with a device is announced to end. */
export const warningTime = 2 * 24 * 60 * 60;
