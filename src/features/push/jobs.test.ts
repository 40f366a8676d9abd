import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { pushTasks } from '#features/push/jobs.ts';
import { isolatedWorld, type Person, type World } from '#test/world.ts';
import { openPushService, type PushService } from '#test/push-service.ts';

let service: PushService;
let w: World;
let ada: Person;
let subscription: ReturnType<PushService['subscribe']>;
beforeAll(async () => {
  service = await openPushService();
  w = await isolatedWorld({ PUSH_HOSTS: service.host });
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(async () => {
  service.received.length = service.errors.length = 0;
  Object.assign(service.state, { requests: 0, closed: 0, respond: { status: 201 } });
  w.clockOffset.seconds = 0;
  await run(w.db, sql`delete from push_devices`);
  ada = await w.person('Ada');
  subscription = service.subscribe();
  await ada.api.push.saveDevice(subscription);
});

/** Runs the job that the server runs every hour. */
const warn = async (config = w.config) => {
  const { warn_devices } = pushTasks(w.db, config, async () => w.now());
  await warn_devices?.({} as never, {} as never);
};
const bodies = () => service.messagesFor(subscription).map(({ body }) => body);
const open = 'Open Muster to keep notifications on this device.';
const logIn = 'Log in again to keep notifications on this device.';

/** Uses the session, as the app does when it is opened. */
const use = () => ada.api.users.me({});

test('warning: a device is told once, two days before its session expires unused [PUSH-12]', async () => {
  w.later('27 days');
  await warn();
  expect(bodies()).toEqual([]);
  w.later('1 day');
  w.later('1 hour');
  for (let hours = 0; hours < 3; hours++) {
    await warn();
    w.later('1 hour');
  }
  expect(service.errors).toEqual([]);
  expect(service.messagesFor(subscription)).toEqual([
    { title: 'Muster', body: open, path: '/app', tag: 'session', language: 'en' },
  ]);
  expect(service.received[0]).toMatchObject({ ttl: '172800', topic: 'session', urgency: 'normal' });
});

test('warning: a session that is used continues, and is warned again two days before its next end [PUSH-12]', async () => {
  w.later('28 days');
  await warn();
  await use();
  w.later('27 days');
  await warn();
  expect(bodies()).toEqual([open]);
  w.later('1 day');
  await warn();
  expect(bodies()).toEqual([open, open]);
});

test('warning: after 88 days only another login continues the session [PUSH-12]', async () => {
  for (let times = 0; times < 4; times++) {
    w.later('21 days');
    await use();
    await warn();
  }
  expect(bodies()).toEqual([]);
  w.later('4 days');
  for (let hours = 0; hours < 3; hours++) {
    await use();
    await warn();
    w.later('1 hour');
  }
  expect(service.messagesFor(subscription)).toEqual([
    { title: 'Muster', body: logIn, path: '/login', tag: 'session', language: 'en' },
  ]);
});

test('warning: is in the language of the user [PUSH-12]', async () => {
  await ada.api.users.update({ language: 'de' });
  w.later('28 days');
  await warn();
  expect(service.messagesFor(subscription)).toMatchObject([
    {
      body: 'Öffne Muster, damit du auf diesem Gerät weiter Benachrichtigungen bekommst.',
      language: 'de',
    },
  ]);
});

test('warning: a session that has ended is not warned [PUSH-12]', async () => {
  w.later('30 days');
  await warn();
  expect(bodies()).toEqual([]);
});

test('warning: is tried again in the next hour if the service does not respond, and then sent once [PUSH-12]', async () => {
  w.later('28 days');
  service.state.respond = { status: 503 };
  await warn();
  service.state.respond = { status: 201 };
  await warn();
  await warn();
  expect(service.state.requests).toBe(2);
});

test('warning: a device whose endpoint is gone is lost, and gets no further request [PUSH-10 PUSH-12]', async () => {
  w.later('28 days');
  service.state.respond = { status: 410 };
  await warn();
  await warn();
  expect(service.state.requests).toBe(1);
  expect(await ada.api.push.device({})).toMatchObject({ is_on: false, is_lost: true });
});

test('warning: two processes warn each of many devices once [PUSH-12]', async () => {
  const people = await Promise.all(Array.from({ length: 60 }, () => w.person('Many')));
  const subscriptions = await Promise.all(
    people.map(async ({ api }) => {
      const device = service.subscribe();
      await api.push.saveDevice(device);
      return device;
    }),
  );
  w.later('28 days');
  await Promise.all([warn(), warn()]);
  for (const device of [subscription, ...subscriptions]) expect(service.messagesFor(device)).toHaveLength(1);
});

test('warning: with PUSH_HOSTS=none no request leaves [PUSH-03]', async () => {
  w.later('28 days');
  await warn({ ...w.config, pushHosts: [] });
  expect(service.state.requests).toBe(0);
  await warn();
  expect(service.state.requests).toBe(1);
});

test('warning: the server runs the job [PUSH-12]', async () => {
  w.later('28 days');
  await run(w.db, sql`select enqueue_job('warn_devices', '{}'::jsonb)`);
  await expect.poll(bodies).toEqual([open]);
});
