import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { app, auth, bob, open, useEmptyTab } from '#test/render-app.tsx';
import { ada, run, success } from '#test/render-page.tsx';
import { beginSession } from '#web/first/session.ts';
import { compareClocks, serverTime } from '#wire/server-time.ts';

useEmptyTab();
afterEach(() => {
  vi.useRealTimers();
  compareClocks(new Date().toUTCString());
});

const hour = 3_600_000;
const day = 24 * hour;

/** Opens an event on a device whose clock is wrong. All times are milliseconds from now. */
async function openEvent(device: number, start: number, end: number): Promise<void> {
  const now = Date.now();
  const at = (time: number) => new Date(now + time).toISOString();
  vi.useFakeTimers({ toFake: ['Date'], now: now + device });
  const event = { ...run, start_time: at(start), end_time: at(end), entry_until_time: at(start) };
  app.responses['GET /api/v1/users'] = () => success({ ...bob, clubs: ada.clubs });
  app.responses['GET /api/v1/events/tuesday-run'] = () => success(event);
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    response.headers.set('date', new Date(now).toUTCString());
    return response;
  });
  beginSession(auth);
  await open('/app/events/tuesday-run');
  await screen.findByRole('heading', { level: 1, name: run.name });
}

const canAttend = () => screen.queryAllByRole('button', { name: /^Attend Event/ }).length > 0;

test.each([-day, 0, day])(
  'what is over and what is open follows the clock of the server on a device that is wrong by %i ms [ROBUST-10]',
  async (device) => {
    await openEvent(device, hour, 2 * hour);
    expect(canAttend()).toBe(true);
  },
);

test.each([-day, 0, day])(
  'an event that is over offers no sign-up on a device that is wrong by %i ms [ROBUST-10]',
  async (device) => {
    await openEvent(device, -2 * hour, -hour);
    expect(canAttend()).toBe(false);
  },
);

test('a difference of seconds, or a response without a date, is ignored [ROBUST-10]', () => {
  const device = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: device });
  compareClocks(new Date(device + 9_000).toUTCString());
  expect(serverTime()).toBe(device);
  compareClocks(new Date(device - day).toUTCString());
  compareClocks(null);
  compareClocks('soon');
  expect(Math.abs(serverTime() - (device - day))).toBeLessThan(1000);
});
