import { act, cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { backgroundOf } from '#ui/identity.ts';
import { queries, queryClient } from '#web/queries.ts';
import {
  ada,
  card,
  confirm,
  expectToast,
  failure,
  press,
  renderPage,
  server,
  success,
} from '#test/render-page.tsx';
import HomePage from './HomePage.tsx';
import { weekly } from '#test/new-series.ts';

const now = instant(Date.now());
const event = (name: string, inHours: number, more: Partial<EventCard> = {}): EventCard => {
  const start_time = addSeconds(now, inHours * 3600);
  const times = { start_time, end_time: addSeconds(start_time, 3600), entry_until_time: start_time };
  return { ...card, id: name, slug: name.toLowerCase().replaceAll(' ', '-'), name, ...times, ...more };
};

const going = { my_role: 'attendee', my_answer: 'going' } as const;
const attended = [event('Third', 72, going), event('First', 24, going), event('Last', 168, going)];
const open = event('Open run', 48, { user_count: 2 });

function show({ attending = attended, ofMyClubs = [...attended, open], user = ada } = {}) {
  queryClient.setQueryData(queries.attending().queryKey, attending);
  queryClient.setQueryData(queries.ofMyClubs().queryKey, ofMyClubs);
  return renderPage(<HomePage />, { user, path: '/app', route: '/app' });
}

const names = (list: string) =>
  within(screen.getByRole('region', { name: new RegExp(`^${list}`) }))
    .queryAllByRole('heading', { level: 3 })
    .map(({ textContent }) => textContent);

const button = (name: string) => screen.getByRole('button', { name });

test('home: lists the events that need an answer, and the attended events sorted by soonest or furthest [HOME-05 HOME-06 HOME-10 HOME-11 HOME-12 HOME-13]', async () => {
  show();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Welcome, Ada');
  expect(screen.queryByText('Join or create a club to get started!')).toBeNull();
  expect(names('Events Attending')).toEqual(['First', 'Third', 'Last']);
  await userEvent.click(screen.getByLabelText('Furthest'));
  expect(names('Events Attending')).toEqual(['Last', 'Third', 'First']);
  await userEvent.click(screen.getByLabelText('Soonest'));
  expect(names('Events Attending')).toEqual(['First', 'Third', 'Last']);
  expect(names('Needs your answer')).toEqual(['Open run']);
});

const toConfirm = { ...going, must_confirm: true, asked_about: 'time' } as const;
const nothing = { my_role: null, my_answer: null } as const;
const several = (count: number) => Array.from({ length: count }, (_, at) => event(`${at + 1}. run`, 10 + at));

test.each([
  [
    'answered events',
    [event('A', 1, { my_answer: 'no' }), event('B', 1, { my_answer: 'maybe' }), event('C', 1, going)],
  ],
  ['events that are closed', [event('A', 1, { entry_until_time: now })]],
  ['cancelled events', [event('A', 1, { deleted_at: now })]],
  [
    'cancelled and past events with an answer to confirm',
    [event('A', 1, { ...toConfirm, deleted_at: now }), event('B', 1, { ...toConfirm, end_time: now })],
  ],
  ['events that the user hosts', [event('A', 1, { my_role: 'organiser', my_answer: 'going' })]],
])('home: the list of events that need an answer is absent for %s [ANSWER-20]', (_, ofMyClubs) => {
  show({ ofMyClubs });
  expect(screen.queryByRole('region', { name: /^Needs your answer/ })).toBeNull();
});

test('home: the soonest five events without an answer are listed above the attended events, and the others below [ANSWER-20]', () => {
  const may = event('May come', 200, { ...nothing, my_answer: 'maybe' });
  show({ ofMyClubs: [...several(7).toReversed(), ...attended, may, event('No', 3, { my_answer: 'no' })] });
  expect(names('Needs your answer')).toEqual(['1. run', '2. run', '3. run', '4. run', '5. run']);
  expect(names('Coming up in your clubs')).toEqual(['6. run', '7. run', 'May come']);
  const heads = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
  expect(heads.slice(1)).toEqual(['Needs your answer', 'Events Attending3', 'Coming up in your clubs']);
});

test('home: the attended events include events on whose waitlist the user is, tagged Waitlist [ANSWER-20]', () => {
  show({ attending: [event('Mine', 24, going), event('Full', 48, { my_answer: 'waiting', seats_left: 0 })] });
  const list = screen.getByRole('region', { name: /^Events Attending/ });
  const [mine, full] = within(list).getAllByRole('article');
  expect([mine?.textContent, full?.textContent]).toEqual([
    expect.not.stringContaining('Waitlist'),
    expect.stringContaining('Waitlist'),
  ]);
});

test('home: an event with an answer to confirm is listed as needing an answer, even after the cut-off [ANSWER-20]', () => {
  const moved = event('Moved', 1, { ...toConfirm, entry_until_time: now });
  const hosted = event('Hosted', 3, { ...toConfirm, my_role: 'organiser' });
  const maybe = event('May come', 2, { ...toConfirm, my_role: null, my_answer: 'maybe' });
  show({ attending: [moved, hosted], ofMyClubs: [hosted, maybe, moved, ...several(3)] });
  expect(names('Needs your answer')).toEqual(['Moved', 'May come', 'Hosted', '1. run', '2. run']);
  expect(names('Coming up in your clubs')).toEqual(['3. run']);
  expect(names('Events Attending')).toEqual(['Moved', 'Hosted']);
  expect(screen.getAllByText('Please confirm')).toHaveLength(5);
});

test('home: a confirmed event stays in its list, and an event that moves afterwards has to be confirmed [ANSWER-20]', async () => {
  const [moved, later] = [event('Moved', 1, toConfirm), event('Later', 30, going)];
  show({ attending: [], ofMyClubs: [moved, later] });
  expect(names('Needs your answer')).toEqual(['Moved']);
  act(() => {
    queryClient.setQueryData(queries.ofMyClubs().queryKey, [
      { ...moved, must_confirm: false },
      { ...later, must_confirm: true },
    ]);
  });
  await vi.waitFor(() => expect(names('Needs your answer')).toEqual(['Moved', 'Later']));
  expect(screen.getAllByText('Please confirm')).toHaveLength(1);
});

const question = 'Please confirm: the time has changed';

test.each([
  ["I'm going", 'going'],
  ['Maybe', 'maybe'],
  ["Can't go", 'no'],
])(
  'home: the row of a moved event shows the earlier answer; pressing "%s" saves this as the answer and moves the focus to the link [CALL-09]',
  async (label, answer) => {
    show({ attending: [], ofMyClubs: [event('Moved', 30, toConfirm), open] });
    const group = await screen.findByRole('group', { name: question });
    expect(group.textContent).toContain("You said you're going.");
    expect(within(group).getAllByRole('button')).toHaveLength(3);
    server.respond = () => success({ my_answer: answer, my_role: null, user_count: 1 });
    await userEvent.click(within(group).getByRole('button', { name: label }));
    await vi.waitFor(() => expect(screen.queryByRole('group', { name: question })).toBeNull());
    expect(server.sent[0]).toEqual({ call: 'PUT /api/v1/events/moved/answer', body: { answer } });
    expect(document.activeElement?.textContent).toBe('Moved');
  },
);

test('home: an event to confirm shows its question once, in the list of events that need an answer [CALL-09 ANSWER-20]', async () => {
  const moved = event('Moved', 30, toConfirm);
  show({ attending: [moved, ...attended], ofMyClubs: [moved, ...attended] });
  const group = await screen.findByRole('group', { name: question });
  const [above, below] = screen
    .getAllByRole('link', { name: 'Moved' })
    .map((link) => link.closest('article'));
  expect(above?.contains(group)).toBe(true);
  expect(below?.textContent).toContain('Please confirm');
  expect(within(below as HTMLElement).queryByRole('button')).toBeNull();
});

test('home: an attended event that does not fit into the list of events that need an answer shows its question among the attended events [CALL-09]', async () => {
  const moved = event('Moved', 30, toConfirm);
  show({ attending: [moved], ofMyClubs: [...several(5), moved] });
  expect(names('Needs your answer')).not.toContain('Moved');
  const attending = within(screen.getByRole('region', { name: /^Events Attending/ }));
  expect(await attending.findByRole('group', { name: question })).toBeDefined();
});

test('home: a row whose answer is not saved keeps the question and says why [CALL-09]', async () => {
  show({ attending: [], ofMyClubs: [event('Moved', 30, toConfirm)] });
  server.respond = () => failure(500);
  await press('Maybe');
  const group = await screen.findByRole('group', { name: question });
  await vi.waitFor(() => expect(within(group).getByRole('alert').textContent).not.toBe(''));
});

test('home: a row without an answer to confirm asks nothing [CALL-09]', () => {
  show();
  expect(screen.queryByText(/^Please confirm/)).toBeNull();
});

test('home: a series has one row in each list, at the position of its next date [SERIES-20]', async () => {
  const series = { ...weekly, slug: 'runs' };
  const dates = (more: object) =>
    Array.from({ length: 9 }, (_, at) => event(`Date ${at + 1}`, 11 + at * 168, { series, ...more }));
  const [next, ...later] = dates(nothing) as [EventCard, ...EventCard[]];
  show({
    attending: [...dates(going), event('After', 2000, going)],
    ofMyClubs: [...several(7), next, ...later].toSorted((a, b) => a.start_time.localeCompare(b.start_time)),
  });
  expect(names('Needs your answer')).toEqual(['1. run', '2. run', 'Date 1', '3. run', '4. run']);
  expect(names('Events Attending')).toEqual(['Date 1', 'After']);
  await userEvent.click(screen.getByLabelText('Furthest'));
  expect(names('Events Attending')).toEqual(['After', 'Date 1']);
  expect(screen.getAllByRole('button', { name: '8 more dates' }).length).toBe(2);
});

test('home: shows the personal calendar and a column of the clubs, with a crown for admins and a link to create a club [CLUB-36 HOME-08 HOME-09 HOME-14 HOME-15]', async () => {
  const observer = class {
    observe() {}
    disconnect() {}
  };
  vi.stubGlobal('ResizeObserver', observer);
  show();
  await userEvent.hover(button('My Calendar'));
  expect((await screen.findByRole('tooltip')).textContent).toBe('Add events to you calendar');
  const links = within(screen.getByRole('region', { name: /^Clubs/ })).getAllByRole('link');
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/app/clubs/rowers', '/app/new-club']);
  for (const text of ['Harbour Rowers', 'You are an admin of this club'])
    expect(links[0]?.textContent).toContain(text);
});

test('home: a club has its own initials and colour [UX-36]', () => {
  show();
  const avatar = document.querySelector('[data-initials=HR]')?.parentElement;
  expect(avatar?.className).toContain(backgroundOf('id-of-rowers'));
});

test('home: a row shows the name of the club if the user is in several clubs [UX-08]', () => {
  show();
  for (const row of screen.getAllByRole('article')) expect(row.textContent).not.toContain('Harbour Rowers');
  cleanup();
  const [club] = ada.clubs;
  show({
    user: { ...ada, clubs: [...ada.clubs, { ...club, id: 'another', slug: 'another' } as ClubOfUser] },
  });
  for (const row of screen.getAllByRole('article')) expect(row.textContent).toContain('· Harbour Rowers');
});

test('home: greets a user without a first name with the email address [HOME-07]', () => {
  show({ user: { ...ada, first_name: '' } });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Welcome, ada@example.org');
});

test.each([
  ['attending', 'users/events', 'Events Attending', 'Nothing planned yet'],
  ['ofMyClubs', 'users/clubs/events', 'Needs your answer', 'First'],
] as const)(
  'home: if the query of %s fails with 500, its list is empty [API-11 API-12 API-13 API-14]',
  async (list, path, title, shown) => {
    const called: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      called.push(url);
      return failure(500);
    });
    const events = await queryClient.fetchQuery(queries[list]());
    expect(called).toEqual([`/api/v1/${path}`]);
    show({ [list]: events });
    expect(screen.getByRole('heading', { name: /^Events Attending/ })).toBeDefined();
    expect(screen.getByText(shown)).toBeDefined();
    const region = screen.queryByRole('region', { name: new RegExp(`^${title}`) });
    expect(region && within(region).queryAllByRole('article')).toEqual(list === 'attending' ? [] : null);
  },
);

test('row: attending is shown at once, keeps the row in its list and the focus on the button, and can be taken back [UX-06]', async () => {
  const response = Promise.withResolvers<Response>();
  server.respond = () => response.promise;
  const router = show();
  await press('Attend Event: Open run');
  const pressed = await screen.findByRole('button', { name: 'Attending: Open run' });
  expect(document.activeElement).toBe(pressed);
  expect(pressed.closest('article')?.textContent).toContain('3 going');
  await press('Attending: Open run');
  await expectToast('Slow Down', 'You are performing this action too quickly');
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/open-run/attend', body: {} }]);
  response.resolve(success({ my_role: 'attendee', user_count: 4 }));
  await vi.waitFor(() => expect(pressed.closest('article')?.textContent).toContain('4 going'));
  expect(names('Needs your answer')).toEqual(['Open run']);
  expect(router.state.location.pathname).toBe('/app');

  server.respond = () => success({ my_role: null, my_answer: 'no', user_count: 3 });
  // Clicks are ignored for a second after a response.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await press('Attending: Open run');
  await confirm('Unattend');
  await screen.findByRole('button', { name: "Can't go: Open run" });
  expect(document.activeElement).toBe(pressed);
  expect(names('Needs your answer')).toEqual(['Open run']);
  expect(server.sent.at(-1)?.call).toBe('POST /api/v1/events/open-run/unattend');
});

test('home: an event that is attended in the lower list does not move when it also appears in the list above [UX-06]', async () => {
  const scrollBy = vi.fn();
  vi.stubGlobal('scrollBy', scrollBy);
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(
    () => ({ top: 100 * names('Events Attending').length }) as DOMRect,
  );
  show({ ofMyClubs: several(6) });
  act(() => void queryClient.setQueryData(queries.attending().queryKey, [...attended, open]));
  await vi.waitFor(() => expect(names('Events Attending')).toHaveLength(4));
  expect(scrollBy.mock.calls).toEqual([[0, 100]]);
});

test('row: an error shows the toast, and the reason in the row [UX-06 TOAST-21]', async () => {
  const message = 'Sign-up for this event has closed.';
  server.respond = () =>
    Response.json({ data: null, status: 409, error: 'event_closed', message }, { status: 409 });
  show();
  await press('Attend Event: Open run');
  await expectToast('Error', 'An error occurred while trying to attend event');
  const row = button('Attend Event: Open run').closest('article') as HTMLElement;
  expect(within(row).getByRole('alert').textContent).toBe(message);
  expect(row.textContent).toContain('2 going');
});

test('row: while offline, says in place that it needs a network, and sends nothing [UX-34]', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  show();
  await press('Attend Event: Open run');
  expect(screen.getByRole('alert').textContent).toBe("You're offline. Try again when you're connected.");
  expect(server.sent).toEqual([]);
});
