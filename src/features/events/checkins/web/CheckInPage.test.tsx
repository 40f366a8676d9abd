import { act, cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { instant } from '#wire/instant.ts';
import { queryClient } from '#web/queries.ts';
import type { Expected } from '#features/events/checkins/contract.ts';
import type { Event as ClubEvent } from '#features/events/contract.ts';
import { fill, press, renderPage, run, server, success } from '#test/render-page.tsx';
import CheckInPage from './CheckInPage.tsx';

const person = (first_name: string, more: Partial<Expected> = {}): Expected => ({
  id: `id-of-${first_name}`,
  first_name,
  last_name: '',
  profile_picture_url: null,
  answer: 'going',
  guests: 0,
  came: null,
  can_call: false,
  ...more,
});

const inHours = (hours: number) => instant(Date.now() + hours * 3_600_000);
const soon = { start_time: inHours(1), end_time: inHours(2) };

// Each test has its own event, because unsent taps are stored per event.
let event: ClubEvent;
let number = 0;

function show(people: Expected[], more: Partial<ClubEvent> = {}) {
  queryClient.setQueryData(['checkIns', event.owner_club_id, event.id], {
    pages: [{ people, more: null }],
    pageParams: [undefined],
  });
  return renderPage(<CheckInPage />, {
    route: '/app/events/:slug/check-in',
    path: '/app/events/tuesday-run/check-in',
    event: { ...event, ...more },
  });
}

beforeEach(() => {
  number++;
  event = { ...run, ...soon, id: `event-${number}` };
  sessionStorage.clear();
});

const row = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) });
const isHere = (name: string) => row(name).getAttribute('aria-pressed') === 'true';
const sent = () => server.sent.map(({ body }) => (body as { users: unknown }).users);

/** The response of a server that has saved the last request. */
const save = () => success({ users: sent().at(-1) });

function goOnline(online: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(online);
  act(() => void window.dispatchEvent(new Event(online ? 'online' : 'offline')));
}

describe('check in', () => {
  test('one tap checks a person in, a second tap undoes this, and the count changes each time [CAME-02]', async () => {
    server.respond = save;
    show([person('Bob'), person('Cyd', { came: true })]);
    expect(screen.getByRole('status').textContent).toBe('Here 1 of 2');
    await userEvent.click(row('Bob'));
    await vi.waitFor(() => expect(sent()).toEqual([[{ user_id: 'id-of-Bob', came: true }]]));
    expect([isHere('Bob'), screen.getByRole('status').textContent]).toEqual([true, 'Here 2 of 2']);
    await userEvent.click(row('Bob'));
    await vi.waitFor(() => expect(sent()[1]).toEqual([{ user_id: 'id-of-Bob', came: null }]));
    expect([isHere('Bob'), screen.getByRole('status').textContent]).toEqual([false, 'Here 1 of 2']);
  });

  test('a phone beside a name calls the person, without checking them in [CONTACT-05]', async () => {
    show([person('Bob', { can_call: true }), person('Cyd')]);
    server.respond = () => success({ phone: '030 123456' });
    const assign = vi.fn<(path: string) => void>();
    vi.stubGlobal('location', { href: location.href, origin: location.origin, assign });
    await press('Call Bob');
    await screen.findByRole('link', { name: 'Call Bob, 030 123456' });
    expect([isHere('Bob'), screen.queryByRole('button', { name: 'Call Cyd' })]).toEqual([false, null]);
    expect(assign.mock.calls).toEqual([['tel:030123456']]);
  });

  test('search finds people on the list and other members of the club [CAME-02]', async () => {
    queryClient.setQueryData(['checkIns', event.owner_club_id, event.id, 'da'], {
      pages: [{ people: [person('Dan', { answer: null })], more: null }],
      pageParams: [undefined],
    });
    show([person('Bob'), person('Ida')]);
    await fill('Find a member', 'da');
    await screen.findByRole('button', { name: /^Dan.*Not signed up/ });
    expect(
      within(screen.getByRole('list', { name: 'People' }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual([expect.stringContaining('Ida'), expect.stringContaining('Dan')]);
  });

  test('taps while offline are kept, and the last one of each person is sent when the network is back [CAME-02]', async () => {
    show([person('Bob'), person('Cyd')]);
    goOnline(false);
    await userEvent.click(row('Bob'));
    await userEvent.click(row('Cyd'));
    await userEvent.click(row('Cyd'));
    await screen.findByText("2 taps aren't sent yet");
    expect([isHere('Bob'), isHere('Cyd')]).toEqual([true, false]);
    // The taps also survive a reload of the page.
    cleanup();
    show([person('Bob'), person('Cyd')]);
    expect(isHere('Bob')).toBe(true);
    expect(sessionStorage.length).toBe(1);
    expect(sent()).toEqual([]);
    server.respond = save;
    goOnline(true);
    await vi.waitFor(() =>
      expect(sent()).toEqual([
        [
          { user_id: 'id-of-Bob', came: true },
          { user_id: 'id-of-Cyd', came: null },
        ],
      ]),
    );
    await vi.waitFor(() => expect(sessionStorage.length).toBe(0));
    expect(isHere('Bob')).toBe(true);
  });

  test('offline without a stored list, the page says that it needs a network, and still names the unsent taps [CAME-02]', async () => {
    show([person('Bob')]);
    goOnline(false);
    await userEvent.click(row('Bob'));
    cleanup();
    server.read = () => Promise.reject(new TypeError('Failed to fetch'));
    queryClient.clear();
    renderPage(<CheckInPage />, {
      route: '/app/events/:slug/check-in',
      path: '/app/events/tuesday-run/check-in',
      event,
    });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain("You're offline. Try again when you're connected.");
    screen.getByText("1 tap isn't sent yet");
    goOnline(true);
  });

  test('a rejected tap shows an error and is reverted', async () => {
    show([person('Bob')]);
    server.respond = () =>
      Response.json({ data: null, status: 409, error: 'check_in_closed' }, { status: 409 });
    await userEvent.click(row('Bob'));
    expect((await screen.findByRole('alert')).textContent).toMatch(/wasn't saved.*Check-in is open/);
    expect(isHere('Bob')).toBe(false);
  });

  test('after the start, one button marks everybody else as not here', async () => {
    server.respond = save;
    show([person('Bob', { came: true }), person('Cyd'), person('Dan')], { start_time: inHours(-1) });
    await press("2 people aren't here");
    await vi.waitFor(() =>
      expect(sent()).toEqual([
        [
          { user_id: 'id-of-Cyd', came: false },
          { user_id: 'id-of-Dan', came: false },
        ],
      ]),
    );
    expect(row('Cyd').textContent).toContain('Not here');
  });

  test('is closed outside of the check-in window', () => {
    show([person('Bob')], { start_time: inHours(3), end_time: inHours(4) });
    expect(screen.getByText("Check-in isn't open")).toBeDefined();
    expect(screen.queryByRole('list', { name: 'People' })).toBeNull();
  });
});
