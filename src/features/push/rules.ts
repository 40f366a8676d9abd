import { addSeconds, type Instant } from '#wire/instant.ts';

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

/**
 * What became of a push. `after` is in seconds: when the service accepts the next attempt, or 0 if it did not say.
 * `isSilent`: the service did not respond in time.
 */
export type PushOutcome =
  | { state: 'accepted' | 'gone' | 'failed' }
  | { state: 'retry'; after: number; isSilent?: true };

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

const minute = 60;
const hour = 60 * minute;

/** Seconds before the second, third, fourth and fifth attempt. */
const waits = [minute, 5 * minute, 30 * minute, 120 * minute];

/** Seconds after which a push is useless. */
const lifetime = 24 * hour;

/** When a push about a notice of this time becomes useless. `expires`: when its notice says so. */
export function uselessFrom(created_at: Instant, expires?: Instant): Instant {
  const end = addSeconds(created_at, lifetime);
  return expires !== undefined && expires < end ? expires : end;
}

/** When a push is tried again after its n-th attempt. Undefined if it is not: it would be useless by then. */
export function nextAttempt(
  { attempts, after, useless }: { attempts: number; after: number; useless: Instant },
  now: Instant,
): Instant | undefined {
  const wait = waits[attempts - 1];
  if (wait === undefined) return undefined;
  const again = addSeconds(now, Math.max(wait, after));
  return again < useless ? again : undefined;
}

/** The max number of pushes of one kind to one person in an hour, and of pushes to a device at once. */
const budget = { inHour: 6, atOnce: 3 };

/** A push that is due. */
interface DuePush {
  notification_id: string;
  session_id: string;
  user_id: string;
  kind: string;
  isAlways: boolean;
}

/** One message for one device about one or more notices. `n`: the number that it names instead of their texts. */
export interface Planned<Push> {
  pushes: [Push, ...Push[]];
  n?: number;
}

/** The key of the pushes that count together: those of one kind to one person. */
export const budgetKey = ({ user_id, kind }: Pick<DuePush, 'user_id' | 'kind'>): string =>
  `${user_id} ${kind}`;

/**
 * Plans the messages for pushes that are due. `sent` has the notices that each person got within the last hour, by
 * `budgetKey`. Beyond the budget of a kind, notices stay in the bell; those that are always sent become one message that
 * counts them. A device that would get more than three messages at once gets one that counts them.
 */
export function planned<Push extends DuePush>(
  due: readonly Push[],
  sent: ReadonlyMap<string, ReadonlySet<string>>,
): Planned<Push>[] {
  const hours = new Map<string, Set<string>>();
  const within = due.filter((push) => {
    const key = budgetKey(push);
    const ids = hours.get(key) ?? new Set(sent.get(key));
    hours.set(key, ids);
    if (ids.has(push.notification_id) || push.isAlways || ids.size < budget.inHour)
      ids.add(push.notification_id);
    return ids.has(push.notification_id);
  });
  return groups(within, ({ session_id }) => session_id).flatMap((ofDevice) => {
    const messages = groups(ofDevice, (push) => groupOf(push, hours));
    if (messages.length > budget.atOnce) return [{ pushes: ofDevice, n: ofDevice.length }];
    return messages.map((pushes) => {
      const over = numberOver(pushes[0], hours);
      return over > 0 ? { pushes, n: over } : { pushes };
    });
  });
}

type Group<Push> = [Push, ...Push[]];

/** The pushes by a key, in the order of their first ones. */
function groups<Push>(pushes: readonly Push[], keyOf: (push: Push) => string): Group<Push>[] {
  const byKey = new Map<string, Group<Push>>();
  for (const push of pushes) {
    const group = byKey.get(keyOf(push));
    if (group) group.push(push);
    else byKey.set(keyOf(push), [push]);
  }
  return [...byKey.values()];
}

/** How many notices of the hour are beyond the budget up to this one, or 0 if it is within. */
function numberOver(push: DuePush, hours: ReadonlyMap<string, ReadonlySet<string>>): number {
  const ids = [...(hours.get(budgetKey(push)) ?? [])];
  return ids.indexOf(push.notification_id) < budget.inHour ? 0 : ids.length - budget.inHour;
}

/** Pushes beyond the budget share one message, and others have their own. */
const groupOf = (push: DuePush, hours: ReadonlyMap<string, ReadonlySet<string>>): string =>
  numberOver(push, hours) > 0 ? budgetKey(push) : push.notification_id;
