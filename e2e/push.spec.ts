import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { expectAccessible } from '#e2e/axe.ts';
import { emailTo, expect, test as base, type Person } from '#e2e/people.ts';
import { startProcess } from '#e2e/server.ts';
import type { PushMessage } from '#features/push/contract.ts';
import { openPushService, type PushService } from '#test/push-service.ts';
import { scratch } from '#test/scratch-directory.ts';

/** An app of its own, which sends pushes to the stand-in service. */
const test = base.extend<{ service: PushService }>({
  service: [
    async ({}, use) => {
      const before = { ...process.env };
      const dataDir = await mkdtemp(join(scratch, 'muster-e2e-'));
      await using service = await openPushService();
      const app = await startProcess({ DATA_DIR: dataDir, PUSH_HOSTS: service.host });
      Object.assign(process.env, { E2E_ORIGIN: app.origin, E2E_DATA_DIR: dataDir });
      await use(service);
      Object.assign(process.env, before);
      await app.end('SIGINT');
      await rm(dataDir, { recursive: true, force: true });
    },
    { timeout: 60_000 },
  ],
});
test.use({ serviceWorkers: 'allow' });

/** What the stubs below remember. */
interface Browser {
  permission: NotificationPermission;
  /** How often the page asked for permission. */
  asked: number;
  subscription: { endpoint: string; p256dh: string; auth: string } | null;
}

/**
 * Replaces the notifications of the browser, which headless Chromium always denies, with stubs whose subscriptions the
 * stand-in service knows. They remember their state in the storage of the origin, as a browser does.
 */
async function stubNotifications({ context, page }: Person, service: PushService): Promise<void> {
  await context.exposeFunction('newSubscription', () => service.subscribe());
  await page.addInitScript(() => {
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- this function runs in the page
    const stored = (): Browser =>
      JSON.parse(
        localStorage.getItem('browser') ?? '{"permission":"default","asked":0,"subscription":null}',
      ) as Browser;
    const store = (change: Partial<Browser>) =>
      localStorage.setItem('browser', JSON.stringify({ ...stored(), ...change }));
    const subscriptionOf = (keys: Browser['subscription']) =>
      keys && {
        toJSON: () => ({ endpoint: keys.endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } }),
        unsubscribe: async () => store({ subscription: null }),
      };
    Object.defineProperty(Notification, 'permission', { get: () => stored().permission });
    Object.assign(Notification, {
      requestPermission: async () => {
        store({ asked: stored().asked + 1, permission: 'granted' });
        return 'granted';
      },
    });
    Object.assign(PushManager.prototype, {
      getSubscription: async () => subscriptionOf(stored().subscription),
      subscribe: async ({ userVisibleOnly, applicationServerKey }: PushSubscriptionOptionsInit) => {
        const key = applicationServerKey as Uint8Array;
        if (!userVisibleOnly || key.length !== 65 || key[0] !== 4) throw new Error('Wrong options');
        const { newSubscription } = window as unknown as {
          newSubscription(): Promise<NonNullable<Browser['subscription']>>;
        };
        const subscription = await newSubscription();
        store({ subscription });
        return subscriptionOf(subscription);
      },
    });
  });
}

const browserOf = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('browser') ?? '{}') as Browser);

/** What the service worker does when a notification is shown or pressed, recorded. */
interface Recorder {
  shown: (NotificationOptions & { title: string; actions?: { action: string; title: string }[] })[];
  opened: string[];
  focused: number;
}

/** The part of the global scope of a service worker that the recorders replace. */
interface WorkerScope {
  recorder: Recorder;
  fetch: typeof fetch;
  /** The `fetch` of a worker that was disconnected. */
  connected: typeof fetch;
  registration: { showNotification(title: string, options: NotificationOptions): Promise<void> };
  clients: { openWindow(url: string): Promise<null> };
  WindowClient: { prototype: { focus(): Promise<void> } };
}

/** The service worker of a context, with recorders in place of what needs a shown notification or a real press. */
async function recordedWorker(context: BrowserContext) {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(() => {
    const scope = globalThis as unknown as WorkerScope;
    const recorder: Recorder = { shown: [], opened: [], focused: 0 };
    scope.recorder = recorder;
    scope.registration.showNotification = async (title, options) =>
      void recorder.shown.push({ title, ...options });
    scope.clients.openWindow = async (url) => {
      recorder.opened.push(url);
      return null;
    };
    scope.WindowClient.prototype.focus = async () => void recorder.focused++;
  });
  return {
    recorder: () => worker.evaluate(() => (globalThis as unknown as WorkerScope).recorder),
    /** Lets requests of the worker fail as they do without a network, which tests cannot switch off for it. */
    async disconnect() {
      await worker.evaluate(() => {
        const scope = globalThis as unknown as WorkerScope;
        scope.connected = scope.fetch;
        scope.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
      });
      return () =>
        worker.evaluate(() => {
          const scope = globalThis as unknown as WorkerScope;
          scope.fetch = scope.connected;
        });
    },
    press: (message: Partial<PushMessage>, action = '') =>
      worker.evaluate(
        async ([data, name]) => {
          const { press } = globalThis as unknown as {
            press(message: unknown, action: string): Promise<void>;
          };
          await press(data, name);
        },
        [{ title: 'Harbour Rowers', body: 'News', tag: 'news', language: 'en', ...message }, action] as const,
      ),
  };
}

/** Delivers texts to the service worker, as the browser does after it has decrypted a push. */
async function delivery({ context, page }: Person, origin: string) {
  const session = await context.newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registration;
  return (message: PushMessage) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(message),
    });
}

const settings = '/app/settings/notifications';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Waits until the service worker has cached the app, which takes long on a busy machine. */
const controlled = (page: Page) =>
  page.waitForFunction(() => navigator.serviceWorker.controller !== null, null, { timeout: 30_000 });

/** Opens the settings in a browser that permits notifications and has the app in its cache. */
async function openSettings(person: Person, service: PushService): Promise<void> {
  const { page } = person;
  await stubNotifications(person, service);
  await page.goto('/app');
  await controlled(page);
  await page.goto(settings);
}

test('notifications on a device: are switched on by two taps, tested and switched off; nothing else asks [PUSH-01 PUSH-12 PUSH-17]', async ({
  service,
  ada,
}) => {
  const { page, context, api } = ada;
  await openSettings(ada, service);
  await expect(button(page, 'Switch on for this device')).toBeVisible();
  await expect(
    page.getByText('Texts and buttons of notifications also show on a locked screen.'),
  ).toBeVisible();
  await expectAccessible(page);
  expect(await page.evaluate(() => localStorage.getItem('browser'))).toBeNull();
  await button(page, 'Switch on for this device').click();
  await expect(page.getByText('On for this device', { exact: true })).toBeVisible();
  await expectAccessible(page);
  const { asked, subscription } = await browserOf(page);
  expect([asked, subscription?.endpoint]).toEqual([1, expect.stringContaining(service.host)]);
  expect((await api.push.device({})).is_on).toBe(true);

  const worker = await recordedWorker(context);
  const deliver = await delivery(ada, new URL(page.url()).origin);
  await button(page, 'Send a test').click();
  await expect(page.getByText('The test is on its way.')).toBeVisible();
  const [message] = service.messagesFor({ endpoint: subscription?.endpoint ?? '' });
  if (!message) throw new Error('The service got no push');
  await deliver(message);
  await expect(page.getByText('The test has arrived.')).toBeVisible();
  expect((await worker.recorder()).shown).toEqual([
    expect.objectContaining({ title: 'Muster', body: 'Notifications work on this device.', tag: 'test' }),
  ]);

  await page.goto('/app/profile');
  await expect(page.getByText('Notifications on')).toBeVisible();
  await page.goto(settings);
  await button(page, 'Switch off').click();
  await expect(button(page, 'Switch on for this device')).toBeVisible();
  expect((await browserOf(page)).subscription).toBeNull();
  expect((await api.push.device({})).is_on).toBe(false);
});

test('notifications on a device: a lost subscription is renewed when the app is opened, and logging out ends it, also offline [PUSH-10]', async ({
  service,
  ada,
}) => {
  const { page, context, api } = ada;
  await openSettings(ada, service);
  await button(page, 'Switch on for this device').click();
  await expect(button(page, 'Send a test')).toBeVisible();
  const before = (await browserOf(page)).subscription?.endpoint;
  service.state.respond = { status: 410 };
  await button(page, 'Send a test').click();
  await expect(button(page, 'Switch on for this device')).toBeVisible();
  expect(await api.push.device({})).toMatchObject({ is_on: false, is_lost: true });
  await page.goto('/app');
  await expect.poll(async () => (await api.push.device({})).is_on).toBe(true);
  const { asked, subscription } = await browserOf(page);
  expect(asked).toBe(1);
  expect(subscription?.endpoint).not.toBe(before);

  await context.setOffline(true);
  await button(page, 'User menu').click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await expect(page).toHaveURL(/\/$/);
  expect((await browserOf(page)).subscription).toBeNull();
});

test('service worker: a press opens the path in an open tab without a reload, or else in a new one, and marks the bell row [PUSH-08]', async ({
  service,
  ada,
  bob,
  rowers,
}) => {
  expect(service.received).toEqual([]);
  await ada.api.updates.publish({ club: rowers.id, content: 'Boats are back' });
  const notice = async () => (await bob.api.notifications.list({}))[0];
  const { page, context } = bob;
  await page.goto('/app');
  await controlled(page);
  const worker = await recordedWorker(context);
  await page.evaluate(() => void Object.assign(window, { isSame: true }));
  const notification = (await notice())?.id;
  await worker.press({ path: `/app/clubs/${rowers.slug}`, notification });
  await expect(page.getByRole('heading', { name: rowers.club_name, level: 1 })).toBeVisible();
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true);
  await expect.poll(async () => (await notice())?.actioned_at).toEqual(expect.any(String));
  for (const path of [
    'https://evil.example/',
    '//evil.example/',
    String.raw`/\evil.example`,
    'app/profile',
    '',
  ]) {
    await page.goto('/app/profile');
    await worker.press({ path });
    await expect(page).toHaveURL(/\/app$/);
  }
  expect(await worker.recorder()).toEqual({ shown: [], opened: [], focused: 6 });

  await page.goto('/privacy-policy');
  await worker.press({ path: '/app/notifications', notification });
  await worker.press({ path: '/login' });
  await worker.press({ path: '//evil.example/' });
  const { opened } = await worker.recorder();
  expect(opened).toEqual([`/app/notifications#notification=${notification}`, '/login', '/app']);

  // A new tab marks the row too.
  await ada.api.updates.publish({ club: rowers.id, content: 'And oars' });
  const next = (await notice())?.id;
  expect(next).not.toBe(notification);
  await page.goto(`/app/clubs/${rowers.slug}#notification=${next}`);
  await expect.poll(async () => (await notice())?.actioned_at).toEqual(expect.any(String));
  expect(new URL(page.url()).hash).toBe('');
});

test('service worker: a tab that does not answer is not used [PUSH-08]', async ({ service, ada }) => {
  expect(service.received).toEqual([]);
  const { page, context } = ada;
  await page.goto('/app');
  await controlled(page);
  const worker = await recordedWorker(context);
  // As in a page of an older version, nothing listens.
  await page.evaluate(() =>
    navigator.serviceWorker.addEventListener('message', (event) => event.stopImmediatePropagation()),
  );
  await page.addInitScript(() =>
    navigator.serviceWorker.addEventListener('message', (event) => event.stopImmediatePropagation()),
  );
  await page.reload();
  await worker.press({ path: '/app/notifications' });
  expect((await worker.recorder()).opened).toEqual(['/app/notifications']);
});

test('service worker: the buttons of a notification answer through the answer link, without opening the app, and after an error a tap opens the event [PUSH-09]', async ({
  service,
  ada,
  bob,
  rowers,
  run,
}) => {
  expect(service.received).toEqual([]);
  const { page, context } = bob;
  await page.goto('/privacy-policy');
  await controlled(page);
  const worker = await recordedWorker(context);
  const { text = '' } = await emailTo(bob.email, 0, (mail) => /\/answer\//.test(mail.text ?? ''));
  const token = /\/answer\/([\w-]+)/.exec(text)?.[1];
  const answers = {
    link: `/api/v1/answer-links/${token}`,
    choices: [
      { action: 'going' as const, title: 'Going', done: "You're going.", waiting: "You're on the waitlist." },
      { action: 'no' as const, title: "Can't go", done: "You can't go." },
    ],
    failed: "That didn't work. Tap to open the event.",
  };
  const message = { path: `/app/events/${run.slug}`, answers };
  const answer = async () => (await bob.api.events.get({ event: run.slug })).my_answer;
  await worker.press(message, 'going');
  expect(await answer()).toBe('going');
  await worker.press(message, 'no');
  expect(await answer()).toBe('no');
  // Meanwhile somebody else has taken the last seat.
  await ada.api.answers.attend({ event: run.id });
  await ada.api.events.edit({ event: run.id, club: rowers.id, capacity: 1, waitlist: true });
  await worker.press(message, 'going');
  expect(await answer()).toBe('waiting');
  const reconnect = await worker.disconnect();
  await worker.press(message, 'no');
  await reconnect();
  expect(await answer()).toBe('waiting');
  await ada.api.events.cancel({ event: run.id });
  await worker.press(message, 'no');
  expect(await answer()).toBe('waiting');
  const { shown, opened } = await worker.recorder();
  expect(shown.map(({ body, actions }) => [body, actions])).toEqual([
    ["You're going.", []],
    ["You can't go.", []],
    ["You're on the waitlist.", []],
    ["That didn't work. Tap to open the event.", []],
    ["That didn't work. Tap to open the event.", []],
  ]);
  expect(opened).toEqual([]);
  await worker.press(shown.at(-1)?.data as PushMessage);
  expect((await worker.recorder()).opened).toEqual([`/app/events/${run.slug}`]);
});
