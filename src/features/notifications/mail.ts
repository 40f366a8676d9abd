import type { Config } from '#platform/config.ts';
import { actorNamePlaceholder, type OutgoingEmail, type EmailContent } from '#platform/mail/mailer.ts';
import { eventFields, factLines, fieldText, type EventPatch } from '#features/events/contract.ts';
import type { MailKind } from '#features/notifications/contract.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import {
  changesOf,
  filesOf,
  messageOf,
  dayAndTimeIn,
  dayIn,
  movesOf,
  newTimesOf,
  timeIn,
  roleNames,
  type EmailKind,
  type EventSnapshot,
  type MailedEvent,
  type PendingEmail,
} from '#features/notifications/rules.ts';
import { fullName } from '#features/users/rules.ts';

/** Renders an event as an iCalendar file. */
export type CalendarFile = (event: MailedEvent) => string;

/** The email about a domain event. */
export function notificationEmail(
  config: Config,
  { calendarFile }: { calendarFile: CalendarFile },
  pendingEmail: PendingEmail,
): OutgoingEmail {
  const { id, user_id, email, kind, actor } = pendingEmail;
  const token = isOptional(kind) && unsubscribeToken(config, user_id, `email_${kind}`);
  const { event } = pendingEmail.payload;
  const files = filesOf(pendingEmail);
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
      attachments: files.map((file) => ({
        filename: `${file.slug}.ics`,
        contentType: 'text/calendar; charset=utf-8',
        content: calendarFile(file),
      })),
    }),
    ...(kind === 'event_reminder' && event && { until: event.start_time }),
  };
}

/** Emails that are always sent have no unsubscribe link. */
const isOptional = (kind: EmailKind): kind is MailKind =>
  !['event_cancelled', 'member_removed', 'unattended', 'left'].includes(kind);

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
function contentOf({ publicUrl }: Config, pendingEmail: PendingEmail): Omit<EmailContent, 'footer'> {
  const { kind, payload } = pendingEmail;
  const { club_name, club_slug, role, update = '' } = payload;
  const event = eventOf(pendingEmail);
  const path = pathOf(pendingEmail);
  const message = messageOf(kind, actorNamePlaceholder, {
    club_name,
    club_slug,
    event_name: event?.name,
    ...movesOf(payload),
    role,
    repeats: payload.repeats,
    answer: kind === 'new_event' ? payload.answer : (payload.event?.answer ?? undefined),
  });
  return {
    subject: subjectOf(pendingEmail),
    preview: message,
    paragraphs: [
      message,
      ...changeLines(payload),
      ...(event ? factsOf(pendingEmail, event) : paragraphsOf(update)),
      ...withdrawal(pendingEmail),
    ],
    ...(path && { action: { label: event ? 'Open the event' : 'Open the club', url: publicUrl + path } }),
  };
}

/** The event that an email is about. */
const eventOf = ({ kind, payload: { event, withdrawn } }: PendingEmail): EventSnapshot | undefined =>
  kind === 'unattended' ? withdrawn?.[0] : event;

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
      return `New event: ${payload.repeats ? `${event.name}, ${payload.repeats}` : whatAndWhen(event)}`;
    case 'attending':
      return `You're going: ${whatAndWhen(event)}`;
    case 'answered_for_you': {
      const { answer } = payload.event as MailedEvent;
      if (answer === 'no') return `You can't go: ${event.name}`;
      return `${answer === 'maybe' ? 'Maybe' : "You're going"}: ${whatAndWhen(event)}`;
    }
    case 'event_updated':
      return changeIn(payload, event);
    case 'event_cancelled':
      return `Cancelled: ${payload.repeats ? `${event.name}, ${payload.repeats}` : event.name}`;
    case 'club_update':
      return `${club}: ${brief(update, 60)}`;
    case 'role_changed':
      return `You are now ${roleNames[role]} of ${club}`;
    case 'member_removed':
      return `You were removed from ${club}`;
    case 'member_joined':
      return `${actorNamePlaceholder} joined ${club}`;
    case 'unattended':
      return `No longer attending: ${event.name}`;
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
  if (new_time?.start_time) return `Moved: ${name} → ${dayAndTimeIn(event.time_zone, event.start_time)}`;
  if (place !== undefined) return `Moved: ${name} → ${place || 'no place yet'}`;
  const old = payload.before?.name;
  return old === name ? `Changed: ${name}` : `Renamed: ${old} → ${name}`;
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
  return [...(times ? [`When: ${whenOf(times.before)} → ${whenOf(times.event)}`] : []), ...fields];
}

function factsOf({ kind, payload }: PendingEmail, event: EventSnapshot): string[] {
  // A change email lists what changed already.
  const isChange = kind === 'event_updated';
  const when =
    isChange && newTimesOf(payload) ? [] : (payload.dates ?? [event]).map((date) => `When: ${whenOf(date)}`);
  const repeats = payload.repeats ? [`Repeats: ${payload.repeats}`] : [];
  const facts = [...when, ...repeats, ...(isChange ? [] : factLines(event))];
  return kind === 'new_event' ? [...facts, ...paragraphsOf(event.description)] : facts;
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

/** 'Sat 22 Nov 2026, 7:30 pm to 9:00 pm (Europe/Berlin)'. */
export function whenOf({
  time_zone,
  start_time,
  end_time,
}: Pick<EventSnapshot, 'time_zone' | 'start_time' | 'end_time'>): string {
  const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: time_zone }).format(
    Date.parse(start_time),
  );
  const [first, last] = [start_time, end_time].map((time) => dayIn(time_zone, time)) as [string, string];
  const until = `${last === first ? '' : `${last}, `}${timeIn(time_zone, end_time)}`;
  return `${first} ${year}, ${timeIn(time_zone, start_time)} to ${until} (${time_zone.replaceAll('_', ' ')})`;
}
