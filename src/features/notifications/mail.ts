import type { Config } from '#platform/config.ts';
import { actorNamePlaceholder, type OutgoingEmail, type EmailContent } from '#platform/mail/message.ts';
import { Choice, eventFields, factLines, fieldText, type EventPatch } from '#features/events/contract.ts';
import type { MailKind } from '#features/notifications/contract.ts';
import { answerToken, unsubscribeToken } from '#features/notifications/handlers.ts';
import {
  carriedFiles,
  changesOf,
  isFetched,
  movesOf,
  newTimesOf,
  type MailedEvent,
  type PendingEmail,
} from '#features/notifications/mail-rules.ts';
import {
  messageOf,
  newTimeOf,
  roleNames,
  type EmailKind,
  type EventSnapshot,
} from '#features/notifications/rules.ts';
import { dayAndTimeIn, dayIn, timeIn, whenOf } from '#wire/time-in-zone.ts';
import { fullName } from '#features/users/rules.ts';

/** Renders an event as an iCalendar file, or as an invitation of the attendee. */
export type CalendarFile = (event: MailedEvent, invitation?: { attendee: string }) => string;

/** The email about a domain event. */
export function notificationEmail(
  config: Config,
  { calendarFile }: { calendarFile: CalendarFile },
  pendingEmail: PendingEmail,
): OutgoingEmail {
  const { id, user_id, email, kind, actor } = pendingEmail;
  const token = isOptional(kind) && unsubscribeToken(config, user_id, `email_${kind}`);
  const { event } = pendingEmail.payload;
  const files = carriedFiles(config, pendingEmail).map(({ event: file, method }) => ({
    filename: `${file.slug}.ics`,
    contentType: `text/calendar; charset=utf-8${method ? `; method=${method}` : ''}`,
    content: calendarFile(file, method && { attendee: email }),
    method,
  }));
  return {
    id,
    to: email,
    about: user_id,
    ...(actor && { by: { id: actor.id, name: fullName(actor) } }),
    once: true,
    words: {
      ...contentOf(config, pendingEmail),
      footer: footerOf(config, pendingEmail),
      ...(token && {
        unsubscribe: {
          label: 'Unsubscribe from these emails',
          url: `${config.publicUrl}/unsubscribe?${new URLSearchParams({ token })}`,
        },
      }),
    },
    ...(token && { headers: oneClick(config, token) }),
    ...(files.length > 0 && {
      attachments: files,
    }),
    ...(kind === 'event_reminder' && event && { until: event.start_time }),
    ...(pendingEmail.until && { until: pendingEmail.until }),
  };
}

/** Emails that are always sent have no unsubscribe link. */
const isOptional = (kind: EmailKind): kind is MailKind =>
  !['event_cancelled', 'member_removed', 'seat_given', 'unattended', 'left'].includes(kind);

/** RFC 8058: the email client posts to this URL itself. */
const oneClick = ({ publicUrl }: Config, token: string) => ({
  'List-Unsubscribe': `<${publicUrl}/api/v1/notification-settings/unsubscribe/${token}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

function footerOf({ productName }: Config, { kind, payload: { club_name } }: PendingEmail): string {
  if (kind === 'member_removed') return `You get this email because you were a member of ${club_name}.`;
  if (kind === 'left') return `You get this email because you were a member of ${club_name}.`;
  const why = `You get this email because you are a member of ${club_name} on ${productName}.`;
  return kind === 'event_cancelled' ? `${why} Cancellations are always sent.` : why;
}

/** The body of the email and the link of its button. */
function contentOf(config: Config, pendingEmail: PendingEmail): Omit<EmailContent, 'footer'> {
  const { publicUrl } = config;
  const { kind, payload } = pendingEmail;
  const { club_name, club_slug, role, host, reason, words, update = '' } = payload;
  const event = eventOf(pendingEmail);
  const path = pathOf(pendingEmail);
  const message = messageOf(kind, actorNamePlaceholder, {
    club_name,
    club_slug,
    event_name: event?.name,
    ...movesOf(payload),
    role,
    host,
    reason,
    words,
    repeats: payload.repeats,
    lift: payload.lift,
    polling: payload.times !== undefined,
    answer: kind === 'new_event' ? payload.answer : (payload.event?.answer ?? undefined),
  });
  return {
    subject: subjectOf(pendingEmail),
    preview: message,
    paragraphs: [
      message,
      ...questionIn(payload),
      ...changeLines(payload),
      ...(event ? factsOf(pendingEmail, event) : paragraphsOf(update)),
      ...withdrawal(pendingEmail),
      ...(isFetched(config, pendingEmail) ? ['Your calendar shows it at its next refresh.'] : []),
      ...(kind === 'seat_given' ? ["Can't come after all? Say so, and the next person gets your seat."] : []),
    ],
    ...(path && {
      action: {
        label: payload.times ? 'Vote' : event ? 'Open the event' : 'Open the club',
        url: publicUrl + path,
      },
    }),
    ...answerLinks(config, pendingEmail),
  };
}

/** Emails of these kinds let their readers answer by one tap. */
const offersAnswers: ReadonlySet<EmailKind> = new Set([
  'new_event',
  'event_updated',
  'event_reminder',
  'attending',
  'answered_for_you',
  'answer_wanted',
  'seat_given',
  'unattended',
]);

const answerLabels: Record<Choice, string> = { going: 'Going', maybe: 'Maybe', no: "Can't go" };

/** The link for each answer that the reader has not given. It works without a login, and only shows until confirmed. */
function answerLinks(config: Config, pendingEmail: PendingEmail): Pick<EmailContent, 'choices'> {
  const { kind, created_at, user_id, answer_key, payload } = pendingEmail;
  const { event } = payload;
  if (!event || event.polling || !answer_key || !offersAnswers.has(kind)) return {};
  if (event.end_time <= created_at) return {};
  const token = answerToken(config, { user_id, event_id: event.id, answer_key });
  const links = Choice.options
    .filter((answer) => payload.asked || answer !== event.answer)
    .map((answer) => ({
      label: answer === 'no' && skipsOne(pendingEmail) ? 'Skip this one' : answerLabels[answer],
      url: `${config.publicUrl}/answer/${token}?${new URLSearchParams({ a: answer })}`,
    }));
  return { choices: { label: event.answer ? 'Plans changed?' : 'Are you coming?', links } };
}

/** Whether 'no' is an exception from what the reader answers to every date of the series. */
const skipsOne = ({ kind, payload: { event } }: PendingEmail): boolean =>
  kind === 'event_reminder' && event?.answer === 'going' && event.via === 'standing';

/** The event that an email is about. */
const eventOf = ({ kind, payload: { event, withdrawn } }: PendingEmail): EventSnapshot | undefined =>
  kind === 'unattended' ? (withdrawn?.[0] ?? event) : event;

/** How to apply files that withdraw others. Some clients keep a cancelled entry: docs/calendar-clients.md. */
function withdrawal({ kind, payload: { withdrawn = [] } }: PendingEmail): string[] {
  if (withdrawn.length === 0) return [];
  if (withdrawn.length > 1)
    return [
      'Open the attached files to remove its events from your calendar. If they stay, delete them there.',
    ];
  const entry = kind === 'unattended' ? 'it' : 'its event';
  return [`Open the attached file to remove ${entry} from your calendar. If it stays, delete it there.`];
}

/** The subject line. */
function subjectOf(pendingEmail: PendingEmail): string {
  const { kind, payload, created_at } = pendingEmail;
  const { club_name: club, role = 0, update = '' } = payload;
  const event = eventOf(pendingEmail) as EventSnapshot;
  switch (kind) {
    case 'new_event':
      if (payload.times) return `Which time suits you? ${event.name}`;
      return `New event: ${payload.repeats ? `${event.name}, ${payload.repeats}` : whatAndWhen(event)}`;
    case 'attending':
      return `You're going: ${whatAndWhen(event)}`;
    case 'answered_for_you': {
      const { answer } = payload.event as MailedEvent;
      if (answer === 'no') return `You can't go: ${event.name}`;
      return `${answer === 'maybe' ? 'Maybe' : "You're going"}: ${whatAndWhen(event)}`;
    }
    case 'seat_given':
      return `You have a seat: ${whatAndWhen(event)}`;
    case 'seat_free':
      return `A seat is free: ${event.name}`;
    case 'lift_changed':
      return `${payload.lift === 'gone' ? 'No lift any more' : 'Your lift'}: ${whatAndWhen(event)}`;
    case 'event_updated':
      return changeIn(payload, event);
    case 'event_cancelled':
      return `Cancelled: ${payload.repeats ? `${event.name}, ${payload.repeats}` : event.name}`;
    case 'club_update':
      return `${club}: ${brief(update, 60)}`;
    case 'role_changed':
      if (payload.host) return `${payload.host === 'you' ? 'You host' : 'New host'}: ${whatAndWhen(event)}`;
      return `You are now ${roleNames[role]} of ${club}`;
    case 'member_removed':
      return `You were removed from ${club}`;
    case 'member_joined':
      return `${actorNamePlaceholder} joined ${club}`;
    case 'answer_wanted':
      return `Are you coming? ${whatAndWhen(event)}`;
    case 'unattended':
      return `${payload.event?.answer === 'no' ? "You can't go" : 'No longer attending'}: ${event.name}`;
    case 'left':
      return `You left ${club}`;
    case 'event_reminder': {
      const { time_zone: zone, start_time: start } = event;
      const day = dayIn(zone, start) === dayIn(zone, created_at) ? 'Today' : 'Tomorrow';
      return `${day}: ${event.name}, ${timeIn(zone, start)}`;
    }
  }
}

const whatAndWhen = ({ name, time_zone: zone, start_time: start }: EventSnapshot): string =>
  `${name}, ${dayAndTimeIn(zone, start)}`;

function changeIn(payload: PendingEmail['payload'], event: EventSnapshot): string {
  const { name } = event;
  const { new_location: place, new_time } = movesOf(payload);
  const { repeats } = payload;
  if (payload.fixed) return `Fixed: ${whatAndWhen(event)}`;
  if (new_time?.start_time)
    return `Moved: ${name} → ${repeats ? `${repeats}, ${timeIn(event.time_zone, event.start_time)}` : dayAndTimeIn(event.time_zone, event.start_time)}`;
  if (place !== undefined) return `Moved: ${name} → ${place || 'no place yet'}`;
  const old = payload.before?.name;
  return old === name ? `Changed: ${name}` : `Renamed: ${old} → ${name}`;
}

/** What people are asked who answered before the change. */
function questionIn({ asked, event }: PendingEmail['payload']): string[] {
  if (!asked || !event?.answer) return [];
  return event.answer === 'no'
    ? ["You said you can't go. If you can come now, change your answer."]
    : ['Please confirm that you can still come.'];
}

/** One line for the times and for each changed field: old value → new value. */
function changeLines(payload: PendingEmail['payload']): string[] {
  const times = newTimesOf(payload);
  const fields = changesOf(payload).map((key) => {
    const [before, after] = [payload.before, payload.event].map((event: EventPatch = {}) =>
      brief(fieldText(event, key), 300),
    );
    return `${eventFields[key].label}: ${before || 'nothing'} → ${after || 'nothing'}`;
  });
  const when = times && !payload.dates ? [`When: ${whenOf(times.before)} → ${whenOf(times.event)}`] : [];
  return [...when, ...fields];
}

function factsOf({ kind, payload }: PendingEmail, event: EventSnapshot): string[] {
  // A change email lists what changed already.
  const isChange = kind === 'event_updated' && !payload.fixed;
  const when = isChange && newTimesOf(payload) && !payload.dates ? [] : whenLines(payload, event, isChange);
  const repeats = payload.repeats ? [`Repeats: ${payload.repeats}`] : [];
  const facts = [...when, ...repeats, ...(isChange ? [] : factLines(event))];
  return kind === 'new_event' ? [...facts, ...paragraphsOf(event.description)] : facts;
}

/** When the event takes place, or each date of a series: old → new where its time changed. */
function whenLines(
  { dates, previous = [], times }: PendingEmail['payload'],
  event: EventSnapshot,
  isChange: boolean,
): string[] {
  if (event.polling)
    return times
      ? times.map((time, nth) => `Time ${nth + 1}: ${whenOf({ ...event, ...time })}`)
      : ['When: the time is not fixed yet'];
  const old = new Map(previous.map((date) => [date.id, date]));
  return (dates ?? [event]).map((date) => {
    if (isChange && date.deleted_at) return `Cancelled: ${whenOf(date)}`;
    const before = old.get(date.id);
    const was = before && newTimeOf(before, date) ? `${whenOf(before)} → ` : '';
    return `When: ${was}${whenOf(date)}`;
  });
}

function pathOf(pendingEmail: PendingEmail): string | undefined {
  const { kind, payload } = pendingEmail;
  const { club_slug } = payload;
  const event = eventOf(pendingEmail);
  if (kind === 'member_removed' || kind === 'left') return undefined;
  // A cancellation of an event without `deleted_at` means that its club was deleted, so there is no page to open.
  if (event) return kind === 'event_cancelled' && !event.deleted_at ? undefined : `/app/events/${event.slug}`;
  return kind === 'club_update' ? `/app/clubs/${club_slug}/updates` : `/app/clubs/${club_slug}`;
}

const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n+/)
    .map((line) => line.trim())
    .filter(Boolean);

/** The text in one line, cut to `max` characters. */
function brief(text: string, max: number): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()];
  return characters.length > max
    ? `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}
