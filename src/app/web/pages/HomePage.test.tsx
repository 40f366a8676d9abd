import { act, cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { hueOf } from '#wire/hue.ts';
import { toasts } from '#ui/toast.ts';
import { queries, queryClient } from '#web/queries.ts';
import { ada, card, expectToast, failure, press, renderPage, server, success } from '#test/render-page.tsx';
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

test("home: 'I'm away…' leads to the absences [AWAY-02]", () => {
  show();
  expect(screen.getByRole('link', { name: "I'm away…" }).getAttribute('href')).toBe('/app/away');
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
  [
    'polls in which the user voted, that are closed, or that the user hosts',
    [
      event('A', 1, { polling: true, has_voted: true }),
      event('B', 1, { polling: true, entry_until_time: now }),
      event('C', 1, { polling: true, my_role: 'organiser', my_answer: 'going' }),
    ],
  ],
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
  expect(heads).toEqual([
    'First',
    'Needs your answer',
    'Clubs1',
    'Events Attending3',
    'Coming up in your clubs',
  ]);
});

test('home: a poll in which the user has not voted needs an answer, and its row leads to the vote [ANSWER-20]', () => {
  show({ ofMyClubs: [event('Social', 60, { polling: true, time_count: 3, user_count: 1 }), open] });
  expect(names('Needs your answer')).toEqual(['Open run', 'Social']);
  const row = screen.getByRole('heading', { name: 'Social' }).closest('article') as HTMLElement;
  const vote = within(row).getByRole('link', { name: 'Vote: Social' });
  expect(vote.getAttribute('href')).toBe('/app/events/social');
  expect(within(row).queryByRole('button')).toBeNull();
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
  expect(names('Events Attending')).toEqual([]);
  expect(screen.queryByText('Nothing planned yet')).toBeNull();
  expect(screen.getByText('What you are going to needs your answer above.')).toBeDefined();
  expect(screen.getAllByText('Please confirm')).toHaveLength(3);
});

test('home: an event that has to be confirmed is in one list only, and moves to the other one once it is confirmed [ANSWER-20 HOMEUX-02]', async () => {
  const [moved, later] = [event('Moved', 1, toConfirm), event('Later', 30, going)];
  show({ attending: [moved, later], ofMyClubs: [moved, later] });
  expect([names('Needs your answer'), names('Events Attending')]).toEqual([['Moved'], ['Later']]);
  const changed = [
    { ...moved, must_confirm: false },
    { ...later, must_confirm: true },
  ];
  act(() => {
    for (const list of [queries.attending(), queries.ofMyClubs()])
      queryClient.setQueryData(list.queryKey, changed);
  });
  await vi.waitFor(() => expect(names('Needs your answer')).toEqual(['Later']));
  expect(names('Events Attending')).toEqual(['Moved']);
});

const question = 'Please confirm: the time has changed';

test.each([
  ["I'm going", 'going'],
  ['Maybe', 'maybe'],
  ["Can't go", 'no'],
])(
  'home: the row of a moved event shows the earlier answer; pressing "%s" saves this as the answer, offers to undo it and moves the focus to the next row [CALL-09 HOMEUX-02]',
  async (label, answer) => {
    show({ attending: [], ofMyClubs: [event('Moved', 30, toConfirm), open] });
    const group = await screen.findByRole('group', { name: question });
    expect(group.textContent).toContain("You said you're going.");
    expect(within(group).getAllByRole('button')).toHaveLength(3);
    server.respond = () =>
      success({ my_answer: answer, my_role: null, must_confirm: false, undo_answer: 'token' });
    await userEvent.click(within(group).getByRole('button', { name: label }));
    await vi.waitFor(() => expect(screen.queryByRole('group', { name: question })).toBeNull());
    expect(server.sent[0]).toEqual({ call: 'PUT /api/v1/events/moved/answer', body: { answer } });
    expect(document.activeElement?.textContent).toBe('Open run');
    expect(undoButton()).toBeDefined();
  },
);

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
  const dates = (name: string, more: object) =>
    Array.from({ length: 9 }, (_, at) => event(`${name} ${at + 1}`, 11 + at * 168, { series, ...more }));
  const [next, ...later] = dates('Date', nothing) as [EventCard, ...EventCard[]];
  show({
    attending: [...dates('Row', going), event('After', 2000, going)],
    ofMyClubs: [...several(7), next, ...later].toSorted((a, b) => a.start_time.localeCompare(b.start_time)),
  });
  expect(names('Needs your answer')).toEqual(['1. run', '2. run', 'Date 1', '3. run', '4. run']);
  expect(names('Events Attending')).toEqual(['Row 1', 'After']);
  await userEvent.click(screen.getByLabelText('Furthest'));
  expect(names('Events Attending')).toEqual(['After', 'Row 1']);
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
  expect(avatar?.dataset['hue']).toBe(`${hueOf('id-of-rowers')}`);
});

const twoClubs = {
  ...ada,
  clubs: [...ada.clubs, { ...ada.clubs[0], id: 'another', slug: 'another' } as ClubOfUser],
};

test('home: a row begins with the avatar of the club, and shows its name, if the user is in several clubs [UX-08 HOMEUX-03]', () => {
  show();
  for (const row of screen.getAllByRole('article')) expect(row.textContent).not.toContain('Harbour Rowers');
  expect(screen.queryByRole('img', { name: 'Harbour Rowers' })).toBeNull();
  cleanup();
  show({ user: twoClubs });
  for (const row of screen.getAllByRole('article')) {
    expect(row.textContent).toContain('· Harbour Rowers');
    expect(within(row).getByRole('img', { name: 'Harbour Rowers' }).className).toContain('shrink-0');
  }
});

test('home: greets a user without a first name with the email address [HOME-07]', () => {
  show({ user: { ...ada, first_name: '' } });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Welcome, ada@example.org');
});

test.each([
  ['attending', 'users/events', 'Events Attending', 'Nothing planned yet'],
  ['ofMyClubs', 'users/clubs/events', 'Needs your answer', 'Third'],
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

/** The button in the toast. */
function undoButton(): HTMLElement {
  render(<>{toasts().find(({ open }) => open)?.text}</>);
  return button('Undo');
}

const saved = (my_answer: 'going' | 'waiting' | 'no' | null, more: object = {}) =>
  success({ my_answer, my_role: null, must_confirm: false, undo_answer: 'token', ...more });

test.each([
  ['Going', 'going', 'going', "You're going to Open run."],
  ["Can't go", 'no', 'no', "You can't go to Open run."],
  ['Going', 'going', 'waiting', 'Open run is full. You are on the waitlist.'],
] as const)(
  'home: "%s" in a row that needs an answer saves "%s", shown as "%s"; the row leaves the list, and comes back after an undo [HOMEUX-02 UX-06]',
  async (label, answer, shown, title) => {
    const response = Promise.withResolvers<Response>();
    server.respond = () => response.promise;
    const router = show({ ofMyClubs: [open, event('Later', 60)] });
    await press(`${label}: Open run`);
    // The row stays until the answer is saved.
    expect(button(`${label}: Open run`).getAttribute('aria-busy')).toBe('true');
    response.resolve(saved(shown));
    await vi.waitFor(() => expect(names('Needs your answer')).toEqual(['Later']));
    expect(document.activeElement?.textContent).toBe('Later');
    expect(toasts().find((toast) => toast.open)?.title).toBe(title);
    expect(server.sent).toEqual([{ call: 'PUT /api/v1/events/open-run/answer', body: { answer } }]);

    server.respond = () => saved(null);
    await userEvent.click(undoButton());
    await vi.waitFor(() => expect(names('Needs your answer')).toEqual(['Open run', 'Later']));
    expect(server.sent.at(-1)).toEqual({
      call: 'POST /api/v1/events/open-run/answer/undo',
      body: { undo: 'token' },
    });
    expect(toasts().some((toast) => toast.open)).toBe(false);
    expect(router.state.location.pathname).toBe('/app');
  },
);

test('home: an undo that is refused says why, and the answer stays [HOMEUX-02]', async () => {
  server.respond = () => saved('no');
  show({ ofMyClubs: [open] });
  await press("Can't go: Open run");
  await vi.waitFor(() => expect(screen.queryByRole('region', { name: /^Needs your answer/ })).toBeNull());
  server.respond = () =>
    Response.json({ data: null, status: 412, error: 'changed_meanwhile' }, { status: 412 });
  await userEvent.click(undoButton());
  await expectToast("Your answer wasn't undone", 'It has changed since, or more than a minute has passed.');
  expect(screen.queryByRole('region', { name: /^Needs your answer/ })).toBeNull();
});

test('home: an event that is attended from the lower list leaves that list, which can be undone [UX-06 HOMEUX-02]', async () => {
  server.respond = () => saved('going', { my_role: 'attendee' });
  show({ ofMyClubs: several(7) });
  await press('Attend Event: 6. run');
  await vi.waitFor(() => expect(names('Coming up in your clubs')).toEqual(['7. run']));
  expect(document.activeElement?.textContent).toBe('7. run');
  expect(undoButton()).toBeDefined();
});

test('home: with Soonest, an event in progress comes first [HOMEUX-04]', () => {
  const camp = event('Camp', -50, { ...going, end_time: addSeconds(now, 90_000) });
  show({ attending: [...attended, camp] });
  expect(names('Events Attending')).toEqual(['Camp', 'First', 'Third', 'Last']);
});

const nextCard = () => screen.queryByRole('region', { name: 'Next' });
const nextName = () => within(nextCard() as HTMLElement).getByRole('heading').textContent;

test('home: begins with the next event, its time, place, people and the way there; the event stays in its list [HOMEUX-01 HOMEUX-02]', () => {
  const next = event('Night run', 20, { ...going, user_count: 9, location_name: 'Pier 3' });
  show({ attending: [next, event('Third', 72, going)], ofMyClubs: [] });
  const shown = nextCard() as HTMLElement;
  expect(nextName()).toBe('Night run');
  expect(shown.querySelector('time')?.textContent).toMatch(/^(Today|Tomorrow), \d+:\d\d [ap]m – /);
  for (const text of ['Pier 3', '9 going']) expect(within(shown).getByText(text)).toBeDefined();
  const links = within(shown).getAllByRole('link');
  expect(links.map((link) => link.textContent)).toEqual(['Night run', 'Open in Maps']);
  expect(within(shown).queryByText('Harbour Rowers')).toBeNull();
  expect(names('Events Attending')).toEqual(['Night run', 'Third']);
  const [first] = screen.getAllByRole('region');
  expect(first).toBe(shown);
});

const hosting = { my_role: 'organiser', my_answer: 'going' } as const;

test.each([
  ['Open in Maps', event('A', 2.1, hosting)],
  ['Check in', event('A', 1.9, hosting)],
  ['Check in', event('A', -0.5, hosting)],
  ['Open in Maps', event('A', 1.9, going)],
  [undefined, event('A', 1.9, { ...going, location_name: 'Online' })],
])('home: the button of the next event is "%s" for %j [HOMEUX-01]', (label, next) => {
  show({ attending: [next], ofMyClubs: [] });
  const [, action] = within(nextCard() as HTMLElement).getAllByRole('link');
  expect(action?.textContent).toBe(label);
  if (label === 'Check in') expect(action?.getAttribute('href')).toBe('/app/events/a/check-in');
});

test.each([
  ['is in more than two days', event('A', 50, going)],
  ['is cancelled', event('A', 1, { ...going, deleted_at: now })],
  ['has ended', event('A', -2, going)],
  ['has the user on its waitlist', event('A', 1, { my_answer: 'waiting' })],
  ['has no chosen time yet', event('A', 1, { ...hosting, polling: true })],
  ['began more than a day ago', event('A', -25, { ...going, end_time: addSeconds(now, 3600) })],
])('home: an event that %s is not the next one [HOMEUX-01]', (_, other) => {
  show({ attending: [other], ofMyClubs: [] });
  expect(nextCard()).toBeNull();
  cleanup();
  show({ attending: [other, event('B', 0.01, going)], ofMyClubs: [] });
  expect(nextName()).toBe('B');
});

test('row: an error shows the toast, and the reason in the row [UX-06 TOAST-21]', async () => {
  const message = 'Sign-up for this event has closed.';
  server.respond = () =>
    Response.json({ data: null, status: 409, error: 'event_closed', message }, { status: 409 });
  show();
  await press('Going: Open run');
  await expectToast('Error', 'An error occurred while trying to attend event');
  const row = button('Going: Open run').closest('article') as HTMLElement;
  expect(within(row).getByRole('alert').textContent).toBe(message);
  expect(row.textContent).toContain('2 going');
});

test('row: while offline, says in place that it needs a network, and sends nothing [UX-34]', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  show({ ofMyClubs: several(6) });
  await press('Attend Event: 6. run');
  expect(screen.getByRole('alert').textContent).toBe("You're offline. Try again when you're connected.");
  expect(server.sent).toEqual([]);
});
