import { addSeconds, type Instant } from '#wire/instant.ts';
import type { CalendarApp } from '#features/calendar/contract.ts';
import { eventDayAndTime } from '#wire/format.ts';
import { look } from '#wire/look.ts';
import { t } from '#features/calendar/feed-messages.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { EventCard } from '#features/events/contract.ts';
import {
  emptyEventFields,
  eventFieldKeys,
  eventFields,
  fieldText,
  type EventFields,
} from '#features/events/field-contract.ts';

const day = 24 * 60 * 60;

/** An event as a calendar entry. */
export interface CalendarEvent extends EventFields {
  id: string;
  slug: string;
  start_time: Instant;
  end_time: Instant;
  time_zone: string;
  /** The start before the last change of times. */
  moved_from?: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  sequence: number;
  deleted_at: Instant | null;
  /** Whether the entry is one of the proposed times of a poll. Then `id` is that of the time, not of the event. */
  polling?: boolean;
  /** The answer of the calendar's owner. Missing for outsiders. */
  answer?: Answer | null;
  guests: number;
  /** Whether the owner has to confirm their answer. */
  must_confirm?: boolean;
  /** The change for which the owner has to confirm their answer. */
  asked_about?: EventCard['asked_about'];
  /** When the owner last changed their answer or joined the club. */
  reader_changed_at: Instant | null;
  /** Set in feeds that cover several clubs. */
  club_name?: string | null;
}

/** The entry as outsiders get it: the fields of the preview, and what calendars need. */
export function previewOf(event: CalendarEvent): CalendarEvent {
  const { id, slug, name, description, location_name, start_time, end_time, time_zone } = event;
  const { created_at, updated_at, sequence, deleted_at } = event;
  const preview = { id, slug, name, description, location_name, start_time, end_time, time_zone };
  const revision = { created_at, updated_at, sequence, deleted_at, reader_changed_at: null };
  return { ...emptyEventFields, ...preview, ...revision, guests: 0 };
}

export interface Feed {
  name: string;
  productName: string;
  /** The origin of the URLs of events and feeds. */
  publicUrl: string;
  /** Path of the app page with the same content. */
  page: string;
  /** Path of the feed itself. */
  source: string;
}

/** How long after its end an event stays in a feed, in seconds. */
const retention = { held: 90 * day, cancelled: 7 * day };

/** A feed contains events that end after these times. */
export const windowOf = (now: Instant): { from: Instant; cancelledFrom: Instant } => ({
  from: addSeconds(now, -retention.held),
  cancelledFrom: addSeconds(now, -retention.cancelled),
});

/** When the first of the given events drops out of the feed. */
export const showsUntil = (events: readonly CalendarEvent[]): Instant =>
  events
    .map(({ end_time, deleted_at }) =>
      addSeconds(end_time, deleted_at ? retention.cancelled : retention.held),
    )
    .reduce((earliest, time) => (time < earliest ? time : earliest), '9999');

export const clubFeedPath = (club: string, secret: string): string =>
  `/api/v1/clubs/${club}/ical/${secret}/calendar.ics`;

export const personalFeedPath = (secret: string): string => `/api/v1/users/${secret}/ical/calendar.ics`;

export const eventPath = (slug: string): string => `/app/events/${slug}`;

/** Opens the subscription dialog of Apple's and Outlook's calendars. */
export const webcalLink = (feedUrl: string): string => feedUrl.replace(/^https?:/, 'webcal:');

export const microsoftLink = (feedUrl: string, name: string): string =>
  withQuery('https://outlook.office.com/calendar/0/addfromweb', { url: feedUrl, name });

/** Google accepts no URL parameter here; the user pastes the feed URL on this page. */
export const googleAddByUrlPage = 'https://calendar.google.com/calendar/u/0/r/settings/addbyurl';

type CalendarLinkEvent = Pick<
  CalendarEvent,
  'name' | 'description' | 'location_name' | 'start_time' | 'end_time'
>;

/** Adds one event to a Google calendar, without later updates. */
export const googleEventLink = (event: CalendarLinkEvent, eventUrl: string): string =>
  withQuery('https://calendar.google.com/calendar/render', {
    action: 'TEMPLATE',
    text: event.name,
    dates: `${utc(event.start_time)}/${utc(event.end_time)}`,
    details: paragraphs(event.description, eventUrl),
    location: event.location_name,
  });

/** Adds one event to an Outlook calendar, without later updates. */
export const outlookEventLink = (event: CalendarLinkEvent, eventUrl: string): string =>
  withQuery('https://outlook.live.com/calendar/0/action/compose', {
    rru: 'addevent',
    subject: event.name,
    startdt: event.start_time,
    enddt: event.end_time,
    body: paragraphs(event.description, eventUrl),
    location: event.location_name,
  });

// Outlook does not decode '+' as a space, so spaces are encoded as %20.
const withQuery = (page: string, query: Record<string, string>): string =>
  `${page}?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`;

const paragraphs = (...parts: string[]): string => parts.filter(Boolean).join('\n\n');

/** A feed as an iCalendar document (RFC 5545, RFC 7986). */
export const iCalendar = (feed: Feed, events: readonly CalendarEvent[]): string =>
  vCalendar(feed, [...calendarProperties(feed), ...componentsOf(events, (event) => vEvent(feed, event))]);

/** One event as a file. It has no calendar properties, because Outlook would create a new calendar for them. */
export const eventFile = (site: Site, event: CalendarEvent, invitation?: Invitation): string =>
  vCalendar(site, [
    ...(invitation ? [`METHOD:${event.deleted_at ? 'CANCEL' : 'REQUEST'}`] : []),
    ...vEvent(site, event, invitation),
  ]);

/** The addresses in an invitation by mail. The invitation contains no other person's address. */
export interface Invitation {
  organizer: string;
  attendee: string;
}

const participation: Record<Answer, string> = {
  going: 'ACCEPTED',
  waiting: 'TENTATIVE',
  maybe: 'TENTATIVE',
  no: 'DECLINED',
};

const peopleOf = ({ organizer, attendee }: Invitation, answer: Answer | null | undefined): string[] => [
  `ORGANIZER:${mailto(organizer)}`,
  `ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=${answer ? participation[answer] : 'NEEDS-ACTION'};RSVP=FALSE:${mailto(attendee)}`,
];

/** An address as a URI (RFC 6068). */
const mailto = (address: string): string =>
  `mailto:${encodeURI(address).replaceAll(/[?#&;,]/g, encodeURIComponent)}`;

type Site = Pick<Feed, 'productName' | 'publicUrl'>;

/** Wraps the content in a VCALENDAR and folds long lines. Omits empty properties, because some parsers reject them. */
const vCalendar = ({ productName }: Pick<Site, 'productName'>, content: readonly string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${text(productName)}//Club calendar//${look().language.toUpperCase()}`,
    'CALSCALE:GREGORIAN',
    ...content,
    'END:VCALENDAR',
  ]
    .filter((line) => !/^[A-Z-]+:$/.test(line))
    .map((line) => `${fold(line)}\r\n`)
    .join('');

/**
 * RFC 5545 requires at least one component. Sync clients treat an empty calendar as broken and do not remove the entry
 * that it contained last, so an empty feed contains a cancelled placeholder dated 1970.
 */
const componentsOf = <Entry>(entries: readonly Entry[], component: (entry: Entry) => string[]): string[] =>
  entries.length > 0 ? entries.flatMap(component) : placeholder();

const placeholder = () => [
  'BEGIN:VEVENT',
  'UID:b6a1d0f4-5f0e-4c3a-9d57-0c1f2e8a7d11',
  'SEQUENCE:0',
  'DTSTAMP:19700101T000000Z',
  'DTSTART:19700101T000000Z',
  `SUMMARY:${text(t('noEvents'))}`,
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
 * SEQUENCE and LAST-MODIFIED of an event in one reader's calendar. Answering and joining change the entry for that
 * reader only, so SEQUENCE adds the seconds from the creation of the event to the reader's last answer or join. Neither
 * value ever decreases.
 */
function revisionOf({ sequence, created_at, updated_at, reader_changed_at }: CalendarEvent) {
  const readerChangedAt = later(created_at, reader_changed_at);
  const seconds = Math.floor((Date.parse(readerChangedAt) - Date.parse(created_at)) / 1000);
  return { sequence: sequence + seconds, changed_at: later(updated_at, readerChangedAt) };
}

/** The title of an entry. It says if the event is cancelled, or if it is not certain that the reader goes. */
function titleOf({ name: event, deleted_at, polling, answer }: CalendarEvent): string {
  if (deleted_at !== null) return t('cancelledEvent', { event });
  if (polling) return t('pollOfEvent', { event });
  if (answer === 'waiting') return t('waitingForEvent', { event });
  return answer === 'maybe' ? t('maybeEvent', { event }) : event;
}

const later = (one: Instant, other: Instant | null): Instant => (other && other > one ? other : one);

function vEvent({ publicUrl }: Site, event: CalendarEvent, invitation?: Invitation): string[] {
  const url = publicUrl + eventPath(event.slug);
  const start = utc(event.start_time);
  const end = utc(event.end_time);
  const revision = revisionOf(event);
  const changed = utc(revision.changed_at);
  const cancelled = event.deleted_at !== null;
  const isTentative = event.polling || event.answer === 'waiting' || event.answer === 'maybe';
  const status = cancelled ? 'CANCELLED' : isTentative ? 'TENTATIVE' : 'CONFIRMED';
  return [
    'BEGIN:VEVENT',
    `UID:${event.id}`,
    `SEQUENCE:${revision.sequence}`,
    `DTSTAMP:${changed}`,
    `CREATED:${utc(event.created_at)}`,
    `LAST-MODIFIED:${changed}`,
    `DTSTART:${start}`,
    // DTEND must be after DTSTART; without DTEND the event has no duration.
    ...(end > start ? [`DTEND:${end}`] : []),
    `SUMMARY:${text(titleOf(event))}`,
    `LOCATION:${text(event.location_name)}`,
    `DESCRIPTION:${text(descriptionOf(event, url))}`,
    `CATEGORIES:${text(event.club_name ?? '')}`,
    `URL:${url}`,
    `STATUS:${status}`,
    ...(invitation ? peopleOf(invitation, event.answer) : []),
    `TRANSP:${event.answer === 'going' && !cancelled ? 'OPAQUE' : 'TRANSPARENT'}`,
    'END:VEVENT',
  ];
}

const movedFrom = ({ moved_from, time_zone, deleted_at }: CalendarEvent): string =>
  moved_from && deleted_at === null ? t('movedFrom', { time: eventDayAndTime(moved_from, time_zone) }) : '';

const changed = {
  time: () => t('confirmTime'),
  place: () => t('confirmPlace'),
  event: () => t('confirmEvent'),
};

function answerOf(event: CalendarEvent): string {
  const { answer, guests, deleted_at, must_confirm, asked_about, polling } = event;
  if (answer === undefined || deleted_at !== null) return '';
  if (polling) return t('timeIsOpen');
  if (must_confirm) return changed[asked_about ?? 'event']();
  if (answer === null || answer === 'no') return t(answer ?? 'notAnswered');
  return t(answer, { guests });
}

/** The value of DESCRIPTION: everything that has no iCalendar property of its own. */
function descriptionOf(event: CalendarEvent, url: string): string {
  const texts = eventFieldKeys.filter((key) => eventFields[key].kind === 'text');
  return paragraphs(
    answerOf(event),
    movedFrom(event),
    event.club_name ?? '',
    ...texts.map((key) => fieldText(event, key)),
    url,
  );
}

/** An instant as '20270328T090000Z'. */
const utc = (time: Instant): string => `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** A value of type TEXT. Every kind of line break is escaped, so that text cannot inject a property. */
const text = (value: string): string =>
  value
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, '\\n')
    .replaceAll(/[^\P{Cc}\t]/gu, '');

const maxLineBytes = 75;

/** Length of a character in UTF-8. */
function bytes(character: string): number {
  const point = character.codePointAt(0) as number;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** Folds a line to 75 bytes, including the space that starts a continuation, and never inside a character. */
function fold(line: string): string {
  let folded = '';
  let length = 0;
  for (const character of line) {
    const size = bytes(character);
    if (length + size > maxLineBytes) {
      folded += '\r\n ';
      length = 1;
    }
    folded += character;
    length += size;
  }
  return folded;
}

const userAgents: [CalendarApp, RegExp][] = [
  ['google', /Google-Calendar/i],
  // Before Apple, because Outlook for Mac also names its operating system.
  ['outlook', /Outlook|Exchange|Microsoft Office|Office ?365/i],
  ['apple', /dataaccessd|CalendarAgent|CoreDAV|^iOS\/|^macOS\//i],
];

/** The kind of app that fetches a feed. */
export const appOf = (userAgent: string): CalendarApp =>
  userAgents.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'other';

/** Whether a browser sent the request. Unlike a calendar app, it shows the feed once and does not fetch it again. */
export const isBrowser = (accept: string): boolean => /\btext\/html\b/i.test(accept);

/** The content of a retired feed URL: the upcoming events that the feed contained when it was retired. */
export interface RetiredFeed {
  entries: readonly Pick<CalendarEvent, 'id' | 'start_time' | 'sequence'>[];
  retired_at: Instant;
}

/** Seconds during which a retired URL still works, long enough for calendar apps that rarely fetch. */
const retirementPeriod = 30 * day;

export const retiredUntil = ({ retired_at }: RetiredFeed): Instant =>
  addSeconds(retired_at, retirementPeriod);

export const retiredSince = (now: Instant): Instant => addSeconds(now, -retirementPeriod);

/** Cancellations without details. After a 404 a calendar app would keep the entries of its last fetch for ever. */
export const bareCancellations = (productName: string, { entries, retired_at }: RetiredFeed): string =>
  vCalendar(
    { productName },
    componentsOf(entries, ({ id, start_time, sequence }) => [
      'BEGIN:VEVENT',
      `UID:${id}`,
      `SEQUENCE:${sequence}`,
      `DTSTAMP:${utc(retired_at)}`,
      `DTSTART:${utc(start_time)}`,
      `SUMMARY:${text(t('cancelled'))}`,
      'STATUS:CANCELLED',
      'END:VEVENT',
    ]),
  );
