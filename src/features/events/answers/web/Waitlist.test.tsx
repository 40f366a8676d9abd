import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Event } from '#features/events/contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import { ada, confirm, press, renderPage, run, server, success } from '#test/render-page.tsx';
import EventPage from '#features/events/pages/web/EventPage.tsx';

// Preloaded, because the page imports the dialog when it first asks, which takes long on a busy machine.
await import('./UnattendDialog.tsx');

const host: Attendee = { ...ada, attendee_id: 'id-of-ada', attendee_role: 'organiser', guests: 0 };
const person = (first_name: string): Attendee => ({
  ...host,
  attendee_id: `id-of-${first_name.toLowerCase()}`,
  attendee_role: 'attendee',
  first_name,
});
const [bob, cyd, dan] = [person('Bob'), person('Cyd'), person('Dan')];
const asBob = {
  ...ada,
  id: 'id-of-bob',
  first_name: 'Bob',
  clubs: ada.clubs.map((club) => ({ ...club, club_role: 0 as const })),
};

const open = { capacity: 5, attendees: [host], user_count: 1, seats_left: 3 } satisfies Partial<Event>;
const full = { ...open, seats_left: 0, guest_count: 4, waiting_count: 2, waiting: [cyd, dan] };
const waiting = {
  ...full,
  my_answer: 'waiting',
  my_place: 2,
  waiting_count: 3,
  waiting: [cyd, bob, dan],
} satisfies Partial<Event>;
const closed = { entry_until_time: '2026-01-01T00:00:00.000Z' };

const show = (event: Partial<Event>, user: typeof ada = asBob) =>
  renderPage(<EventPage />, {
    route: '/app/events/:slug',
    path: '/app/events/tuesday-run',
    user,
    event: { ...run, ...event },
  });

const button = (name: string | RegExp) => screen.queryByRole<HTMLButtonElement>('button', { name });
const seats = () => screen.getByRole('heading', { name: 'Attendees' }).parentElement?.textContent;
const status = () =>
  screen
    .getAllByRole('status')
    .map(({ textContent }) => textContent)
    .join();
const answers = () =>
  within(screen.getByRole('group', { name: 'Your answer' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent);
const unattend = { call: 'POST /api/v1/events/tuesday-run/unattend', body: {} };

test.each([
  ['seats left', open, 'Attend Event', '3 seats left', false],
  ['one seat left', { ...open, seats_left: 1 }, 'Attend Event', '1 seat left', false],
  ['no seat left', { ...full, waiting_count: 0, waiting: [] }, 'Join waitlist', 'Full', false],
  ['others waiting', full, 'Join waitlist (2 ahead)', 'Full', false],
  ['a seat that others wait for', { ...full, seats_left: 1 }, 'Join waitlist (2 ahead)', 'Full', false],
  ['no seat left and no waitlist', { ...full, waitlist: false }, 'Full', 'Full', true],
] satisfies [string, Partial<Event>, string, string, boolean][])(
  'seats: with %s, the button says "$2" and the list of attendees says "$3" [SEATS-13]',
  (_, event, label, words, disabled) => {
    show(event);
    expect(answers()).toEqual([label, 'Maybe', "Can't go"]);
    expect(button(label)?.disabled).toBe(disabled);
    expect(seats()).toContain(words);
  },
);

test('seats: admins and the host see how many seats are taken, other members only that the event is full [SEATS-10]', () => {
  const crowded = { ...full, capacity: 20, user_count: 20, guest_count: 4 };
  show(crowded, ada);
  expect(seats()).toContain('24 of 20 seats');
  cleanup();
  show({ ...crowded, my_role: 'organiser', my_answer: 'going' });
  expect(seats()).toContain('24 of 20 seats');
  cleanup();
  show(crowded);
  expect(seats()).toContain('Full');
  expect(seats()).not.toContain('of 20');
});

test('seats: an event without a limit says nothing about seats', () => {
  show({ attendees: [host], user_count: 1 });
  expect(seats()).not.toMatch(/seat|Full|waitlist/);
  expect(screen.queryByRole('list', { name: 'Waitlist' })).toBeNull();
});

test('waitlist: joining shows the expected place at once, and then the place in the response [SEATS-13]', async () => {
  const response = Promise.withResolvers<Response>();
  server.respond = () => response.promise;
  show(full);
  await press('Join waitlist (2 ahead)');
  await vi.waitFor(() => expect(status()).toContain('You are 3rd on the waitlist.'));
  expect(answers()).toEqual(['Leave waitlist', 'Maybe']);
  expect(server.sent).toEqual([{ call: 'POST /api/v1/events/tuesday-run/attend', body: {} }]);
  response.resolve(
    success({
      my_answer: 'waiting',
      my_role: null,
      my_guests: 0,
      my_place: 5,
      user_count: 1,
      waiting_count: 5,
    }),
  );
  await vi.waitFor(() => expect(status()).toContain('You are 5th on the waitlist.'));
});

test('waitlist: members see the waitlist in order, numbered [SEATS-13 ANSWER-16]', () => {
  show({ ...waiting, maybe: [person('Eve')], maybe_count: 1, no_count: 3, silent_count: 2 });
  expect(status()).toContain('You are 2nd on the waitlist.');
  const list = screen.getByRole('list', { name: 'Waitlist' });
  expect(list.tagName).toBe('OL');
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['1.Cyd', '2.Bob (you)', '3.Dan']);
  expect(within(screen.getByRole('list', { name: 'Maybe' })).getByText('Eve')).toBeDefined();
  expect(seats()).toContain("3 on the waitlist · 3 can't go · 2 haven't answered");
});

test.each([
  ['Leave waitlist', 'Leave the waitlist?', 'Leave waitlist', unattend],
  [
    'Maybe',
    'Change to maybe?',
    'Change to maybe',
    { call: 'PUT /api/v1/events/tuesday-run/answer', body: { answer: 'maybe' } },
  ],
])(
  'waitlist: "%s" asks for confirmation, because the member loses the place [SEATS-13]',
  async (name, title, label, call) => {
    server.respond = () => success({ my_answer: 'no', my_role: null, my_place: null, user_count: 1 });
    show(waiting);
    await press(name);
    const dialog = await screen.findByRole('alertdialog', { name: title });
    expect(dialog.textContent).toContain(
      "You'll lose your place for Tuesday run. If you come back, you'll be last.",
    );
    await confirm('Keep waiting');
    expect(server.sent).toEqual([]);
    await press(name);
    await confirm(label);
    await vi.waitFor(() => expect(server.sent).toEqual([call]));
  },
);

test('waitlist: after the cut-off, members can still leave it, and read that only the hosts can give them a seat', async () => {
  show({ ...waiting, ...closed });
  expect(status()).toContain('Sign-up has closed, so only the hosts can give you a seat.');
  expect(button('Event Over')?.disabled).toBe(true);
  await press('Leave waitlist');
  await confirm('Leave waitlist');
  await vi.waitFor(() => expect(server.sent).toEqual([unattend]));
});

const goes = {
  ...full,
  my_role: 'attendee',
  my_answer: 'going',
  attendees: [host, bob],
} satisfies Partial<Event>;

test.each([
  ['Maybe', 'Change to maybe?'],
  ["Can't go", 'Stop attending?'],
])(
  'answers: changing from Attending to "%s" asks for confirmation, and says who gets the seat [ANSWER-04]',
  async (name, title) => {
    show(goes);
    await press(name);
    const dialog = await screen.findByRole('alertdialog', { name: title });
    expect(dialog.textContent).toContain('Your seat goes to the next person on the waitlist at once.');
    await confirm('Keep attending');
    cleanup();
    show({ ...goes, waiting_count: 0, waiting: [] });
    await press(name);
    expect((await screen.findByRole('alertdialog', { name: title })).textContent).not.toContain(
      'next person',
    );
    expect(server.sent).toEqual([]);
  },
);

const more = () => screen.getByRole<HTMLButtonElement>('button', { name: 'More' });

test('guests: a member who is going can add guests only while seats are free and nobody waits', () => {
  show({ ...goes, guests_max: 3 });
  expect(more().disabled).toBe(true);
  expect(screen.getByText('There are no free seats for more.')).toBeDefined();
  cleanup();
  show({ ...goes, guests_max: 3, seats_left: 1, waiting_count: 0, waiting: [] });
  expect(more().disabled).toBe(false);
});

const tick = () =>
  screen.getByRole<HTMLInputElement>('checkbox', { name: "Others may go first if we don't all fit" });

test('waitlist: a member with guests can tick that others may go first, a member without guests cannot [SEATS-06]', async () => {
  show({ ...waiting, guests_max: 3 });
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.getByText('With more guests you go to the end of the waitlist.')).toBeDefined();
  expect(more().disabled).toBe(false);
  cleanup();
  server.respond = () => success({ my_answer: 'waiting', my_place: 2 });
  show({ ...waiting, guests_max: 3, my_guests: 2 });
  expect(tick().checked).toBe(false);
  await userEvent.click(tick());
  expect(server.sent).toEqual([
    { call: 'PUT /api/v1/events/tuesday-run/answer', body: { answer: 'going', lets_pass: true } },
  ]);
  await vi.waitFor(() => expect(tick().checked).toBe(true));
});

test('waitlist: saving a note keeps the place on the waitlist', async () => {
  show(waiting);
  await userEvent.click(screen.getByText('Note to the hosts', { selector: 'summary' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Note to the hosts' }), 'By bike');
  await userEvent.tab();
  await vi.waitFor(() =>
    expect(server.sent).toEqual([
      { call: 'PUT /api/v1/events/tuesday-run/answer', body: { answer: 'going', note: 'By bike' } },
    ]),
  );
});
