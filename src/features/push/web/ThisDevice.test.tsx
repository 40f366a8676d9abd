import { act, cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queries, queryClient } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { failure, press, renderPage, server, success } from '#test/render-page.tsx';
import SettingsPage from '#features/notifications/web/SettingsPage.tsx';
import BellList from '#features/notifications/web/BellList.tsx';
import PushHint from './PushHint.tsx';
import ThisDevice from './ThisDevice.tsx';

const publicKey = 'BIHHHNjGJQh0PhLfonCvmJr_ZjD_Vr1k9zYuhG7YYeTfU8be-BqqRiKtelH4dIrYMZliA8JLlZTcbAf9UlX40-k';
const isOff = { public_key: publicKey, is_on: false, is_lost: false };

/** A browser with notifications, whose worker sends `message` events. */
function browserWith({ permission = 'default', subscribed = false, answer = 'granted' } = {}) {
  const worker = new EventTarget();
  const state = { isSubscribed: subscribed };
  const subscription = {
    unsubscribe: async () => void (state.isSubscribed = false),
    toJSON: () => ({ endpoint: 'https://push.example/x', keys: { p256dh: 'p', auth: 'a' } }),
  };
  const registration = {
    pushManager: {
      getSubscription: async () => (state.isSubscribed ? subscription : null),
      subscribe: async () => {
        state.isSubscribed = true;
        return subscription;
      },
    },
  };
  const notification = {
    permission,
    requestPermission: vi.fn(async () => (notification.permission = answer)),
  };
  vi.stubGlobal('Notification', notification);
  vi.stubGlobal('PushManager', {});
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: Object.assign(worker, {
      ready: Promise.resolve(registration),
      getRegistration: async () => registration,
    }),
  });
  const deliver = (test: string) =>
    act(() => void worker.dispatchEvent(new MessageEvent('message', { data: { test } })));
  return { state, notification, deliver };
}

const userAgent = (value: string, more: object = {}) => {
  for (const [name, each] of Object.entries({ userAgent: value, ...more }))
    Object.defineProperty(navigator, name, { configurable: true, value: each });
};

beforeEach(() => {
  settings.hasPush = true;
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  server.read = () => success(isOff);
});
afterEach(() => {
  vi.useRealTimers();
  delete settings.hasPush;
  for (const name of ['serviceWorker', 'userAgent', 'standalone', 'maxTouchPoints'])
    delete (navigator as unknown as Record<string, unknown>)[name];
});

const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15';
const steps =
  '1. Tap Share.\n2. Tap “Add to Home Screen”.\n3. Open Muster from your home screen, log in once more and tap “Switch on for this device”.';

test.each([
  ['iPhone', iPhone, 5],
  ['iPad', 'Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) Safari/604.1', 5],
  ['iPad that calls itself a Mac', mac, 5],
])(
  'this device: an %s outside the home screen shows the steps instead of the switch [PUSH-02]',
  (_, agent, maxTouchPoints) => {
    userAgent(agent, { maxTouchPoints });
    renderPage(<ThisDevice />);
    expect(screen.getByText(/Tap Share/).textContent).toBe(steps);
    expect(screen.queryByRole('button')).toBeNull();
  },
);

test.each([
  ['iPhone', iPhone, { standalone: true }],
  ['Mac', mac, { maxTouchPoints: 0 }],
])(
  'this device: %s shows the switch, an iPhone only in the app on the home screen [PUSH-02]',
  async (_, agent, more) => {
    userAgent(agent, more);
    browserWith();
    renderPage(<ThisDevice />);
    expect(await screen.findByRole('button', { name: 'Switch on for this device' })).toBeDefined();
    expect(screen.queryByText(/Tap Share/)).toBeNull();
  },
);

test('this device: names a browser that blocks notifications, and one that has none [PUSH-03]', () => {
  renderPage(<ThisDevice />);
  expect(screen.getByText('This browser has no notifications.')).toBeDefined();
  cleanup();
  browserWith({ permission: 'denied' });
  renderPage(<ThisDevice />);
  expect(
    screen.getByText('Your browser blocks notifications from this site. Allow them in its settings.'),
  ).toBeDefined();
  expect(screen.queryByRole('button')).toBeNull();
});

test('this device: the section is absent if the server sends no notifications [PUSH-03]', async () => {
  browserWith();
  queryClient.setQueryData(queries.notificationSettings().queryKey, {});
  renderPage(<SettingsPage />);
  expect(await screen.findByRole('heading', { name: 'This device' })).toBeDefined();
  cleanup();
  delete settings.hasPush;
  renderPage(<SettingsPage />);
  await act(async () => {});
  expect(screen.queryByRole('heading', { name: 'This device' })).toBeNull();
});

test('this device: only a press asks the browser; a denial shows what to do, and a dismissal the switch [PUSH-01 PUSH-03]', async () => {
  const dismissed = browserWith({ answer: 'default' });
  renderPage(<ThisDevice />);
  const button = await screen.findByRole('button', { name: 'Switch on for this device' });
  expect(dismissed.notification.requestPermission).not.toHaveBeenCalled();
  await userEvent.click(button);
  expect(dismissed.notification.requestPermission).toHaveBeenCalledOnce();
  expect(server.sent).toEqual([]);
  expect(screen.getByRole('button', { name: 'Switch on for this device' })).toBeDefined();
  cleanup();
  browserWith({ answer: 'denied' });
  renderPage(<ThisDevice />);
  await press('Switch on for this device');
  expect(await screen.findByText(/Your browser blocks notifications/)).toBeDefined();
});

test('this device: ends the subscription again if the server refuses it [PUSH-01]', async () => {
  const browser = browserWith();
  server.respond = () => failure(500);
  renderPage(<ThisDevice />);
  await screen.findByRole('button', { name: 'Switch on for this device' });
  await press('Switch on for this device');
  expect(await screen.findByText("Notifications weren't switched on")).toBeDefined();
  expect(browser.state.isSubscribed).toBe(false);
});

test('this device: is off if the browser has lost the subscription that the server still has [PUSH-01]', async () => {
  browserWith({ permission: 'granted', subscribed: false });
  server.read = () => success({ ...isOff, is_on: true });
  renderPage(<ThisDevice />);
  expect(await screen.findByRole('button', { name: 'Switch on for this device' })).toBeDefined();
});

/** Shows the section while it is on, with the timers of the test. */
async function showOn() {
  const browser = browserWith({ permission: 'granted', subscribed: true });
  server.read = () => success({ ...isOff, is_on: true });
  server.respond = () => success({ id: 'test-1' });
  renderPage(<ThisDevice />);
  const send = await screen.findByRole('button', { name: 'Send a test' });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await act(async () => send.click());
  await act(async () => {});
  return browser;
}
const nothing = 'Nothing arrived yet. Check that your device allows notifications from this browser.';

test('test: if none has arrived after 10 seconds, the page says so, and a late one corrects it [PUSH-17]', async () => {
  const { deliver } = await showOn();
  expect(screen.getByText('The test is on its way.')).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(9_000));
  expect(screen.queryByText(nothing)).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(1_100));
  expect(screen.getByText(nothing)).toBeDefined();
  deliver('test-1');
  expect(screen.getByText('The test has arrived.')).toBeDefined();
});

test('test: one that has arrived stays so, and that of another page does not count [PUSH-17]', async () => {
  const { deliver } = await showOn();
  deliver('test-2');
  expect(screen.queryByText('The test has arrived.')).toBeNull();
  deliver('test-1');
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(screen.getByText('The test has arrived.')).toBeDefined();
});

const hint = () => screen.queryByRole('link', { name: 'Get these on this device' });
const show = async (part: Parameters<typeof renderPage>[0]) => {
  renderPage(part);
  await act(async () => {});
};

test('bell: offers notifications only while this browser could have them and has not', async () => {
  await show(<PushHint onFollow={vi.fn()} />);
  expect(hint()).toBeNull();
  cleanup();
  const cases: [Parameters<typeof browserWith>[0], boolean, boolean][] = [
    [{}, false, true],
    [{ permission: 'denied' }, false, false],
    [{ permission: 'granted' }, false, true],
    [{ permission: 'granted', subscribed: true }, true, false],
  ];
  for (const [browser, is_on, isShown] of cases) {
    queryClient.clear();
    browserWith(browser);
    server.read = () => success({ ...isOff, is_on });
    await show(<PushHint onFollow={vi.fn()} />);
    await vi.waitFor(() => expect([browser, hint() !== null]).toEqual([browser, isShown]));
    cleanup();
  }
});

test('bell: offers notifications only while the list is empty', async () => {
  browserWith();
  const inbox = { notifications: [], unseen: 0, loading: false, failed: false, fetching: false };
  const notification = {
    id: 'a',
    message: 'Hello',
    created_at: '2026-06-21T12:00:00.000Z',
    seen_at: null,
    actioned_at: null,
    metadata: {},
  };
  renderPage(<BellList inbox={inbox} />);
  expect(await screen.findByRole('link', { name: 'Get these on this device' })).toBeDefined();
  cleanup();
  await show(<BellList inbox={{ ...inbox, notifications: [notification] }} />);
  expect(hint()).toBeNull();
});
