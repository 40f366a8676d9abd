import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addSeconds, instant, type Instant } from '#wire/instant.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import {
  actionFor,
  badgeOf,
  isClosed,
  isEnough,
  overlaps,
  openEvents,
  phaseOf,
  shortageOf,
  timesBefore,
  whyCannotAttend,
  whyCannotCancel,
  whyCannotEdit,
  whyCannotUnattend,
} from '#features/events/rules.ts';
import {
  endOf,
  newEventProblem,
  editedSchedule,
  changeBetween,
  whyCannotReschedule,
  whyCannotCreate,
  whyCannotUndo,
} from '#features/events/form-rules.ts';

const now = '2027-03-27T12:00:00.000Z';
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const fromNow = (seconds: number): Instant => addSeconds(now, seconds);
const ms = 0.001;

/** Seconds from now. */
interface Offsets {
  start?: number;
  end?: number;
  entry?: number;
  cancelled?: boolean;
}
const event = ({ start = day, end = start + hour, entry = start, cancelled = false }: Offsets = {}) => ({
  start_time: fromNow(start),
  end_time: fromNow(end),
  entry_until_time: fromNow(entry),
  deleted_at: cancelled ? fromNow(-hour) : null,
  polling: false,
});

describe('phase', () => {
  test.each([
    [ms, hour, 'upcoming'],
    [day, 2 * day, 'upcoming'],
    [0, hour, 'in_progress'],
    [-hour, ms, 'in_progress'],
    [-hour, 0, 'previous'],
    [-2 * day, -day, 'previous'],
    [0, 0, 'previous'],
  ])('of an event from %d s to %d s after now is %s [CLUB-10 CLUB-11 CLUB-12]', (start, end, phase) => {
    expect(phaseOf(event({ start, end }), now)).toBe(phase);
  });
});

describe('badge', () => {
  test.each([
    [10 * day, 'open'],
    [2 * day + ms, 'open'],
    [2 * day, 'closes_soon'],
    [ms, 'closes_soon'],
    [0, 'closed'],
    [-day, 'closed'],
  ])('of an event whose cut-off is in %d s is %s [EVENT-21 EVENT-22 EVENT-23]', (entry, badge) => {
    expect(badgeOf(event({ start: 20 * day, entry }), now)).toBe(badge);
  });

  test('two days are 48 hours, even across a daylight saving change [C15]', () => {
    const cutOff = '2027-03-29T12:00:00.000Z';
    expect(badgeOf({ entry_until_time: cutOff, end_time: cutOff }, now)).toBe('closes_soon');
    expect(badgeOf({ entry_until_time: cutOff, end_time: cutOff }, fromNow(-ms))).toBe('open');
  });

  test('an ended event is closed even if its cut-off is later', () => {
    const over = event({ start: -2 * hour, end: 0, entry: day });
    expect(badgeOf(over, now)).toBe('closed');
    expect(whyCannotAttend(over, now)).toBe('event_closed');
  });
});

const host = { host_first_name: 'Ada', host_last_name: '', host_profile_picture_url: null };

describe('button action', () => {
  test.each([
    ['organiser', 'cancel'],
    ['attendee', 'attending'],
    [null, 'attend'],
  ] as const)('for a member with role %s is %s', (my_role, action) => {
    expect(actionFor({ ...event(), my_role, host }, now)).toBe(action);
    expect(actionFor({ ...event({ cancelled: true }), my_role, host }, now)).toBe('cancelled');
    expect(actionFor({ ...event({ entry: 0 }), my_role, host }, now)).toBe('over');
    expect(actionFor({ ...event({ entry: 0, cancelled: true }), my_role, host }, now)).toBe('over');
  });

  test.each([
    [{}, 'vote', 'time_open'],
    [{ entry: 0 }, 'vote', 'time_open'],
    [{ cancelled: true }, 'cancelled', 'event_cancelled'],
    [{ start: -hour, end: 0, entry: 0 }, 'over', 'event_closed'],
  ] as const)('while members vote on the times of an event with %j, is %s', (which, action, error) => {
    const open = { ...event(which), polling: true };
    expect(actionFor({ ...open, my_role: null, host }, now)).toBe(action);
    expect(actionFor({ ...open, my_role: 'organiser', host }, now)).toBe(
      action === 'vote' ? 'cancel' : action,
    );
    expect(whyCannotAttend(open, now)).toBe(error);
  });

  test('for an outsider is none', () => {
    expect(actionFor({ ...event(), my_role: null, host: null }, now)).toBe('none');
  });
});

describe('attendance', () => {
  test.each([
    [event(), undefined],
    [event({ entry: ms }), undefined],
    [event({ entry: 0 }), 'event_closed'],
    [event({ cancelled: true }), 'event_cancelled'],
    [event({ cancelled: true, entry: 0 }), 'event_cancelled'],
    [event({ start: -hour, end: hour, entry: hour }), undefined],
  ])('attend the event %j: the error is %s', (which, error) => {
    expect(whyCannotAttend(which, now)).toBe(error);
  });

  test.each([
    ['attendee', hour, undefined],
    ['attendee', 0, 'event_ended'],
    [null, hour, undefined],
    [null, 0, 'event_ended'],
    ['organiser', hour, 'host_stays'],
    ['organiser', 0, 'host_stays'],
  ] as const)('unattend as %s, %d s before the end: the error is %s', (role, end, error) => {
    expect(whyCannotUnattend({ end_time: fromNow(end), polling: false }, role, now)).toBe(error);
  });
});

test.each([
  ['organiser', event(), undefined],
  ['organiser', event({ cancelled: true }), undefined],
  ['organiser', event({ start: -hour, end: 0 }), 'event_ended'],
  ['organiser', event({ start: -hour, end: 0, cancelled: true }), undefined],
  ['attendee', event(), 'not_host'],
  ['attendee', event({ cancelled: true }), 'not_host'],
  [null, event(), 'not_host'],
] as const)('cancel: as %s, event %j: the error is %s', (role, which, error) => {
  expect(whyCannotCancel(which, role, now)).toBe(error);
});

test('edit: refused with event_cancelled for a cancelled event', () => {
  expect(whyCannotEdit(event())).toBeUndefined();
  expect(whyCannotEdit(event({ cancelled: true }))).toBe('event_cancelled');
});

test.each([
  [0, 0, undefined],
  [-5 * minute, 0, undefined],
  [-5 * minute - ms, 0, 'starts_in_past'],
  [day, day, undefined],
  [day, day - ms, 'ends_before_start'],
  [-day, -2 * day, 'starts_in_past'],
])('create: an event from %d s to %d s after now: the error is %s', (start, end, error) => {
  expect(whyCannotCreate(event({ start, end }), now)).toBe(error);
});

describe('form of a new event', () => {
  const good = { name: 'Run', location_name: 'Pier', start_time: now };
  test.each([
    [good, undefined],
    [{ ...good, name: '' }, 'fields'],
    [{ ...good, name: ' \n' }, 'fields'],
    [{ ...good, location_name: '' }, 'fields'],
    [{ ...good, name: '', location_name: '' }, 'fields'],
    [{ ...good, start_time: fromNow(-ms) }, 'start'],
    [{ ...good, start_time: undefined }, 'start'],
    [{ ...good, start_time: fromNow(-ms), name: '' }, 'form'],
    [{ ...good, start_time: fromNow(-day), location_name: '' }, 'form'],
  ])('with %j has the problem %s', (input, problem) => {
    expect(newEventProblem(input, now)).toBe(problem);
  });
});

describe('end time', () => {
  test.each([
    [90, 'minutes', 90 * minute],
    [1, 'hours', hour],
    [1.5, 'hours', 90 * minute],
    [2, 'days', 2 * day],
    [0, 'days', 0],
    [-3, 'hours', 0],
    [Number.NaN, 'hours', 0],
  ] as const)('%d %s after the start is %d s later [EVENTNEW-07]', (duration, unit, seconds) => {
    expect(endOf(now, duration, unit)).toBe(fromNow(seconds));
  });

  test.each([
    ['Europe/London', '2027-03-27T18:30:00.000Z', '18:30', '19:30'],
    ['Europe/London', '2027-10-30T17:30:00.000Z', '18:30', '17:30'],
    ['America/New_York', '2027-03-13T23:30:00.000Z', '18:30', '19:30'],
  ])('one day across a daylight saving change in %s is 24 hours', (timeZone, start, from, to) => {
    const clock = (time: Instant) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
        Date.parse(time),
      );
    const end = endOf(start, 1, 'days');
    expect(Date.parse(end) - Date.parse(start)).toBe(day * 1000);
    expect([clock(start), clock(end)]).toEqual([from, to]);
  });

  test('is capped at the end of the year 2200 [T44]', () => {
    expect(endOf(now, 1e300, 'days')).toBe('2200-12-31T23:59:59.999Z');
    expect(endOf(now, Infinity, 'days')).toBe('2200-12-31T23:59:59.999Z');
  });
});

describe('a new time', () => {
  const schedule = {
    start_time: '2027-06-08T18:00:00.000Z',
    end_time: '2027-06-08T20:00:00.000Z',
    entry_until_time: '2027-06-08T12:00:00.000Z',
    time_zone: 'Europe/Berlin',
  };
  const [before, during, after] = [
    '2027-06-08T10:00:00.000Z',
    '2027-06-08T19:00:00.000Z',
    '2027-06-08T20:00:00.000Z',
  ];

  test.each([
    ['no time', {}, {}],
    [
      'the start',
      { start_time: '2027-06-09T19:00:00.000Z' },
      {
        start_time: '2027-06-09T19:00:00.000Z',
        end_time: '2027-06-09T21:00:00.000Z',
        entry_until_time: '2027-06-09T13:00:00.000Z',
      },
    ],
    ['the end', { end_time: '2027-06-08T21:00:00.000Z' }, { end_time: '2027-06-08T21:00:00.000Z' }],
    [
      'the start and the end',
      { start_time: '2027-06-08T17:00:00.000Z', end_time: '2027-06-08T17:30:00.000Z' },
      {
        start_time: '2027-06-08T17:00:00.000Z',
        end_time: '2027-06-08T17:30:00.000Z',
        entry_until_time: '2027-06-08T11:00:00.000Z',
      },
    ],
    [
      'the start, so late that the end would be after 2200',
      { start_time: '2200-12-31T23:00:00.000Z' },
      {
        start_time: '2200-12-31T23:00:00.000Z',
        end_time: '2200-12-31T23:59:59.999Z',
        entry_until_time: '2200-12-31T17:00:00.000Z',
      },
    ],
    [
      'the start, so early that the cut-off would be before 2000',
      { start_time: '2000-01-01T01:00:00.000Z' },
      {
        start_time: '2000-01-01T01:00:00.000Z',
        end_time: '2000-01-01T03:00:00.000Z',
        entry_until_time: '2000-01-01T00:00:00.000Z',
      },
    ],
  ])('an edit of %s: omitted times move with the start [TIME-03]', (_, patch, change) => {
    expect(editedSchedule(schedule, patch)).toEqual({ ...schedule, ...change });
  });

  test('an event that is stored with years out of range keeps its times unless its start changes [T44]', () => {
    const far = {
      start_time: '9999-06-08T18:00:00.000Z',
      end_time: '9999-06-08T20:00:00.000Z',
      entry_until_time: '0206-06-08T12:00:00.000Z',
      time_zone: 'Europe/Berlin',
    };
    expect(editedSchedule(far, {})).toEqual(far);
    const start_time = '2027-06-08T18:00:00.000Z';
    expect(editedSchedule(far, { start_time })).toMatchObject({
      start_time,
      end_time: '2027-06-08T20:00:00.000Z',
    });
  });

  test.each([
    [
      'before the start, any later start is allowed',
      before,
      { start_time: '2027-07-01T18:00:00.000Z' },
      undefined,
    ],
    [
      'before the start, a start five minutes ago is allowed',
      before,
      { start_time: '2027-06-08T09:55:00.000Z' },
      undefined,
    ],
    [
      'before the start, a start more than five minutes ago is refused',
      before,
      { start_time: '2027-06-08T09:54:59.999Z' },
      'starts_in_past',
    ],
    [
      'before the start, an end before the start is refused',
      before,
      { end_time: '2027-06-08T17:59:00.000Z' },
      'ends_before_start',
    ],
    [
      'before the start, an unknown time zone is refused',
      before,
      { time_zone: 'Europe/Atlantis' },
      'bad_input',
    ],
    [
      'in progress, a new start is refused',
      during,
      { start_time: '2027-06-08T19:30:00.000Z' },
      'event_started',
    ],
    ['in progress, a later end is allowed', during, { end_time: '2027-06-08T22:00:00.000Z' }, undefined],
    [
      'in progress, an end in the past is refused',
      during,
      { end_time: '2027-06-08T18:30:00.000Z' },
      'ends_in_past',
    ],
    ['after the end, a new end is refused', after, { end_time: '2027-06-08T22:00:00.000Z' }, 'event_ended'],
    [
      'after the end, a new cut-off is refused',
      after,
      { entry_until_time: '2027-06-08T22:00:00.000Z' },
      'event_ended',
    ],
    ['after the end, an edit without new times is allowed', after, {}, undefined],
  ])('%s [TIME-04 TIME-05]', (_, now, patch, code) => {
    expect(whyCannotReschedule(schedule, editedSchedule(schedule, patch), now)).toBe(code);
  });
});

const isDuring = (time: Instant, { start_time, end_time }: { start_time: Instant; end_time: Instant }) =>
  start_time <= time && time < end_time;

describe('properties for all times', () => {
  const anyInstant = fc
    .integer({ min: 0, max: 20 })
    .map((hours) => instant(Date.parse(now) + hours * 3_600_000));
  const times = fc
    .tuple(anyInstant, anyInstant)
    .map(([one, other]) => ({ start_time: one < other ? one : other, end_time: one < other ? other : one }));
  const lasting = times.filter(({ start_time, end_time }) => start_time < end_time);

  test('two events overlap exactly when they share an instant [DATA-13]', () => {
    fc.assert(
      fc.property(lasting, lasting, (one, other) => {
        const shared = Array.from({ length: 21 }, (_, hours) => fromNow(hours * hour)).some(
          (at) => isDuring(at, one) && isDuring(at, other),
        );
        expect(overlaps(one, other)).toBe(shared);
        expect(overlaps(other, one)).toBe(shared);
      }),
    );
  });

  test('phases advance in order, and the button never offers an action that the server refuses', () => {
    const role = fc.constantFrom('organiser' as const, 'attendee' as const, null);
    const order = ['upcoming', 'in_progress', 'previous'];
    fc.assert(
      fc.property(
        times,
        anyInstant,
        anyInstant,
        anyInstant,
        role,
        fc.boolean(),
        (at, entry, one, other, my_role, gone) => {
          const [earlier, later] = one < other ? [one, other] : [other, one];
          expect(order.indexOf(phaseOf(at, earlier))).toBeLessThanOrEqual(order.indexOf(phaseOf(at, later)));

          const deleted_at = gone ? now : null;
          const which = { ...at, entry_until_time: entry, deleted_at, my_role, host, polling: false };
          const action = actionFor(which, one);
          expect(action === 'over').toBe(isClosed(which, one));
          if (action === 'attend') expect(whyCannotAttend(which, one)).toBeUndefined();
          if (action === 'attending') expect(whyCannotUnattend(which, my_role, one)).toBeUndefined();
          if (action === 'cancel') expect(whyCannotCancel(which, my_role, one)).toBeUndefined();
        },
      ),
    );
  });
});

describe('the history entry of a change', () => {
  const whole = { ...emptyEventFields, ...event(), time_zone: 'UTC', name: 'Run' };

  test('is undefined if nothing changed', () => {
    expect(changeBetween(whole, { ...whole })).toBeUndefined();
  });

  test('contains only the changed fields, with texts cut at 300 characters', () => {
    const long = { ...whole, details: '💬'.repeat(301) };
    expect(changeBetween(long, { ...whole, name: 'Walk' })).toEqual({
      before: { name: 'Run', details: '💬'.repeat(300) },
      after: { name: 'Walk', details: '' },
      long_texts: { details: long.details },
    });
    expect(changeBetween(whole, long)?.long_texts).toBeNull();
  });
});

describe('undo', () => {
  const change = {
    kind: 'edit',
    changed_at: now,
    undone_at: null,
    actor_id: 'ada',
    sequence: 3,
  } as const;
  test.each([
    ['allowed for the last change within a minute', {}, 59, undefined],
    ['refused after a minute', {}, 60, 'too_late'],
    ['refused for an earlier change', { sequence: 2 }, 1, 'too_late'],
    ['refused for an undone change', { undone_at: now }, 1, 'too_late'],
    ['refused for a cancellation', { kind: 'cancelled' }, 1, 'too_late'],
    ["refused for somebody else's change", { actor_id: 'bob' }, 1, 'not_yours'],
    ['refused for a change by a deleted account', { actor_id: null }, 1, 'not_yours'],
  ] as const)('%s [HIST-06]', (_, part, seconds, code) => {
    expect(whyCannotUndo({ version: 3 }, { ...change, ...part }, 'ada', addSeconds(now, seconds))).toBe(code);
  });
});

test.each([
  ['before `until`, they are shown', { until: fromNow(1) }, null, true],
  ['from `until` on, they are not shown', { until: now }, null, false],
  ['if the event is cancelled, they are not shown', { until: fromNow(1) }, now, false],
])('times before a change: %s', (_, until, deleted_at, isShown) => {
  const moved_from = { start_time: now, end_time: now, ...until };
  expect(timesBefore({ moved_from, deleted_at }, now)).toBe(isShown ? moved_from : undefined);
  expect(timesBefore({ moved_from: null, deleted_at }, now)).toBeUndefined();
});

const section = (id: string, going: number) => ({ id, name: id, going, maybe: 5, silent: 5 });

describe('shortage', () => {
  const people = { user_count: 5, guest_count: 2, section_counts: [section('tenor', 2), section('bass', 3)] };

  test.each<[needed: Record<string, number>, people: number, sections: [string, number][], enough: boolean]>([
    [{ all: 7 }, 0, [], true],
    [{ all: 8 }, 1, [], false],
    [{ tenor: 2, bass: 3 }, 0, [], true],
    [
      { tenor: 3, bass: 5 },
      0,
      [
        ['tenor', 1],
        ['bass', 2],
      ],
      false,
    ],
    [{ all: 10, tenor: 3, bass: 1 }, 3, [['tenor', 1]], false],
  ])(
    'of an event that needs %j: %d people and %j; enough: %s [SECT-07]',
    (needed, missing, sections, enough) => {
      const shortage = shortageOf({ ...people, needed });
      expect(shortage?.people).toBe(missing);
      expect(shortage?.sections.map(({ name, missing: n }) => [name, n])).toEqual(sections);
      expect(shortage && isEnough(shortage)).toBe(enough);
    },
  );

  test('without numbers there is none [SECT-07]', () => {
    expect(shortageOf({ ...people, needed: {} })).toBeUndefined();
  });
});

const card = (id: string, is_for_me: boolean, polling = false) => ({
  ...event(),
  id,
  is_for_me,
  polling,
  series: null,
  my_role: null,
  my_answer: null,
  must_confirm: false,
  has_voted: false,
  seats_left: null,
  waitlist: true,
});

test('events to answer: those for other sections are only among the others [SECT-04]', () => {
  const events = [card('mine', true), card('theirs', false), card('poll', false, true)];
  const { unanswered, others } = openEvents(events as never[], now) as Record<string, { id: string }[]>;
  expect(unanswered?.map(({ id }) => id)).toEqual(['mine']);
  expect(others?.map(({ id }) => id)).toEqual(['theirs']);
});
