import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import { enqueue, type Tasks } from '#platform/jobs/queue.ts';
import { pushedSince } from '#platform/notices/deliveries.ts';
import { contentsOf, type ContentDependencies, type PushContent } from '#platform/notices/push-content.ts';
import { settlePushes, takePushes, type SettledPush, type TakenPush } from '#platform/notices/pushes.ts';
import { hmac } from '#platform/token.ts';
import { addSeconds, secondsBetween, type Instant } from '#wire/instant.ts';
import { inLook } from '#wire/look.ts';
import { noticePath } from '#wire/notice-path.ts';
import { sendPush, type Push } from '#features/push/gateway.ts';
import { t } from '#features/push/notice-messages.ts';
import {
  budgetKey,
  nextAttempt,
  planned,
  uselessFrom,
  warningTime,
  type Planned,
  type PushOutcome,
} from '#features/push/rules.ts';
import {
  dueHosts,
  lockDueDevices,
  loseDevice,
  takeEndingDevices,
  unsendablePushes,
  unwarnDevices,
  type ActiveDevice,
  type EndingDevice,
} from '#features/push/store.ts';

/** Number of devices that get a push at a time. */
const batch = 50;

export const pushTasks = (db: Db, config: Config, clock: Clock): Tasks => ({
  warn_devices: () => warnDevices(db, config, clock),
});

interface Dependencies extends ContentDependencies {
  db: Db;
  clock: Clock;
}

/**
 * The workers that send pushes. They have nothing else to do, so that a push service that does not respond delays no
 * other job. Each may wait for another service.
 */
export const pushWorkers = 3;

/** Milliseconds after which a job leaves the pushes that are still due to the next one. */
const maxTime = 15_000;

/** Seconds for which a push service that did not respond in time gets no pushes. */
const silence = 60;

/**
 * The task that sends the pushes that are due. Each push service has its own turns, so that one that does not respond
 * delays no other. In a process, one job at a time sends to a service: others ask it to look again and end.
 */
export function sendPushes(dependencies: Dependencies): Tasks {
  const { db, config, clock } = dependencies;
  /** The hosts that pushes are sent to, and whether another job has asked to look again. */
  const active = new Map<string, { again: boolean }>();
  const silentUntil = new Map<string, Instant>();

  async function sendTo(host: string, stopping: AbortSignal): Promise<void> {
    const other = active.get(host);
    if (other) return void (other.again = true);
    const state = { again: false };
    active.set(host, state);
    try {
      const until = performance.now() + maxTime;
      while (!stopping.aborted) {
        if (performance.now() > until) return await enqueue(db, 'send_pushes', {});
        state.again = false;
        const now = await clock(db);
        if ((silentUntil.get(host) ?? now) > now) return;
        const { devices, isSilent } = await sendBatch(dependencies, host, now);
        if (isSilent) silentUntil.set(host, addSeconds(await clock(db), silence));
        if (devices < batch && !state.again) return;
      }
    } finally {
      active.delete(host);
    }
  }

  return {
    async send_pushes(_payload: never, { stopping }) {
      if (config.pushHosts.length === 0) return;
      const now = await clock(db);
      await dropUnsendable(db, now);
      const hosts = await dueHosts(db, now);
      await Promise.all(hosts.map((host) => sendTo(host, stopping)));
    },
  };
}

/** Deletes due pushes whose device has gone, and notes that their notices are not sent. */
async function dropUnsendable(db: Db, now: Instant): Promise<void> {
  const pushes = await unsendablePushes(db, now);
  if (pushes.length === 0) return;
  const dropped = pushes.map((push) => ({ ...push, state: 'dropped' as const }));
  await inTransaction(db, (transaction) => settlePushes(transaction, dropped, now));
}

/** Sends what is due for up to 50 devices of one push service. They are sent in parallel. */
async function sendBatch(
  { db, config, clock, mutedBy }: Dependencies,
  host: string,
  now: Instant,
): Promise<{ devices: number; isSilent: boolean }> {
  const { devices, taken } = await inTransaction(db, async (transaction) => {
    const devices = await lockDueDevices(transaction, { host, now, max: batch });
    return {
      devices,
      taken: await takePushes(
        transaction,
        devices.map(({ session_id }) => session_id),
        now,
      ),
    };
  });
  const contents = await contentsOf(db, taken, now, { config, mutedBy });
  const due = taken.flatMap((push, n) => {
    const content = contents[n];
    const useless = uselessFrom(push.created_at, content?.expires);
    return content && useless > now ? [{ ...push, ...content, useless }] : [];
  });
  const messages = planned(due, await sentWithinHour(db, due, now));
  const deviceOf = new Map(devices.map((device) => [device.session_id, device]));
  const gone: ActiveDevice[] = [];
  let isSilent = false;
  const settled = await Promise.all(
    messages.map(async (message) => {
      const device = deviceOf.get(message.pushes[0].session_id) as ActiveDevice;
      const outcome = await sendPush(config, device, messageOf(config, message, now));
      isSilent ||= outcome.state === 'retry' && outcome.isSilent === true;
      if (outcome.state === 'gone') gone.push(device);
      return message.pushes.map((push) => settledAs(push, message, outcome, now));
    }),
  );
  const sent = new Set(messages.flatMap(({ pushes }) => pushes.map(keyOf)));
  const dropped = taken.filter((push) => !sent.has(keyOf(push)));
  const outcomes = [...settled.flat(), ...dropped.map((push) => ({ ...push, state: 'dropped' as const }))];
  const settledAt = await clock(db);
  if (outcomes.length > 0)
    await inTransaction(db, async (transaction) => {
      await settlePushes(transaction, outcomes, settledAt);
      for (const device of gone) await loseDevice(transaction, device);
    });
  return { devices: devices.length, isSilent };
}

type DuePush = TakenPush & PushContent & { useless: Instant };

const keyOf = ({ notification_id, session_id }: TakenPush) => `${notification_id} ${session_id}`;

/** The notices of which the readers of these pushes got one within the last hour, by the key of their budget. */
async function sentWithinHour(
  db: Db,
  due: readonly DuePush[],
  now: Instant,
): Promise<Map<string, Set<string>>> {
  if (due.length === 0) return new Map();
  const users = [...new Set(due.map(({ user_id }) => user_id))];
  const rows = await pushedSince(db, users, addSeconds(now, -60 * 60));
  const byKey = Map.groupBy(rows, ({ user_id, kind }) =>
    budgetKey({ user_id, kind: kind.replace(counted, '') }),
  );
  return new Map([...byKey].map(([key, sent]) => [key, new Set(sent.map(({ id }) => id))]));
}

/** Ends the kind of the outcome of a push that only counts notices, because it states nothing about them. */
const counted = ':counted';

function settledAs(push: DuePush, { n }: Planned<DuePush>, outcome: PushOutcome, now: Instant): SettledPush {
  const { notification_id, session_id, user_id, attempts, useless } = push;
  const row = {
    notification_id,
    session_id,
    user_id,
    kind: n === undefined ? push.kind : push.kind + counted,
  };
  if (outcome.state !== 'retry')
    return { ...row, state: outcome.state === 'accepted' ? 'accepted' : 'failed' };
  const again = nextAttempt({ attempts, after: outcome.after, useless }, now);
  return again ? { ...row, state: 'pending', again } : { ...row, state: 'failed' };
}

/** The message for a device about one notice, or one that counts several. */
function messageOf(config: Config, { pushes, n }: Planned<DuePush>, now: Instant): Push {
  const [push] = pushes;
  const look = toLook(push.look);
  const shared = {
    language: look.language,
    ttl: Math.max(...pushes.map(({ useless }) => secondsBetween(now, useless))),
    urgency: pushes.some(({ isAlways }) => isAlways) ? ('high' as const) : ('normal' as const),
  };
  if (n === undefined)
    return {
      ...shared,
      title: push.title,
      body: push.body,
      path: noticePath(push.target) ?? allNotices,
      tag: tagOf(config, push.user_id, push.kind, push.key),
      notification: push.notification_id,
      ...(push.buttons && { answers: push.buttons }),
    };
  return {
    ...shared,
    title: config.productName,
    body: inLook(look, () => t('several', { n })),
    path: allNotices,
    tag: tagOf(config, push.user_id, 'several'),
  };
}

const allNotices = '/app/notifications';

/** The tag and topic of the pushes about one thing. It tells a push service nothing. At most 32 characters are allowed. */
const tagOf = ({ secretKey }: Config, ...about: string[]): string =>
  hmac(secretKey, 'push', ...about)
    .toString('base64url')
    .slice(0, 32);

/**
 * Tells devices that notifications end, because their session ends within two days. Each is noted as warned first, so
 * a killed process sends no warning twice.
 */
async function warnDevices(db: Db, config: Config, clock: Clock): Promise<void> {
  if (config.pushHosts.length === 0) return;
  const retries: string[] = [];
  let devices: EndingDevice[];
  do {
    devices = await takeEndingDevices(db, await clock(db), batch);
    await Promise.all(
      devices.map(async (device) => {
        const { state } = await warn(config, device);
        if (state === 'gone') await loseDevice(db, device);
        if (state === 'retry') retries.push(device.session_id);
      }),
    );
  } while (devices.length === batch);
  if (retries.length > 0) await unwarnDevices(db, retries);
}

function warn(config: Config, device: EndingDevice) {
  const { productName: product } = config;
  const look = toLook(device.look);
  return sendPush(config, device, {
    title: product,
    body: inLook(look, () => (device.ends_for_good ? t('logInToKeep') : t('openToKeep', { product }))),
    // The login page offers to log out and in again.
    path: device.ends_for_good ? '/login' : '/app',
    tag: 'session',
    language: look.language,
    ttl: warningTime,
    urgency: 'normal',
  });
}
