import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import {
  ada,
  confirm,
  expectToast,
  failure,
  field,
  fill,
  press,
  renderPage,
  rowers,
  run,
  server,
  success,
} from '#test/render-page.tsx';
import type { Event, EventCard } from '#features/events/contract.ts';
import german from '#languages/de.json' with { type: 'json' };
import { inLook, setLook } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import NewEventPage from './NewEventPage.tsx';
import { weekly } from '#test/new-series.ts';

const ahead = '01/01/2099 10:00 AM';

addTranslations('de', german);
afterEach(() => {
  vi.useRealTimers();
  setLook({ language: 'en', clock: 'auto' });
});

const show = ({ role = 200, events = [] }: { role?: 0 | 200; events?: EventCard[] } = {}) =>
  renderPage(<NewEventPage />, {
    route: '/app/:slug/new-event',
    path: '/app/rowers/new-event',
    club: { ...rowers, my_club_role: role, events },
  });
/** An event of the rowers. */
const past = (start_time: string, time_zone: string): EventCard => ({
  ...run,
  start_time,
  time_zone,
  club_slug: 'rowers',
  faces: [],
});
const alertText = () => screen.getByRole('alert').textContent;
/** The times in words, as the form shows them. */
const words = () => screen.getByRole('status').textContent;
const enter = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

test('new event: opens with a start in the next five minutes, one hour long, and sign-up until the start [EVENTNEW-06 EVENTNEW-08 EVENTNEW-11]', () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  show();
  expect(field('Start').value).toBe('06/08/2027 07:30 PM');
  expect(field('Sign-up closes').value).toBe('06/08/2027 07:30 PM');
  expect(words()).toMatch(/^Tuesday 8 June 2027, 7:30 pm – 8:30 pm \(.+\) · month first$/);
});

test('new event: changing the start moves the time when sign-up closes, and changing the unit of the duration moves the end of the event [EVENTNEW-07 EVENTNEW-09 EVENTNEW-10]', () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  show();
  enter('Sign-up closes', '06/08/2027 07:00 PM');
  enter('Start', '06/09/2027 06:05 AM');
  expect(field('Sign-up closes').value).toBe('06/09/2027 06:05 AM');
  const unit = screen.getByRole('combobox', { name: 'Unit' });
  const ends = {
    minutes: '6:06 am',
    hours: '7:05 am',
    days: 'Thursday 10 June 2027, 6:05 am',
  };
  expect(
    within(unit)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(Object.keys(ends));
  for (const [value, end] of Object.entries(ends)) {
    fireEvent.change(unit, { target: { value } });
    expect(words()).toContain(`Wednesday 9 June 2027, 6:05 am – ${end} (`);
  }
});

const missing = ['Missing fields', 'Please complete all required fields'] as const;
const wrong = [
  'Form errors',
  'Please complete all required fields and ensure the start date is in the future',
] as const;
const inThePast = ['Start date error', 'The start date must be in the future'] as const;

test.each([
  ['', '', ahead, missing],
  ['Row', '', ahead, missing],
  ['', 'Pier', ahead, missing],
  ['Row', ' ', '01/01/2020 10:00 AM', wrong],
  ['', 'Pier', '01/01/2020 10:00 AM', wrong],
  ['Row', 'Pier', '01/01/2020 10:00 AM', inThePast],
  ['Row', 'Pier', 'next week', inThePast],
])(
  'new event: title "%s", location "%s" and start "%s" show the toast %j and send nothing [EVENTNEW-15 EVENTNEW-16 EVENTNEW-17 EVENTNEW-21 EVENTNEW-22 EVENTNEW-23 EVENTNEW-24]',
  async (title, location, start, [heading, text]) => {
    show();
    enter('Title', title);
    enter('Location', location);
    enter('Start', start);
    await press('Create Event');
    await expectToast(heading, text);
    expect(server.sent).toEqual([]);
  },
);

test('new event: needs no description, details or duration, and is sent only once while the button is busy [EVENTNEW-14 EVENTNEW-18 EVENTNEW-19 EVENTNEW-20]', async () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  const response = Promise.withResolvers<Response>();
  server.respond = () => response.promise;
  const router = show();
  await fill('Title', 'Row');
  await fill('Location', 'Pier');
  fireEvent.change(screen.getByRole('spinbutton', { name: 'Duration' }), { target: { value: '0' } });
  await press('Create Event');
  await confirm('Create Event');
  await press('Creating');
  const start = new Date(2027, 5, 8, 19, 30).toISOString();
  const body = { name: 'Row', description: '', details: '', start_time: start, end_time: start };
  expect(server.sent).toMatchObject([{ call: 'POST /api/v1/clubs/id-of-rowers/events', body }]);
  response.resolve(success({ id: 'e', slug: 'row', name: 'Row' }));
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers'));
});

test('new event: a failure shows an error and keeps the input [TOAST-20]', async () => {
  server.respond = () => failure(403);
  show();
  await fill('Title', 'Row');
  await fill('Location', 'Pier');
  await press('Tomorrow 7 pm');
  await press('Create Event');
  await expectToast('Error creating event', 'Please try again or contact support');
  expect(screen.getByRole('alert').textContent).toContain("The event wasn't created");
  expect(field('Title').value).toBe('Row');
});

test('new event: members who are not admins see no form [EVENTNEW-02]', () => {
  show({ role: 0 });
  expect(screen.getByText("You can't create events in this club")).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
});

test('new event: the title field shows how many characters are left once there are 20 or fewer [UX-41]', () => {
  show();
  enter('Title', 'x'.repeat(99));
  expect(screen.queryByText(/left$/)).toBeNull();
  enter('Title', 'x'.repeat(100));
  expect(screen.getByText('20 characters left')).toBeDefined();
  enter('Title', 'x'.repeat(119));
  expect(screen.getByText('1 character left')).toBeDefined();
});

/** Tuesday 8 June 2027, 12:00 in Berlin. */
const noon = new Date('2027-06-08T10:00:00.000Z');
const lastTuesday = past('2027-06-01T17:30:00.000Z', 'Europe/Berlin');

test('new event: title, when, where, description, details and more follow in this order [UX-13]', async () => {
  show();
  await press('More text');
  const text = document.querySelector('form')?.textContent ?? '';
  const order = [
    'Title',
    'Start',
    'Duration',
    'Location',
    'Description',
    'Details',
    'More',
    'Sign-up closes',
  ];
  const places = order.map((label) => text.indexOf(label));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('new event: the question is in More text, and asks for its choices line by line [REPLY-01]', async () => {
  server.respond = () => success({ slug: 'run' });
  show();
  enter('Title', 'Run');
  enter('Start', ahead);
  enter('Location', 'Pier');
  expect(screen.queryByLabelText('Question with the answer')).toBeNull();
  await press('More text');
  expect(field('Question with the answer').maxLength).toBe(120);
  expect(screen.queryByRole('group', { name: 'Choices' })).toBeNull();
  enter('Question with the answer', 'Which menu?');
  expect(field('Choice 1').maxLength).toBe(40);
  for (const [at, choice] of ['Vegetarian', 'Vegan', 'Meat'].entries()) enter(`Choice ${at + 1}`, choice);
  // A removed choice leaves an empty line, so that the other choices stay in their lines.
  enter('Choice 2', '');
  expect(field('Choice 3').value).toBe('Meat');
  await press('Create Event');
  await vi.waitFor(() =>
    expect(server.sent).toMatchObject([
      { body: { question: 'Which menu?', choices: ['Vegetarian', 'Meat'] } },
    ]),
  );
});

test('new event: has at most eight choices, and the same choice twice is an error at its line [REPLY-01]', async () => {
  show();
  enter('Title', 'Run');
  enter('Start', ahead);
  enter('Location', 'Pier');
  await press('More text');
  enter('Question with the answer', 'Which menu?');
  for (let n = 1; n <= 8; n++) enter(`Choice ${n}`, `Menu ${n}`);
  expect(screen.queryByLabelText('Choice 9')).toBeNull();
  enter('Choice 8', ' Menu 1 ');
  expect(screen.getByText('You have this choice already.')).toBeDefined();
  await press('Create Event');
  expect(document.activeElement).toBe(field('Choice 8'));
  expect(server.sent).toEqual([]);
});

test('new event: choices of an empty question are not sent [REPLY-01]', async () => {
  server.respond = () => success({ slug: 'run' });
  show();
  enter('Title', 'Run');
  enter('Start', ahead);
  enter('Location', 'Pier');
  await press('More text');
  enter('Question with the answer', 'Which menu?');
  enter('Choice 1', 'Vegan');
  enter('Question with the answer', '');
  expect(screen.queryByLabelText('Choice 1')).toBeNull();
  await press('Create Event');
  await vi.waitFor(() => expect(server.sent).toMatchObject([{ body: { question: '', choices: [] } }]));
});

test.each([
  ['24.12.2027 19:30', '12/24/2027 07:30 PM', 'Friday 24 December 2027, 7:30 pm – 8:30 pm (Berlin time)'],
  [
    '2027-12-24 23:30',
    '12/24/2027 11:30 PM',
    'Friday 24 December 2027, 11:30 pm – Saturday 25 December 2027, 12:30 am (Berlin time)',
  ],
  ['24 Dec 7pm', '12/24/2027 07:00 PM', 'Friday 24 December 2027, 7:00 pm – 8:00 pm (Berlin time)'],
  ['tue 7:30 pm', '06/08/2027 07:30 PM', 'Tuesday 8 June 2027, 7:30 pm – 8:30 pm (Berlin time)'],
  ['tomorrow 19:30', '06/09/2027 07:30 PM', 'Wednesday 9 June 2027, 7:30 pm – 8:30 pm (Berlin time)'],
  ['today 7pm', '06/08/2027 07:00 PM', 'Tuesday 8 June 2027, 7:00 pm – 8:00 pm (Berlin time)'],
  ['04/05/2028 7pm', '04/05/2028 07:00 PM', 'Wednesday 5 April 2028, 7:00 pm – 8:00 pm (Berlin time)'],
  ['04.05.2028 7pm', '05/04/2028 07:00 PM', 'Thursday 4 May 2028, 7:00 pm – 8:00 pm (Berlin time)'],
])(
  'new event: the start "%s" is shown as %s and in words [UX-14 UX-15]',
  async (typed, formatted, understood) => {
    vi.setSystemTime(noon);
    show({ events: [lastTuesday] });
    enter('Start', typed);
    expect(words()).toContain(understood);
    fireEvent.blur(field('Start'));
    expect(field('Start').value).toBe(formatted);
  },
);

test.each([
  ['en', '03/04/2028 7pm', '03/04/2028 07:00 PM', /^Saturday 4 March 2028, 7:00 pm/],
  ['de', '03/04/2028 19 Uhr', '03.04.2028 19:00', /^Montag, 3. April 2028, 19:00\sUhr/],
] as const)(
  'new event: in %s the ambiguous start "%s" is shown as %s, and in words [LANG-14]',
  (language, typed, formatted, understood) => {
    vi.setSystemTime(noon);
    setLook({ language, clock: 'auto' });
    show({ events: [lastTuesday] });
    const start = screen.getByRole<HTMLInputElement>('textbox', { name: /^(Start|Beginn)/ });
    fireEvent.change(start, { target: { value: typed } });
    expect(words()).toMatch(understood);
    fireEvent.blur(start);
    expect(start.value).toBe(formatted);
  },
);

test.each([
  [1, ['Minute', 'Stunde', 'Tag']],
  [2, ['Minuten', 'Stunden', 'Tage']],
])('new event: the German units of the duration %i are %j [EVENTNEW-10 LANG-13]', (duration, units) => {
  inLook({ language: 'de', clock: 'auto' }, () => {
    show();
    fireEvent.change(screen.getByRole('spinbutton', { name: 'Dauer' }), { target: { value: `${duration}` } });
  });
  const options = within(screen.getByRole('combobox', { name: 'Einheit' })).getAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual(units);
});

test('new event: an unreadable start, or an unreadable time when sign-up closes, stays in its field, shows an error and is not sent [UX-14 UX-28]', async () => {
  show();
  enter('Title', 'Row');
  enter('Location', 'Pier');
  enter('Start', 'some evening');
  await press('Create Event');
  expect(alertText()).toMatch(/^We can't read this date and time\. Try 21 Jun 7:30 pm or .*\.$/);
  expect(document.activeElement).toBe(field('Start'));
  expect(field('Start').value).toBe('some evening');
  expect(words()).toBe('');
  enter('Start', ahead);
  expect(screen.queryByRole('alert')).toBeNull();
  enter('Sign-up closes', 'before');
  const scrollIntoView = vi.fn();
  field('Sign-up closes').scrollIntoView = scrollIntoView;
  await press('Create Event');
  expect(alertText()).toMatch(/^We can't read this date and time/);
  expect(document.activeElement).toBe(field('Sign-up closes'));
  expect(screen.getByText('More').closest('details')?.open).toBe(true);
  // Centred, so that the bar at the bottom edge does not cover the field.
  expect(scrollIntoView.mock.calls).toEqual([[{ block: 'center' }]]);
  expect(server.sent).toEqual([]);
});

test('new event: a start, or a time when sign-up closes, in an invalid year stays in its field, shows an error and is not sent [T44]', async () => {
  show();
  enter('Title', 'Row');
  enter('Location', 'Pier');
  enter('Start', '06/21/2300 07:30 PM');
  fireEvent.blur(field('Start'));
  expect(alertText()).toBe('Choose a year from 2000 to 2200.');
  await press('Create Event');
  expect(alertText()).toBe('Choose a year from 2000 to 2200.');
  expect(document.activeElement).toBe(field('Start'));
  expect([field('Start').value, field('Title').value]).toEqual(['06/21/2300 07:30 PM', 'Row']);
  enter('Start', ahead);
  enter('Sign-up closes', '06/21/1999 07:30 PM');
  await press('Create Event');
  expect(alertText()).toBe('Choose a year from 2000 to 2200.');
  expect(document.activeElement).toBe(field('Sign-up closes'));
  expect(server.sent).toEqual([]);
});

const chips = () =>
  within(screen.getByRole('group', { name: 'Suggested times' }))
    .getAllByRole('button')
    .map(({ textContent }) => textContent);

test('new event: a suggested start fills the fields of the start and of the time when sign-up closes [UX-16]', async () => {
  vi.setSystemTime(noon);
  show({ events: [lastTuesday, past('2027-05-28T16:00:00.000Z', 'Europe/Berlin')] });
  const starts = {
    'Tue 7:30 pm, as last time': '06/08/2027 07:30 PM',
    'Fri 6 pm, as last time': '06/11/2027 06:00 PM',
    'Today 7 pm': '06/08/2027 07:00 PM',
    'Tomorrow 7 pm': '06/09/2027 07:00 PM',
  };
  expect(chips()).toEqual(Object.keys(starts));
  for (const [label, start] of Object.entries(starts)) {
    await press(label);
    expect(field('Start').value).toBe(start);
    expect(field('Sign-up closes').value).toBe(start);
  }
});

test('new event: suggests 7 pm today only before 7 pm [UX-16]', () => {
  vi.setSystemTime(new Date(2027, 5, 8, 18, 59, 59));
  show();
  expect(chips()).toEqual(['Today 7 pm', 'Tomorrow 7 pm']);
  cleanup();
  vi.setSystemTime(new Date(2027, 5, 8, 19, 0));
  show();
  expect(chips()).toEqual(['Tomorrow 7 pm']);
});

test('new event: uses the zone of the last event of the club, and a new zone keeps the local time [UX-17]', async () => {
  vi.setSystemTime(noon);
  show({ events: [lastTuesday, past('2027-05-28T16:00:00.000Z', 'Asia/Tokyo')] });
  await press('Tue 7:30 pm, as last time');
  await fill('Title', 'Row');
  await fill('Location', 'Pier');
  const zone = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Time zone' });
  expect(zone.closest('details')).toBe(screen.getByText('More').closest('details'));
  expect(zone.value).toBe('Europe/Berlin');
  expect(words()).toContain('Tuesday 8 June 2027, 7:30 pm – 8:30 pm (Berlin time)');
  fireEvent.change(zone, { target: { value: 'America/New_York' } });
  expect(field('Start').value).toBe('06/08/2027 07:30 PM');
  expect(words()).toContain('Tuesday 8 June 2027, 7:30 pm – 8:30 pm (New York time)');
  expect(words()).toMatch(/Your time: \w+ \d+ June 2027, \d/);
  await press('Create Event');
  const sent = '2027-06-08T23:30:00.000Z';
  expect(server.sent).toMatchObject([
    { body: { start_time: sent, entry_until_time: sent, time_zone: 'America/New_York' } },
  ]);
});

test('new event: uses the zone of the browser if the club has no event [UX-17]', async () => {
  show();
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Time zone' }).value).toBe(timeZone);
  expect(words()).not.toContain('Your time');
});

/** A date of a series, 90 minutes long, with people, answers and a history. */
const original: Event = {
  ...run,
  start_time: '2099-06-08T18:30:00.000Z',
  end_time: '2099-06-08T20:00:00.000Z',
  time_zone: 'Asia/Tokyo',
  capacity: 24,
  waitlist: false,
  guests_max: 2,
  user_count: 1,
  my_answer: 'going',
  my_role: 'organiser',
  my_note: 'I bring the key',
  attendees: [{ ...ada, attendee_id: ada.id, attendee_role: 'organiser', guests: 0 }],
  series: { ...weekly, slug: 'runs' },
};

const duplicate = (part: Partial<Event> = {}, { role = 200 }: { role?: 0 | 200 } = {}) =>
  renderPage(<NewEventPage />, {
    route: '/app/clubs/:slug/new-event',
    path: `/app/clubs/rowers/new-event?from=${run.slug}`,
    club: { ...rowers, my_club_role: role, events: [lastTuesday] },
    event: { ...original, ...part },
  });

const filled = () => ({
  name: field('Title').value,
  description: field('Description').value,
  details: field('Details').value,
  place: field('Location').value,
  start: field('Start').value,
  closes: field('Sign-up closes').value,
  duration: screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Duration' }).value,
  unit: screen.getByRole<HTMLSelectElement>('combobox', { name: 'Unit' }).value,
  zone: screen.getByRole<HTMLSelectElement>('combobox', { name: 'Time zone' }).value,
  seats: field('Seats').value,
  waitlist: screen.getByRole<HTMLInputElement>('checkbox', { name: /^Waitlist/ }).checked,
  guests: screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Guests per person' }).value,
});

const copied = {
  name: 'Tuesday run',
  description: 'At noon',
  details: 'Bring water.',
  place: 'Pier 3',
  start: '',
  closes: '',
  duration: '90',
  unit: 'minutes',
  zone: 'Asia/Tokyo',
  seats: '24',
  waitlist: false,
  guests: '2',
};

test('duplicate: copies all fields except the date, and no people, answers or history [COPY-01 REPLY-01]', async () => {
  vi.setSystemTime(noon);
  const menu = { question: 'Which menu?', choices: ['Vegetarian', 'Vegan'] };
  duplicate(menu);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('New event');
  expect(screen.getByText('A copy of “Tuesday run”. Choose when it takes place.')).toBeDefined();
  expect(filled()).toMatchObject(copied);
  expect(words()).toBe('');
  await press('Create Event');
  await expectToast(...inThePast);
  expect(document.activeElement).toBe(field('Start'));
  expect(server.sent).toEqual([]);
  enter('Start', '06/10/2027 07:00 PM');
  expect(field('Sign-up closes').value).toBe('06/10/2027 07:00 PM');
  await press('Create Event');
  expect(server.sent).toEqual([
    {
      call: 'POST /api/v1/clubs/id-of-rowers/events',
      body: {
        clubId: 'id-of-rowers',
        slug: 'tuesday-run',
        name: 'Tuesday run',
        description: 'At noon',
        details: 'Bring water.',
        location_name: 'Pier 3',
        capacity: 24,
        waitlist: false,
        guests_max: 2,
        ...menu,
        section_ids: [],
        needed: {},
        time_zone: 'Asia/Tokyo',
        start_time: '2027-06-10T10:00:00.000Z',
        end_time: '2027-06-10T11:30:00.000Z',
        entry_until_time: '2027-06-10T10:00:00.000Z',
      },
    },
  ]);
});

test.each([
  ['past', { start_time: '2020-01-01T10:00:00.000Z', end_time: '2020-01-01T11:30:00.000Z' }],
  ['cancelled', { deleted_at: '2026-01-01T00:00:00.000Z' }],
])('duplicate: works for a %s event, and saves nothing by itself [COPY-02]', (_, part) => {
  duplicate(part);
  expect(filled()).toMatchObject(copied);
  expect(server.sent).toEqual([]);
});

test('duplicate: members who are not admins see the admins-only screen [COPY-02]', () => {
  duplicate({}, { role: 0 });
  expect(screen.getByText("You can't create events in this club")).toBeDefined();
  expect(screen.queryByRole('textbox')).toBeNull();
});

test('duplicate: an unknown event, or an event of another club, shows an error and leaves the form empty', async () => {
  duplicate({ owner_club_id: 'another' });
  expect(screen.getByText("We couldn't load the event to duplicate")).toBeDefined();
  expect(field('Title').value).toBe('');
  cleanup();
  duplicate({ slug: 'another' });
  await screen.findByText("We couldn't load the event to duplicate");
  expect(field('Title').value).toBe('');
});

const atHour = (day: number, hour: number) => new Date(2099, 0, day, hour).toISOString();

test('new event: can propose several start times, and sends these instead of a single time [POLL-01]', async () => {
  show();
  await fill('Title', 'Picnic');
  await fill('Location', 'Lake');
  enter('Start', ahead);
  await press('Vote on the time');
  expect(field('Time 1')).toBeDefined();
  expect(screen.queryByLabelText('Start')).toBeNull();
  // An event with a poll cannot repeat.
  expect(screen.queryByRole('button', { name: 'Repeats' })).toBeNull();
  await press('Create Event');
  expect(field('Time 2').getAttribute('aria-invalid')).toBe('true');
  enter('Time 2', ahead);
  expect(alertText()).toContain('in the list already');
  enter('Time 2', '01/02/2099 10:00 AM');
  await press('Add a time');
  enter('Time 3', '01/03/2099 10:00 AM');
  await press('Add a time');
  await press('Remove time 4');
  await press('Create Event');
  expect(server.sent).toEqual([
    {
      call: 'POST /api/v1/clubs/id-of-rowers/events',
      body: expect.objectContaining({
        name: 'Picnic',
        times: [1, 2, 3].map((day) => ({ start_time: atHour(day, 10), end_time: atHour(day, 11) })),
      }),
    },
  ]);
  const sent = server.sent[0]?.body as object;
  for (const key of ['start_time', 'end_time', 'entry_until_time', 'other_starts'])
    expect(sent).not.toHaveProperty(key);
});

test('new event: can propose up to twelve start times [POLL-01]', async () => {
  show();
  await press('Vote on the time');
  for (let n = 3; n <= 12; n++) await press('Add a time');
  expect(field('Time 12')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Add a time' })).toBeNull();
});

const duration = () => screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Duration' });
const unit = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Unit' });
const times = () => [field('End').value, duration().value, unit().value];

test('new event: the duration takes words, and a single number has the unit that was chosen before [FORMUX-04]', async () => {
  show();
  enter('Start', '01/01/2099 7:30 PM');
  await userEvent.clear(duration());
  await userEvent.type(duration(), '1 h 30 min');
  expect(duration().value).toBe('1 h 30 min');
  expect(words()).toContain('7:30 pm – 9:00 pm');
  fireEvent.blur(duration());
  expect(times()).toEqual(['9:00 pm', '90', 'minutes']);
  await userEvent.clear(duration());
  await userEvent.type(duration(), '2.5 h{Tab}');
  expect(times()).toEqual(['10:00 pm', '150', 'minutes']);
  await userEvent.clear(duration());
  await userEvent.type(duration(), 'soon{Tab}');
  expect(times()).toEqual(['7:30 pm', '0', 'minutes']);
});

test.each([
  ['9:30 pm', ['9:30 pm', '2', 'hours']],
  // With a 12-hour clock, a time without am or pm is the next one after the start.
  ['9:00', ['9:00 pm', '90', 'minutes']],
  ['21:45', ['9:45 pm', '135', 'minutes']],
  ['1:30 am', ['01/02/2099 01:30 AM', '6', 'hours']],
  ['3 Jan 7:30 pm', ['01/03/2099 07:30 PM', '2', 'days']],
])('new event: the end "%s" after 7:30 pm sets the duration [FORMUX-04 EVENTNEW-07]', (typed, shown) => {
  show();
  enter('Start', '01/01/2099 7:30 PM');
  enter('End', typed);
  expect(field('End').value).toBe(typed);
  fireEvent.blur(field('End'));
  expect(times()).toEqual(shown);
});

test.each([
  ['late', /^We can't read this date and time/],
  ['12/31/2098 8:00 PM', /^An event can't end before it starts/],
  ['01/01/2300 8:00 PM', /^Choose a year/],
])(
  'new event: the end "%s" stays in its field, shows an error and is not sent [FORMUX-04]',
  async (typed, text) => {
    show();
    enter('Title', 'Row');
    enter('Location', 'Pier');
    enter('Start', '01/01/2099 7:30 PM');
    enter('End', typed);
    fireEvent.blur(field('End'));
    expect(alertText()).toMatch(text);
    await press('Create Event');
    expect(field('End').value).toBe(typed);
    expect(server.sent).toEqual([]);
    fireEvent.change(duration(), { target: { value: '2' } });
    expect(times()).toEqual(['9:30 pm', '2', 'hours']);
    await press('Create Event');
    expect(server.sent).toHaveLength(1);
  },
);

const chip = (name: string) => screen.queryByRole('button', { name });

test('new event: shows title, start with end, and place; each chip unfolds its part in place and gives it the focus [FORMUX-01]', async () => {
  show();
  expect(
    screen.getAllByRole('textbox').map((each) => (each as HTMLInputElement).labels?.[0]?.textContent),
  ).toEqual(['Title*', 'Start*', 'End', 'Location*', 'Sign-up closes']);
  for (const [name, focused] of [
    ['Seats and guests', () => field('Seats')],
    ['More text', () => field('Description')],
    ['Vote on the time', () => field('Time 2')],
  ] as const) {
    await press(name);
    expect(document.activeElement).toBe(focused());
    expect(chip(name)).toBeNull();
  }
  // An event whose times are voted on cannot repeat.
  expect(chip('Repeats')).toBeNull();
  await press('Remove time 2');
  await press('Repeats');
  expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Repeats' }));
  expect(chip('Vote on the time')).toBeNull();
});

test('new event: folded parts are sent with their initial values [FORMUX-01]', async () => {
  show();
  enter('Title', 'Row');
  enter('Location', 'Pier');
  enter('Start', ahead);
  await press('Create Event');
  expect(server.sent).toMatchObject([
    { body: { description: '', details: '', capacity: null, waitlist: true, guests_max: 0 } },
  ]);
});

test('new event: a start that was never touched and is near is created only after a question, which is asked once [FORMUX-02]', async () => {
  vi.setSystemTime(new Date(2027, 5, 8, 19, 27, 40));
  server.respond = () => failure(500);
  show();
  enter('Title', 'Row');
  enter('Location', 'Pier');
  await press('Create Event');
  const question = await screen.findByRole('alertdialog', { name: 'Create it now?' });
  expect(question.textContent).toContain('This starts in 2 minutes.');
  expect(server.sent).toEqual([]);
  await confirm('Create Event');
  expect(server.sent).toHaveLength(1);
  await screen.findByRole('alert');
  await press('Create Event');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(server.sent).toHaveLength(2);
});

test('new event: the other choice of the question is the first suggested start, which is filled in and not yet created [FORMUX-02 FORMUX-07]', async () => {
  vi.setSystemTime(noon);
  show({ events: [lastTuesday] });
  enter('Title', 'Row');
  enter('Location', 'Hall');
  await press('Create Event');
  await confirm('Tue 7:30 pm, as last time');
  expect(field('Start').value).toBe('06/08/2027 07:30 PM');
  expect([screen.queryByRole('alertdialog'), server.sent]).toEqual([null, []]);
  await press('Create Event');
  expect(server.sent).toMatchObject([
    { body: { start_time: '2027-06-08T17:30:00.000Z', location_name: 'Hall' } },
  ]);
});

test('new event: a start that the user has chosen is created without a question, even if it is near [FORMUX-02]', async () => {
  vi.setSystemTime(new Date(2027, 5, 8, 18, 55));
  show();
  enter('Title', 'Row');
  enter('Location', 'Pier');
  await press('Today 7 pm');
  await press('Create Event');
  expect(server.sent).toHaveLength(1);
});

test("new event: a chip 'as last time' fills in the place of that event, unless another place was entered [FORMUX-07]", async () => {
  vi.setSystemTime(noon);
  show({
    events: [lastTuesday, { ...past('2027-05-28T16:00:00.000Z', 'Europe/Berlin'), location_name: 'Hall' }],
  });
  await press('Tomorrow 7 pm');
  expect(field('Location').value).toBe('');
  await press('Tue 7:30 pm, as last time');
  expect(field('Location').value).toBe('Pier 3');
  await press('Fri 6 pm, as last time');
  expect(field('Location').value).toBe('Hall');
  enter('Location', 'Boathouse');
  await press('Tue 7:30 pm, as last time');
  expect(field('Location').value).toBe('Boathouse');
});

test('new event: the draft is there when the form opens again, with its parts unfolded and a new start unless one was chosen [FORMUX-03 EVENTNEW-06]', async () => {
  vi.setSystemTime(new Date(2027, 5, 8, 12, 5));
  show();
  enter('Title', 'Row');
  await press('Seats and guests');
  enter('Seats', '8');
  await press('Repeats');
  cleanup();
  vi.setSystemTime(new Date(2027, 5, 8, 15, 1));
  show();
  expect(screen.getByText('Your draft from 12:05 pm.')).toBeDefined();
  expect([field('Title').value, field('Seats').value]).toEqual(['Row', '8']);
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Repeats' }).value).toBe('weekly');
  expect(field('Start').value).toBe('06/08/2027 03:05 PM');
  enter('Start', '06/09/2027 06:05 AM');
  cleanup();
  show();
  expect(field('Start').value).toBe('06/09/2027 06:05 AM');
  await press('Start over');
  expect([field('Title').value, field('Start').value]).toEqual(['', '06/08/2027 03:05 PM']);
  expect(chip('Repeats')).not.toBeNull();
});

test('new event: a failed request keeps the draft, and a created event removes it [FORMUX-03]', async () => {
  show();
  enter('Title', 'Row');
  enter('Location', 'Pier');
  enter('Start', ahead);
  server.respond = () => failure(500);
  await press('Create Event');
  await screen.findByText("The event wasn't created", { exact: false });
  cleanup();
  const router = show();
  expect(field('Title').value).toBe('Row');
  server.respond = () => success({ id: 'e', slug: 'row', name: 'Row' });
  await press('Create Event');
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/app/clubs/rowers'));
  cleanup();
  show();
  expect(field('Title').value).toBe('');
});

test('new event: is for chosen sections of the club, with numbers for them and for all [SECT-05 SECT-07]', async () => {
  server.respond = () => success({ slug: 'run' });
  server.read = (path) =>
    path.endsWith('/sections')
      ? success(['Tenor', 'Bass'].map((name) => ({ id: `id-of-${name.toLowerCase()}`, name, members: 1 })))
      : failure(404);
  show();
  enter('Title', 'Rehearsal');
  enter('Start', ahead);
  enter('Location', 'Hall');
  await press('For');
  expect(screen.getByText('Everybody in the club can see it.')).toBeDefined();
  await press('Seats and guests');
  enter('In all, with guests', '12');
  enter('Bass', '3');
  await press('Tenor');
  expect(screen.queryByLabelText('Bass')).toBeNull();
  enter('Tenor', '4 people');
  await press('Create Event');
  await vi.waitFor(() =>
    expect(server.sent).toMatchObject([
      { body: { section_ids: ['id-of-tenor'], needed: { all: 12, 'id-of-tenor': 4 } } },
    ]),
  );
});

test('new event: a club without sections is asked for one number alone [SECT-07]', async () => {
  server.read = (path) => (path.endsWith('/sections') ? success([]) : failure(404));
  show();
  await press('Seats and guests');
  expect(screen.queryByRole('button', { name: 'For' })).toBeNull();
  expect(
    within(screen.getByRole('group', { name: /^How many are needed/ })).getAllByRole('textbox'),
  ).toHaveLength(1);
});
