import { addSeconds, type Instant } from '#wire/instant.ts';

const day = 24 * 60 * 60;

/** An event as it stands in a calendar. */
export interface CalendarEvent {
  id: string;
  slug: string;
  name: string;
  description: string;
  details: string;
  location_name: string;
  start_time: Instant;
  end_time: Instant;
  created_at: Instant;
  updated_at: Instant;
  sequence: number;
  deleted_at: Instant | null;
  /** Whether the one whose calendar it is takes part. */
  attends: boolean;
  /** When they last changed their answer or joined the club. */
  reader_changed_at: Instant | null;
  /** Of the club whose event it is, where a calendar shows more than one. */
  club_name?: string | null;
}

export interface Feed {
  name: string;
  productName: string;
  /** The origin that events and feeds are reached under. */
  publicUrl: string;
  /** The page that shows the same in the app, as a path. */
  page: string;
  /** Where the feed itself is fetched, as a path. */
  source: string;
}

/** How long past their ends a feed shows events; what was cancelled, as cancelled. Seconds. */
const stays = { held: 90 * day, cancelled: 7 * day };

/** From when on a feed shows events, by their end. */
export const windowOf = (now: Instant): { from: Instant; cancelledFrom: Instant } => ({
  from: addSeconds(now, -stays.held),
  cancelledFrom: addSeconds(now, -stays.cancelled),
});

/** When the first of these events will be too long over to be shown. */
export const showsUntil = (events: readonly CalendarEvent[]): Instant =>
  events
    .map(({ end_time, deleted_at }) => addSeconds(end_time, deleted_at ? stays.cancelled : stays.held))
    .reduce((earliest, moment) => (moment < earliest ? moment : earliest), '9999');

export const clubFeedPath = (club: string, secret: string): string =>
  `/api/v1/clubs/${club}/ical/${secret}/calendar.ics`;

export const personalFeedPath = (secret: string): string => `/api/v1/users/${secret}/ical/calendar.ics`;

export const eventPath = (slug: string): string => `/app/events/${slug}`;

/** Opens the subscription dialog of Apple's and Outlook's calendars. */
export const webcalLink = (feedUrl: string): string => feedUrl.replace(/^https?:/, 'webcal:');

export const microsoftLink = (feedUrl: string, name: string): string =>
  withQuery('https://outlook.office.com/calendar/0/addfromweb', { url: feedUrl, name });

/** Google takes no address along: it opens a page to paste it on. */
export const googleAddByUrlPage = 'https://calendar.google.com/calendar/u/0/r/settings/addbyurl';

type Once = Pick<CalendarEvent, 'name' | 'description' | 'location_name' | 'start_time' | 'end_time'>;

/** Adds one event to a Google calendar, once. */
export const googleEventLink = (event: Once, eventUrl: string): string =>
  withQuery('https://calendar.google.com/calendar/render', {
    action: 'TEMPLATE',
    text: event.name,
    dates: `${utc(event.start_time)}/${utc(event.end_time)}`,
    details: paragraphs(event.description, eventUrl),
    location: event.location_name,
  });

/** Adds one event to an Outlook calendar, once. */
export const outlookEventLink = (event: Once, eventUrl: string): string =>
  withQuery('https://outlook.live.com/calendar/0/action/compose', {
    rru: 'addevent',
    subject: event.name,
    startdt: event.start_time,
    enddt: event.end_time,
    body: paragraphs(event.description, eventUrl),
    location: event.location_name,
  });

// Outlook shows a plus sign as it stands, so a space travels as %20.
const withQuery = (page: string, query: Record<string, string>): string =>
  `${page}?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`;

const paragraphs = (...parts: string[]): string => parts.filter(Boolean).join('\n\n');

/** A feed as a document after RFC 5545 and RFC 7986. */
export const iCalendar = (feed: Feed, events: readonly CalendarEvent[]): string =>
  vCalendar(feed, [...calendarProperties(feed), ...componentsOf(events, (event) => vEvent(feed, event))]);

/** One event as a file. It names no calendar: Outlook would create a new one for it. */
export const eventFile = (site: Site, event: CalendarEvent): string => vCalendar(site, vEvent(site, event));

type Site = Pick<Feed, 'productName' | 'publicUrl'>;

/** Folded lines. A property without a value is left out: some parsers reject it. */
const vCalendar = ({ productName }: Pick<Site, 'productName'>, content: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${text(productName)}//Club calendar//EN`,
    'CALSCALE:GREGORIAN',
    ...content,
    'END:VCALENDAR',
  ]
    .filter((line) => !/^[A-Z-]+:$/.test(line))
    .map((line) => `${fold(line)}\r\n`)
    .join('');

/**
 * RFC 5545 requires at least one component, and a program that syncs takes a calendar that has lost its last entry for a
 * broken one: it keeps that entry. A cancelled placeholder long ago takes its place.
 */
const componentsOf = <Entry>(entries: readonly Entry[], component: (entry: Entry) => string[]): string[] =>
  entries.length > 0 ? entries.flatMap(component) : placeholder;

const placeholder = [
  'BEGIN:VEVENT',
  'UID:b6a1d0f4-5f0e-4c3a-9d57-0c1f2e8a7d11',
  'SEQUENCE:0',
  'DTSTAMP:19700101T000000Z',
  'DTSTART:19700101T000000Z',
  'SUMMARY:No events',
  'STATUS:CANCELLED',
  'END:VEVENT',
];

function calendarProperties({ publicUrl, page, source, ...feed }: Feed): string[] {
  const name = text(feed.name);
  return [
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    'X-WR-TIMEZONE:UTC',
    `URL:${publicUrl}${page}`,
    `SOURCE;VALUE=URI:${publicUrl}${source}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ];
}

/**
 * SEQUENCE and LAST-MODIFIED of an event in the calendar of one reader. Their answers and their joining change the entry
 * for them alone, so each counts as the seconds since the event was created. Neither value ever falls.
 */
function revisionOf({ sequence, created_at, updated_at, reader_changed_at }: CalendarEvent) {
  const own = later(created_at, reader_changed_at);
  const seconds = Math.floor((Date.parse(own) - Date.parse(created_at)) / 1000);
  return { sequence: sequence + seconds, changed_at: later(updated_at, own) };
}

const later = (one: Instant, other: Instant | null): Instant => (other && other > one ? other : one);

function vEvent({ publicUrl }: Site, event: CalendarEvent): string[] {
  const url = publicUrl + eventPath(event.slug);
  const start = utc(event.start_time);
  const end = utc(event.end_time);
  const revision = revisionOf(event);
  const changed = utc(revision.changed_at);
  const cancelled = event.deleted_at !== null;
  return [
    'BEGIN:VEVENT',
    `UID:${event.id}`,
    `SEQUENCE:${revision.sequence}`,
    `DTSTAMP:${changed}`,
    `CREATED:${utc(event.created_at)}`,
    `LAST-MODIFIED:${changed}`,
    `DTSTART:${start}`,
    // An end must lie after its start; without one, the event ends as it begins.
    ...(end > start ? [`DTEND:${end}`] : []),
    `SUMMARY:${text(cancelled ? `Cancelled: ${event.name}` : event.name)}`,
    `LOCATION:${text(event.location_name)}`,
    `DESCRIPTION:${text(paragraphs(event.club_name ?? '', event.description, event.details, url))}`,
    `CATEGORIES:${text(event.club_name ?? '')}`,
    `URL:${url}`,
    `STATUS:${cancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    `TRANSP:${event.attends && !cancelled ? 'OPAQUE' : 'TRANSPARENT'}`,
    'END:VEVENT',
  ];
}

/** A moment as '20270328T090000Z'. */
const utc = (moment: Instant): string => `${moment.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** A value of type TEXT. Every line break that some program knows becomes the escaped one: none can start a property. */
const text = (value: string): string =>
  value
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\\n')
    .replaceAll(/[^\P{Cc}\t]/gu, '');

const longestLine = 75;

/** Octets of a character in UTF-8. */
function bytes(character: string): number {
  const point = character.codePointAt(0) as number;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** Lines of 75 octets at most; the space before a continuation counts, and no character is cut in two. */
function fold(line: string): string {
  let folded = '';
  let length = 0;
  for (const character of line) {
    const size = bytes(character);
    if (length + size > longestLine) {
      folded += '\r\n ';
      length = 1;
    }
    folded += character;
    length += size;
  }
  return folded;
}

/** What the address of a feed serves whose owner gave it up: what it had shown of what was to come. */
export interface RetiredFeed {
  entries: readonly Pick<CalendarEvent, 'id' | 'start_time' | 'sequence'>[];
  retired_at: Instant;
}

/** Seconds in which such an address still serves, for even the laziest of calendar apps to have fetched it. */
const retirement = 30 * day;

export const retiredUntil = ({ retired_at }: RetiredFeed): Instant => addSeconds(retired_at, retirement);

export const retiredSince = (now: Instant): Instant => addSeconds(now, -retirement);

/** Nothing but cancellations. A calendar app that got a 404 instead would show for good what it fetched the last time. */
export const bareCancellations = (productName: string, { entries, retired_at }: RetiredFeed): string =>
  vCalendar(
    { productName },
    componentsOf(entries, ({ id, start_time, sequence }) => [
      'BEGIN:VEVENT',
      `UID:${id}`,
      `SEQUENCE:${sequence}`,
      `DTSTAMP:${utc(retired_at)}`,
      `DTSTART:${utc(start_time)}`,
      'SUMMARY:Cancelled',
      'STATUS:CANCELLED',
      'END:VEVENT',
    ]),
  );
