import { act, cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import german from '#languages/de.json' with { type: 'json' };
import { addSeconds } from '#wire/instant.ts';
import { inLook, type Look } from '#wire/look.ts';
import { addTranslations } from '#wire/messages.ts';
import { EventRow, type EventRowProps } from './EventRow.tsx';

const now = '2026-06-20T12:00:00.000Z';
const day = 24 * 60 * 60;
const event: EventCard = {
  id: 'e1',
  slug: 'river-run-abcdefghij',
  name: 'River run',
  description: '',
  location_name: 'East gate',
  start_time: addSeconds(now, 5 * day),
  end_time: addSeconds(now, 6 * day),
  entry_until_time: addSeconds(now, 5 * day),
  time_zone: 'UTC',
  owner_club_id: 'c1',
  club_name: 'Runners',
  club_slug: 'runners',
  user_count: 7,
  deleted_at: null,
  polling: false,
  host: { host_first_name: 'Ada', host_last_name: 'Byron', host_profile_picture_url: null },
  guest_count: 0,
  moved_from: null,
  seats_left: null,
  waiting_count: 0,
  asked_about: null,
  time_count: 0,
  series: null,
  section_names: [],
  is_for_me: true,
  my_role: null,
  my_answer: null,
  must_confirm: false,
  has_voted: false,
  conflicting_events: [],
  faces: [],
};

test('row: names the sections that the event is for, before the place [SECT-05]', () => {
  show({ section_names: ['Tenor', 'Bass'] });
  expect(screen.getByRole('article').textContent).toContain(' · Tenor, Bass · East gate');
});

test('row: while members vote, says how many times there are instead of one time [POLL-01]', () => {
  show({ polling: true, time_count: 3, user_count: 1 }, { dated: true });
  const row = screen.getByRole('article').textContent;
  expect(row).toMatch(/^\s*\? .*3 times, from \d+ \w+ · East gate/);
  expect(row).toContain('Time poll');
  expect(row).not.toMatch(/\d:\d\d|going/);
  cleanup();
  // A poll that was not decided in time is an event like others.
  show({ polling: true, end_time: now });
  expect(screen.getByRole('article').textContent).not.toContain('times');
});

const ada = {
  attendee_role: 'organiser' as const,
  first_name: 'Ada',
  last_name: 'Byron',
  profile_picture_url: null,
};

/** The text of an element, and the initials in its avatars, which are CSS-generated content. */
function words(element: HTMLElement): string {
  const initials = [...element.querySelectorAll('[data-initials]')].map((each) =>
    each.getAttribute('data-initials'),
  );
  return [element.textContent, ...initials].join(' ');
}

const Path = () => useLocation().pathname;

const show = (part: Partial<EventCard> = {}, row: Partial<EventRowProps> = {}) =>
  render(
    <MemoryRouter>
      <Routes>
        <Route path="/" element={<EventRow event={{ ...event, ...part }} now={now} {...row} />} />
        <Route path="*" element={<Path />} />
      </Routes>
    </MemoryRouter>,
  );

test('event row: shows date, name, time, place, the number of attendees and their faces, without host or club [UX-05 UX-08]', () => {
  show({ faces: [{ ...ada, attendee_id: 'a' }] });
  const row = screen.getByRole('article');
  for (const text of ['Thu 25 Jun', 'River run', '12:00 pm · East gate', 'AB', '7 going', 'Open'])
    expect(words(row)).toContain(text);
  expect(words(row)).not.toMatch(/Runners|Host/);
  expect(within(row).getByRole('heading').className).toContain('truncate');
});

test('event row: begins with the avatar of the club in lists of several clubs, and names the club [UX-08 HOMEUX-03]', () => {
  show({}, { clubs: [] });
  const row = screen.getByRole('article');
  expect(words(row)).toContain('East gate · Runners');
  expect(within(row).getByRole('img', { name: 'Runners' })).toBeDefined();
});

test('event row: has one link to the event and one button, each with its own accessible name [UX-06]', () => {
  show();
  const [link, ...otherLinks] = screen.getAllByRole('link');
  expect([link?.textContent, link?.getAttribute('href'), otherLinks]).toEqual([
    'River run',
    '/app/events/river-run-abcdefghij',
    [],
  ]);
  expect(screen.getByRole('button', { name: 'Attend Event: River run' })).toBeDefined();
});

test('event row: an event in progress shows when it ends', () => {
  show({ start_time: addSeconds(now, -60), end_time: addSeconds(now, 3600) });
  expect(screen.getByText('Now, until 1:00 pm')).toBeDefined();
  cleanup();
  show({ start_time: addSeconds(now, -60), end_time: addSeconds(now, 2 * day) });
  expect(screen.getByText('Now, until 22 Jun')).toBeDefined();
});

test.each([
  ['Open', 2 * day + 1],
  ['Closes Soon', 2 * day],
  ['Closed', 0],
])(
  'event row: the badge is %s when sign-up closes in %i seconds [EVENT-21 EVENT-22 EVENT-23]',
  (label, secondsLeft) => {
    show({ entry_until_time: addSeconds(now, secondsLeft) });
    expect(screen.getByText(label)).toBeDefined();
  },
);

test('event row: a cancelled event is tagged and struck through, without sign-up status [EVENT-24 EVENT-25 UX-07]', () => {
  show({ deleted_at: now, my_role: 'attendee' });
  expect(screen.getByText('CANCELLED')).toBeDefined();
  expect(screen.getByRole('heading').className).toContain('line-through');
  expect(screen.queryByText(/Open|Closes Soon|Closed|Attending/)).toBeNull();
});

test('event row: a conflicting event is tagged [EVENT-26]', () => {
  show();
  expect(screen.queryByText('Conflicting Event')).toBeNull();
  cleanup();
  show({ conflicting_events: [{ slug: 'x', name: 'Another' }] });
  expect(words(screen.getByRole('article'))).toContain('12:00 pm · Conflicting Event · East gate');
});

test('event row: shows the first 70 characters of the description [EVENT-27]', () => {
  show({ description: 'd'.repeat(70) });
  expect(screen.getByText('d'.repeat(70))).toBeDefined();
  cleanup();
  show({ description: 'd'.repeat(71) });
  expect(screen.getByText(`${'d'.repeat(70)}…`)).toBeDefined();
});

test.each([
  ['Attending', { my_role: 'attendee' }],
  ['Attending', { my_role: 'attendee', entry_until_time: now }],
  ['Hosting', { my_role: 'organiser' }],
  ['You went', { my_role: 'attendee', end_time: now }],
  ['You hosted', { my_role: 'organiser', end_time: now }],
  ['Waitlist', { my_answer: 'waiting' }],
  ['Waitlist', { my_answer: 'waiting', entry_until_time: now }],
  ['Maybe', { my_answer: 'maybe' }],
  ['Maybe', { my_answer: 'maybe', entry_until_time: now }],
  ["Can't go", { my_answer: 'no' }],
  ["Can't go", { my_answer: 'no', entry_until_time: now }],
] as const)(
  'event row: shows the answer of the viewer as "%s" beside the badge [UX-05 ANSWER-21]',
  (state, part) => {
    show(part);
    expect(screen.getByText(state)).toBeDefined();
    expect(screen.queryByText('Attend Event')).toBeNull();
    expect(screen.queryAllByText(/^(Open|Closed)$/)).toHaveLength(1);
  },
);

test.each([
  ['3 seats left', { seats_left: 3 }],
  ['1 seat left', { seats_left: 1 }],
  ['Full', { seats_left: 0 }],
  ['Full', { seats_left: 1, waiting_count: 1 }],
  ['Full', { seats_left: 0, my_answer: 'maybe' }],
  [undefined, { seats_left: 3, entry_until_time: now }],
  [undefined, { seats_left: 0, deleted_at: now }],
] as const)(
  'event row: beside the badge, the text about free seats is %s for %j [ANSWER-21]',
  (text, part) => {
    show(part);
    expect(screen.queryAllByText(/^Full$|seats? left/).map(({ textContent }) => textContent)).toEqual(
      text ? [text] : [],
    );
    expect(screen.queryAllByText(/^(Open|Closed|CANCELLED)$/)).toHaveLength(1);
  },
);

const unconfirmed = {
  my_role: 'attendee',
  my_answer: 'going',
  must_confirm: true,
  asked_about: 'time',
} as const;

test.each([
  ['Open', unconfirmed],
  ['Open', { ...unconfirmed, my_role: 'organiser' }],
  ['Open', { ...unconfirmed, my_role: null, my_answer: 'maybe' }],
  ['Open', { ...unconfirmed, my_role: null, my_answer: 'waiting' }],
  ['Closed', { ...unconfirmed, entry_until_time: now }],
] as const)(
  'event row: says "Please confirm" beside the badge %s instead of the answer, for %j [ANSWER-21]',
  async (badge, part) => {
    show(part);
    expect(screen.getByText('Please confirm')).toBeDefined();
    expect(screen.getByText(badge)).toBeDefined();
    const question = await screen.findByRole('group');
    const beside = (found: HTMLElement[]) => found.filter((each) => !question.contains(each));
    expect(beside(screen.queryAllByText(/^(Attending|Hosting|Maybe|Waitlist)$/))).toEqual([]);
    expect(beside(screen.getAllByRole('button'))).toEqual([]);
  },
);

test.each([{ deleted_at: now }, { end_time: now }])(
  'event row: an event with %j asks for no confirmation',
  (part) => {
    show({ ...unconfirmed, ...part });
    expect(screen.queryByText(/Please confirm/)).toBeNull();
  },
);

test('event row: a full event says so before its badge, and has no button [HOSTUX-10]', () => {
  show({ seats_left: 0 });
  expect(words(screen.getByRole('article'))).toContain('Full·Open');
  expect(screen.queryByRole('button')).toBeNull();
});

test('event row: the German badge of a full event does not contradict "Voll" [HOSTUX-10 LANG-01]', () => {
  addTranslations('de', german);
  const look: Look = { language: 'de', clock: 'auto' };
  inLook(look, () => show({ seats_left: 0 }));
  expect(words(screen.getByRole('article'))).toContain('Voll·Antworten möglich');
  cleanup();
  inLook(look, () => show({ seats_left: 2 }));
  expect(words(screen.getByRole('article'))).toContain('2 Plätze frei·Anmeldung offen');
});

test('event row: asks with "Going" and "Can\'t go", each named apart, also if the event is full [HOMEUX-02 HOSTUX-10]', () => {
  show({ seats_left: 0 }, { asks: true });
  expect(screen.getAllByRole('button').map((each) => each.getAttribute('aria-label'))).toEqual([
    'Going: River run',
    "Can't go: River run",
  ]);
  expect(screen.getByText('Full')).toBeDefined();
});

test.each([
  ['text-warn', { entry_until_time: addSeconds(now, day), start_time: addSeconds(now, 2 * day) }],
  ['text-muted', { entry_until_time: addSeconds(now, day), start_time: addSeconds(now, day) }],
] as const)('event row: the badge "Closes Soon" is %s for %j [HOSTUX-10]', (look, part) => {
  show(part);
  expect(screen.getByText('Closes Soon').className).toContain(look);
});

test('event row: an answer other than going is changed on the page of the event, and is not shown after the end', async () => {
  const { container } = show({ my_answer: 'maybe' });
  await userEvent.click(screen.getByRole('button', { name: 'Maybe: River run' }));
  expect(container.textContent).toBe('/app/events/river-run-abcdefghij');
  cleanup();
  show({ my_answer: 'maybe', end_time: now });
  expect(screen.queryByText('Maybe')).toBeNull();
});

test.each([
  ['closed', { entry_until_time: now }],
  ['over', { end_time: now }],
  ['cancelled', { deleted_at: now }],
] as const)('event row: an event that is %s has no button [UX-06]', (_state, part) => {
  show(part);
  expect(screen.queryByRole('button')).toBeNull();
});

const hour = 3600;

test.each([
  ['another time', { start_time: addSeconds(event.start_time, -hour) }, '11:00 am'],
  ['another day', { start_time: addSeconds(event.start_time, -25 * hour) }, 'Wed 24 Jun, 11:00 am'],
])(
  'event row: after a move from %s, the old time is struck through and marked "Moved" [TIME-14]',
  (_, before, old) => {
    const moved_from = { end_time: event.end_time, until: addSeconds(now, hour), ...before };
    show({ moved_from });
    expect(screen.getByText(old).tagName).toBe('S');
    expect(screen.getByText('Moved')).toBeDefined();
    expect(screen.getByText('12:00 pm').tagName).toBe('TIME');
  },
);

test('event row: the earlier end of an event in progress is struck through [TIME-14]', () => {
  const times = { start_time: addSeconds(now, -hour), end_time: addSeconds(now, 2 * hour) };
  show({ ...times, moved_from: { ...times, end_time: addSeconds(now, hour), until: times.end_time } });
  expect(screen.getByText('Now, until 1:00 pm').tagName).toBe('S');
});

test.each([
  ['after a week or the end of the event', { until: now }, null],
  ['once the event is cancelled', { until: addSeconds(now, hour) }, now],
])('event row: the earlier time is no longer shown %s [TIME-14]', (_, until, deleted_at) => {
  show({ deleted_at, moved_from: { start_time: now, end_time: now, ...until } });
  expect(screen.queryByText('Moved')).toBeNull();
});

const placeholder = () => document.querySelector('article .h-34');

test('event row: links to the event and says "Please confirm" if its question fails to load [CALL-09]', async () => {
  const load = vi.fn<() => never>(() => {
    throw new Error('offline');
  });
  vi.resetModules();
  vi.doMock('./RowQuestion.tsx', load);
  onTestFinished(() => {
    vi.doUnmock('./RowQuestion.tsx');
    vi.resetModules();
  });
  const { EventRow: Row } = await import('./EventRow.tsx');
  render(
    <MemoryRouter>
      <Row event={{ ...event, my_answer: 'maybe', must_confirm: true }} now={now} />
    </MemoryRouter>,
  );
  expect(placeholder()).not.toBeNull();
  await act(() => vi.waitFor(() => expect(load).toHaveBeenCalled()));
  await vi.waitFor(() => expect(placeholder()).toBeNull());
  expect(screen.getByText('Please confirm')).toBeDefined();
  expect(screen.getByRole('link').getAttribute('href')).toBe('/app/events/river-run-abcdefghij');
  expect(screen.queryByRole('group')).toBeNull();
});
