import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import {
  appOf,
  clubFeedPath,
  eventFile,
  googleAddByUrlPage,
  googleEventLink,
  iCalendar,
  microsoftLink,
  outlookEventLink,
  personalFeedPath,
  showsUntil,
  webcalLink,
  windowOf,
  type CalendarEvent,
} from '#features/calendar/rules.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';

const run: CalendarEvent = {
  ...emptyEventFields,
  id: '6e2a3a34-7f43-4b5f-8a3e-1f0a5c1b2d3e',
  slug: 'tuesday-run-abcdefghij',
  name: 'Tuesday run',
  description: 'Easy pace',
  details: 'Bring a light',
  location_name: 'Pier 3',
  start_time: '2027-03-28T00:30:00.000Z',
  end_time: '2027-03-29T00:30:00.000Z',
  time_zone: 'Europe/Berlin',
  created_at: '2027-01-01T08:00:00.500Z',
  updated_at: '2027-02-01T08:00:00.999Z',
  sequence: 4,
  deleted_at: null,
  answer: 'going' as const,
  guests: 0,
  reader_changed_at: null,
};
const feed = {
  name: 'Harbour Rowers',
  productName: 'Muster',
  publicUrl: 'https://muster.example:8443',
  page: '/app/clubs/harbour-rowers',
  source: '/api/v1/clubs/x/ical/y/calendar.ics',
};

/** The text after the round trip through a calendar: one kind of line break, no other control characters. */
const plain = (value: string) =>
  value.replaceAll(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\n').replaceAll(/[^\P{Cc}\t\n]/gu, '');

/** ical.js does not know that the property NAME is of type TEXT, so it does not unescape its value. */
const unescaped = (value = '') =>
  value.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

const valuesOf = (component: InstanceType<typeof ICAL.Component>) =>
  Object.fromEntries(
    component.getAllProperties().map((property) => [property.name, String(property.getFirstValue())]),
  );

function read(document: string) {
  const calendar = new ICAL.Component(ICAL.parse(document));
  const events = calendar.getAllSubcomponents('vevent');
  return {
    calendar: valuesOf(calendar),
    events: events.map(valuesOf),
    kinds: calendar.getAllSubcomponents().map((c) => c.name),
  };
}

test('feed: a complete document, byte for byte', () => {
  expect(iCalendar(feed, [run])).toBe(
    [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Muster//Club calendar//EN',
      'CALSCALE:GREGORIAN',
      'NAME:Harbour Rowers',
      'X-WR-CALNAME:Harbour Rowers',
      'X-WR-TIMEZONE:UTC',
      'URL:https://muster.example:8443/app/clubs/harbour-rowers',
      'SOURCE;VALUE=URI:https://muster.example:8443/api/v1/clubs/x/ical/y/calendar',
      ' .ics',
      'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
      'X-PUBLISHED-TTL:PT1H',
      'BEGIN:VEVENT',
      'UID:6e2a3a34-7f43-4b5f-8a3e-1f0a5c1b2d3e',
      'SEQUENCE:4',
      'DTSTAMP:20270201T080000Z',
      'CREATED:20270101T080000Z',
      'LAST-MODIFIED:20270201T080000Z',
      'DTSTART:20270328T003000Z',
      'DTEND:20270329T003000Z',
      'SUMMARY:Tuesday run',
      'LOCATION:Pier 3',
      'DESCRIPTION:You are going.\\n\\nEasy pace\\n\\nBring a light\\n\\nhttps://muster.',
      ' example:8443/app/events/tuesday-run-abcdefghij',
      'URL:https://muster.example:8443/app/events/tuesday-run-abcdefghij',
      'STATUS:CONFIRMED',
      'TRANSP:OPAQUE',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  );
});

test('feed: without events contains only a cancelled placeholder dated 1970', () => {
  const document = iCalendar(feed, []);
  const { calendar, events, kinds } = read(document);
  expect(calendar).toMatchObject({ name: 'Harbour Rowers' });
  expect(kinds).toEqual(['vevent']);
  expect(events).toEqual([
    {
      uid: 'b6a1d0f4-5f0e-4c3a-9d57-0c1f2e8a7d11',
      sequence: '0',
      dtstamp: '1970-01-01T00:00:00Z',
      dtstart: '1970-01-01T00:00:00Z',
      summary: 'No events',
      status: 'CANCELLED',
    },
  ]);
  expect(read(iCalendar(feed, [run])).events).toHaveLength(1);
});

test('feed: omits properties without a value, but not values that end in a colon', () => {
  const bare = { ...run, name: '\u0001', location_name: '', description: '', details: '' };
  const document = iCalendar({ ...feed, name: '\u0001' }, [bare, { ...run, name: 'LOCATION:' }]);
  expect(document).not.toMatch(/^[A-Z-]+:\r$/m);
  const [event, other] = read(document).events;
  for (const name of ['summary', 'location', 'categories']) expect(event).not.toHaveProperty(name);
  expect(other).toMatchObject({ summary: 'LOCATION:', location: 'Pier 3' });
});

test.each([
  [{ answer: 'going', deleted_at: null }, 'CONFIRMED', 'OPAQUE', 'Tuesday run'],
  [{ answer: 'maybe', deleted_at: null }, 'TENTATIVE', 'TRANSPARENT', 'Maybe: Tuesday run'],
  [{ answer: 'waiting', deleted_at: null }, 'TENTATIVE', 'TRANSPARENT', 'Waitlist: Tuesday run'],
  [{ answer: 'no', deleted_at: null }, 'CONFIRMED', 'TRANSPARENT', 'Tuesday run'],
  [{ answer: null, deleted_at: null }, 'CONFIRMED', 'TRANSPARENT', 'Tuesday run'],
  [{ answer: 'going', deleted_at: run.updated_at }, 'CANCELLED', 'TRANSPARENT', 'Cancelled: Tuesday run'],
  [{ answer: 'maybe', deleted_at: run.updated_at }, 'CANCELLED', 'TRANSPARENT', 'Cancelled: Tuesday run'],
] as const)('entry: with %j is %s and %s', (state, status, transp, summary) => {
  const [event] = read(iCalendar(feed, [{ ...run, ...state }])).events;
  expect(event).toMatchObject({ status, transp, summary });
});

test.each([
  ['going', 0, 'You are going.'],
  ['going', 2, 'You are going (+2).'],
  ['waiting', 1, 'You are on the waitlist (+1).'],
  ['maybe', 1, 'You may come (+1).'],
  ['no', 0, "You can't go."],
  [null, 0, 'You have not answered.'],
  [undefined, 0, 'Easy pace'],
] as const)(
  'entry: for a reader whose answer is %s with %i guests, the description begins with "%s" [RELAY-03]',
  (answer, guests, line) => {
    const [event] = read(iCalendar(feed, [{ ...run, answer, guests }])).events;
    expect(event?.['description']?.split('\n', 1)).toEqual([line]);
  },
);

test.each([
  ['who joined before it was created', '2026-12-31T23:00:00.000Z', 4, '20270201T080000Z'],
  ['who answered an hour after it was created', '2027-01-01T09:00:00.700Z', 3604, '20270201T080000Z'],
  ['who answered after its last change', '2027-02-01T08:00:01.000Z', 2_678_404, '20270201T080001Z'],
])('entry: SEQUENCE and timestamps for a reader %s', (_, reader_changed_at, sequence, time) => {
  const document = iCalendar(feed, [{ ...run, reader_changed_at }]);
  expect(document).toContain(`\r\nSEQUENCE:${sequence}\r\nDTSTAMP:${time}\r\n`);
  expect(document).toContain(`\r\nLAST-MODIFIED:${time}\r\n`);
});

test('entry: an event without duration has no DTEND', () => {
  const [event] = read(iCalendar(feed, [{ ...run, end_time: run.start_time }])).events;
  expect(event?.['dtstart']).toBe('2027-03-28T00:30:00Z');
  expect(event).not.toHaveProperty('dtend');
});

test('windowOf: ninety days, and seven days for cancelled events', () => {
  expect(windowOf('2027-04-01T00:00:00.000Z')).toEqual({
    from: '2027-01-01T00:00:00.000Z',
    cancelledFrom: '2027-03-25T00:00:00.000Z',
  });
});

describe('document with any texts', () => {
  const nasty = fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    '\u2028',
    '\u0085',
    '\v',
    ';',
    ',',
    '\\',
    ':',
    '"',
    '\t',
    '👩‍🚀',
    'é',
    '日',
    ' ',
    '\r\nATTENDEE:mailto:e@example.org',
    '\nEND:VEVENT',
    '\u0001',
  );
  const anyText = fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 60, size: 'max' }) },
        nasty,
        fc.string(),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed().trim());
  const properties = new Set(
    'uid sequence dtstamp created last-modified dtstart dtend summary location description url status transp'.split(
      ' ',
    ),
  );

  test('name, location and description each become exactly one value, and no other property [T28 RELAY-12]', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (name, location_name, description, clubName) => {
        const document = iCalendar({ ...feed, name: clubName }, [
          { ...run, name, location_name, description, details: '', answer: undefined },
        ]);
        const { calendar, events, kinds } = read(document);
        expect(kinds).toEqual(['vevent']);
        const empty = Object.entries({ summary: plain(name), location: plain(location_name) }).flatMap(
          ([property, value]) => (value ? [] : [property]),
        );
        expect(new Set(Object.keys(events[0] ?? {}))).toEqual(properties.difference(new Set(empty)));
        const [file] = read(
          eventFile(feed, { ...run, name, location_name, description, details: '' }),
        ).events;
        expect(new Set(Object.keys(file ?? {}))).toEqual(properties.difference(new Set(empty)));
        expect(unescaped(calendar['name'])).toBe(plain(clubName));
        if (plain(clubName))
          expect(document.replaceAll('\r\n ', '')).toMatch(/\r\nNAME:(.*)\r\nX-WR-CALNAME:\1\r\n/u);
        expect(events[0]?.['summary'] ?? '').toBe(plain(name));
        expect(events[0]?.['location'] ?? '').toBe(plain(location_name));
        expect(events[0]?.['description']).toSatisfy((text: string) => text.startsWith(plain(description)));
      }),
      { numRuns: 500 },
    );
  });

  test('every line ends in CRLF, has at most 75 bytes and splits no character [T28]', () => {
    const unit = fc.constantFrom('a', 'é', '日', '😀', ',', '\n');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200, size: 'max' }), (name) => {
        const bytes = Buffer.from(iCalendar(feed, [{ ...run, name }]));
        expect(bytes.subarray(-2).toString()).toBe('\r\n');
        const lines = bytes.toString('latin1').split('\r\n').slice(0, -1);
        for (const line of lines) {
          expect(line).not.toMatch(/[\r\n]/);
          expect(line.length).toBeLessThanOrEqual(75);
          expect(Buffer.from(line, 'latin1').toString('utf8')).not.toContain('\ufffd');
        }
      }),
    );
  });

  test.each([66, 67, 68, 69, 70, 71])(
    'after %d bytes of the value, a character that would cross byte 75 of the line moves to the next line',
    (before) => {
      for (const character of ['é', '日', '😀'])
        expect(
          read(iCalendar(feed, [{ ...run, name: 'x'.repeat(before) + character }])).events[0]?.['summary'],
        ).toBe('x'.repeat(before) + character);
    },
  );
});

describe('links', () => {
  const url = 'https://muster.example/api/v1/users/s3cret/ical/calendar.ics';

  test('to a feed for Apple and Outlook use webcal', () => {
    expect(webcalLink(url)).toBe('webcal://muster.example/api/v1/users/s3cret/ical/calendar.ics');
    expect(webcalLink('http://localhost:3000/x')).toBe('webcal://localhost:3000/x');
  });

  test('to a feed for Microsoft 365 contain URL and name', () => {
    const link = new URL(microsoftLink(url, 'Rowers & Sons + 1'));
    expect(link.origin + link.pathname).toBe('https://outlook.office.com/calendar/0/addfromweb');
    expect(Object.fromEntries(link.searchParams)).toEqual({ url, name: 'Rowers & Sons + 1' });
    expect(link.search).not.toContain('+');
  });

  test('to a feed for Google open the page for pasting the URL', () => {
    expect(googleAddByUrlPage).toBe('https://calendar.google.com/calendar/u/0/r/settings/addbyurl');
  });

  test('to add one event to Google and Outlook contain its times in UTC', () => {
    const eventUrl = 'https://muster.example/app/events/tuesday-run-abcdefghij';
    const google = new URL(googleEventLink(run, eventUrl)).searchParams;
    expect(Object.fromEntries(google)).toEqual({
      action: 'TEMPLATE',
      text: 'Tuesday run',
      dates: '20270328T003000Z/20270329T003000Z',
      details: `Easy pace\n\n${eventUrl}`,
      location: 'Pier 3',
    });
    const outlook = new URL(outlookEventLink(run, eventUrl)).searchParams;
    expect(Object.fromEntries(outlook)).toMatchObject({
      subject: 'Tuesday run',
      startdt: run.start_time,
      enddt: run.end_time,
      location: 'Pier 3',
    });
  });

  test('to the feeds have the documented paths', () => {
    expect(clubFeedPath('rowers', 's')).toBe('/api/v1/clubs/rowers/ical/s/calendar.ics');
    expect(personalFeedPath('s')).toBe('/api/v1/users/s/ical/calendar.ics');
  });
});

test.each([
  ['no events', [], '9999'],
  ['one event', [run], '2027-06-27T00:30:00.000Z'],
  ['a cancelled event', [{ ...run, deleted_at: run.updated_at }], '2027-04-05T00:30:00.000Z'],
  [
    'several events',
    [run, { ...run, end_time: '2027-02-01T00:00:00.000Z' }, { ...run, deleted_at: run.updated_at }],
    '2027-04-05T00:30:00.000Z',
  ],
])('showsUntil: no event drops out of a feed of %s before $2', (_, events, until) => {
  expect(showsUntil(events)).toBe(until);
  if (events.length === 0) return;
  const isShown = (now: string) =>
    events.filter(({ end_time, deleted_at }) => {
      const { from, cancelledFrom } = windowOf(now);
      return end_time > (deleted_at ? cancelledFrom : from);
    }).length;
  const before = new Date(Date.parse(until) - 1).toISOString();
  expect([isShown(before), isShown(until)]).toEqual([events.length, events.length - 1]);
});

const descriptionIn = (event: CalendarEvent) => read(iCalendar(feed, [event])).events[0]?.['description'];

test('description: states the start before a move, in the time zone of the event, unless the event is cancelled', () => {
  const moved = { ...run, moved_from: '2026-11-24T18:00:00.000Z' };
  expect(descriptionIn(moved)).toMatch(/^You are going\.\n\nMoved from Tue 24 Nov, 7:00 pm\./);
  expect(descriptionIn({ ...moved, deleted_at: run.created_at })).not.toContain('Moved');
  expect(descriptionIn(run)).not.toContain('Moved');
});

test.each([
  ['time', 'Please confirm: the time has changed.'],
  ['place', 'Please confirm: the place has changed.'],
  ['event', 'Please confirm: the event has changed.'],
] as const)(
  'description: after a change of the %s, begins with the request to confirm until the reader does so [RELAY-03]',
  (changed, line) => {
    const unconfirmed = { ...run, must_confirm: true, asked_about: changed };
    expect(descriptionIn(unconfirmed)?.split('\n', 1)).toEqual([line]);
    expect(descriptionIn({ ...unconfirmed, deleted_at: run.created_at })).not.toContain('confirm');
  },
);

test.each([
  ['Google-Calendar-Importer', 'google'],
  ['Mozilla/5.0 (compatible; Google-Calendar-Importer)', 'google'],
  ['iOS/18.5 (22F76) dataaccessd/1.0', 'apple'],
  ['macOS/13.4 (22F66) dataaccessd/1.0', 'apple'],
  ['macOS/15.4 (24E248) CalendarAgent/990', 'apple'],
  ['Mac+OS+X/10.15.7 (19H2) CalendarAgent/930.5.1', 'apple'],
  ['Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17628; Pro)', 'outlook'],
  ['Microsoft Exchange/15.20', 'outlook'],
  ['Outlook-iOS/2.0', 'outlook'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:128.0) Gecko/20100101 Thunderbird/128.0', 'other'],
  ['ICSx5/2.2.3 (ical4j/3.2.18)', 'other'],
  ['', 'other'],
])('appOf: %s is %s [RELAY-04]', (userAgent, app) => {
  expect(appOf(userAgent)).toBe(app);
});

const linesOf = (document: string) => document.replaceAll('\r\n ', '').split('\r\n');

describe('an invitation by mail', () => {
  const invitation = { organizer: 'calendar@muster.example', attendee: 'bob+club@example.org' };

  test.each([
    ['going', 'ACCEPTED'],
    ['waiting', 'TENTATIVE'],
    ['maybe', 'TENTATIVE'],
    ['no', 'DECLINED'],
    [null, 'NEEDS-ACTION'],
  ] as const)(
    'states the answer %s as %s, and names only the organizer and the reader [RELAY-10]',
    (answer, status) => {
      const event = { ...run, answer };
      const lines = linesOf(eventFile(feed, event, invitation));
      const added = lines.filter((line) => !linesOf(eventFile(feed, event)).includes(line));
      expect(added).toEqual([
        'METHOD:REQUEST',
        'ORGANIZER:mailto:calendar@muster.example',
        `ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=${status};RSVP=FALSE:mailto:bob+club@example.org`,
      ]);
      // METHOD is a property of the calendar, not of the event.
      expect(lines.indexOf('METHOD:REQUEST')).toBeLessThan(lines.indexOf('BEGIN:VEVENT'));
    },
  );

  test('of a cancelled event has the method CANCEL, and the UID and SEQUENCE of the feed [RELAY-10]', () => {
    const cancelled = { ...run, deleted_at: run.updated_at };
    const lines = linesOf(eventFile(feed, cancelled, invitation));
    const inFeed = linesOf(iCalendar(feed, [cancelled]));
    expect(lines).toEqual(expect.arrayContaining(['METHOD:CANCEL', 'STATUS:CANCELLED']));
    for (const property of ['UID:', 'SEQUENCE:'])
      expect(lines.find((line) => line.startsWith(property))).toBe(
        inFeed.find((line) => line.startsWith(property)),
      );
  });

  test('writes an address that tries to inject a property as one value [RELAY-10]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const attendee = `${name}\r\nATTENDEE:x;,@example.org`;
        const component = new ICAL.Component(
          ICAL.parse(eventFile(feed, run, { ...invitation, attendee })) as [string, unknown[], unknown[]],
        );
        const values = component.getFirstSubcomponent('vevent')?.getAllProperties('attendee') ?? [];
        expect(values).toHaveLength(1);
        expect(decodeURIComponent(String(values[0]?.getFirstValue()))).toBe(`mailto:${attendee}`);
      }),
    );
  });
});
