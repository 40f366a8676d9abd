import {
  settingKeys,
  type Kind,
  type MailKind,
  type Notification,
  type NudgedList,
  type SettingKey,
} from '#features/notifications/contract.ts';
import {
  eventFieldKeys,
  keysByImportance,
  type Answer,
  type EventFields,
  type Reason,
} from '#features/events/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { dayAndTimeIn, timeIn } from '#wire/time-in-zone.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { fullName } from '#features/users/rules.ts';

/** Who became the host of an event, for the reader of a notification. */
export type NewHost = 'you' | 'actor' | 'other';

/** What a notification is about, with the names of that time. It never contains the name of a person. */
export interface Subject {
  club_name: string;
  club_slug: string;
  event_name?: string;
  /** Missing when the event no longer exists. */
  event_slug?: string;
  /** Set when the location of the event changed. */
  new_location?: string;
  /** Set when the start, end or time zone of the event changed. The start is null if it stays. */
  new_time?: { start_time: Instant | null; time_zone: string };
  /** The new role, for `role_changed`. */
  role?: ClubRole;
  /** For `answered_for_you`. */
  answer?: Answer;
  /** For `role_changed`, if it is about an event. */
  host?: NewHost;
  /** Why the event changed or was cancelled. */
  reason?: Reason;
  words?: string;
  /** Set for a series: 'every Tuesday'. */
  repeats?: string;
  /** For `lift_changed`, whose `words` are the title of the lift: its seats, or that nobody offers it any more. */
  lift?: 'claimed' | 'released' | 'gone';
  /** Set while members vote on the time of the event. */
  polling?: boolean;
  /** The time that was fixed after a vote, and whether the reader had voted. */
  fixed?: { start_time: Instant; time_zone: string; voted: boolean };
}

/** A stored notification with the current name of its actor. */
export interface Stored extends Omit<Notification, 'message' | 'metadata'> {
  kind: Kind;
  subject: Subject;
  actor: { first_name: string; last_name: string } | null;
}

/** Emails that withdraw calendar files. They have no setting of their own. */
export type WithdrawalKind = 'unattended' | 'left';
export type EmailKind = MailKind | WithdrawalKind;

/**
 * Cancellations, removals, seats from the waitlist, changes of time or place, and the result of a vote to its voters are
 * sent regardless of the settings.
 */
export const isAlwaysSent = (
  kind: EmailKind,
  subject: Pick<Subject, 'new_location' | 'new_time' | 'fixed'>,
): boolean =>
  ['event_cancelled', 'member_removed', 'seat_given'].includes(kind) ||
  (kind === 'event_updated' &&
    (subject.new_location !== undefined || subject.new_time !== undefined || subject.fixed?.voted === true));

/** All settings: on, except for the opted-out keys. */
export const settingsExcept = (optedOut: readonly string[]): Record<SettingKey, boolean> =>
  Object.fromEntries(settingKeys.map((key) => [key, !optedOut.includes(key)])) as Record<SettingKey, boolean>;

const answerNames = {
  going: 'going',
  waiting: 'waiting',
  maybe: 'maybe going',
  no: 'not going',
} as const satisfies Record<Answer, string>;

const hostTexts = {
  you: 'made you the host',
  actor: 'took over from you as the host',
  other: 'made someone else the host',
} as const;

const liftTexts = {
  claimed: 'takes a seat in your',
  released: 'gave back a seat in your',
  gone: 'cancelled the',
};

export const roleNames = { 0: 'a member', 100: 'an organiser', 200: 'an admin' } as const;

/** The text of a notification. It is rendered on every read, so it always uses the actor's current name. */
export function messageOf(kind: EmailKind, actorName: string, subject: Subject): string {
  const { club_name: club, event_name: event, role = 0, answer = 'going', host, lift = 'gone' } = subject;
  const repeats = subject.repeats ? `, ${subject.repeats},` : '';
  switch (kind) {
    case 'new_event':
      if (subject.polling)
        return `${actorName} would like to know which time suits you for “${event}” in ${club}.`;
      return `${actorName} planned “${event}”${repeats} in ${club}.${subject.answer ? ' You are going unless you say no.' : ''}`;
    case 'event_updated':
      return `${actorName} ${changeOf(subject)}.${whyOf(subject)}`;
    case 'event_cancelled':
      return `${actorName} cancelled “${event}”${repeats} in ${club}.${whyOf(subject)}`;
    case 'club_update':
      return `${actorName} published an update in ${club}.`;
    case 'role_changed':
      return host === undefined
        ? `${actorName} made you ${roleNames[role]} of ${club}.`
        : `${actorName} ${hostTexts[host]} of “${event}”.`;
    case 'member_removed':
      return `${actorName} removed you from ${club}.`;
    case 'member_joined':
      return `${actorName} joined ${club}.`;
    case 'event_reminder':
      return `“${event}” in ${club} starts in less than a day.`;
    case 'answered_for_you':
      return `${actorName} put you down as ${answerNames[answer]} to “${event}”.`;
    case 'answer_wanted':
      return `${actorName} would like to know if you're coming to “${event}”.`;
    case 'seat_given':
      return `You have a seat at “${event}”.`;
    case 'seat_free':
      return `A seat is free at “${event}”.`;
    case 'lift_changed':
      return `${actorName} ${liftTexts[lift]} lift “${subject.words}” to “${event}”.`;
    case 'attending':
      return `You're attending “${event}” in ${club}.`;
    case 'unattended':
      return answer === 'no'
        ? `You can't go to “${event}” in ${club}.`
        : `You're no longer attending “${event}” in ${club}.`;
    case 'left':
      return `You left ${club}.`;
  }
}

const reasons: Record<Reason, string> = {
  weather: 'Weather',
  venue: 'Venue',
  illness: 'Illness',
  too_few: 'Too few people',
  other: '',
};

/** ' Weather: hall instead of field.', ' Reason: weather.', or the words alone. */
function whyOf({ reason = 'other', words = '' }: Subject): string {
  const name = reasons[reason];
  const text = name && words ? `${name}: ${words}` : name ? `Reason: ${name.toLowerCase()}` : words;
  return text && ` ${text.replace(/[^.!?]$/, '$&.')}`;
}

function changeOf({
  club_name: club,
  event_name: event,
  new_location,
  new_time,
  repeats,
  fixed,
}: Subject): string {
  if (fixed) return `fixed the time of “${event}”: ${dayAndTimeIn(fixed.time_zone, fixed.start_time)}`;
  const { start_time: start, time_zone: zone = '' } = new_time ?? {};
  const time = start && (repeats ? `${repeats}, ${timeIn(zone, start)}` : dayAndTimeIn(zone, start));
  if (time || new_location) return `moved “${event}” to ${[time, new_location].filter(Boolean).join(', ')}`;
  if (new_time) return `changed the time of “${event}”`;
  return new_location === undefined
    ? `changed “${event}”${repeats ? `, ${repeats},` : ''} in ${club}`
    : `changed where “${event}” takes place`;
}

/** What a notification opens: its event, otherwise its club; nothing for a removed member. */
function metadataOf(kind: Kind, { club_slug, event_name, event_slug }: Subject): Notification['metadata'] {
  if (event_name !== undefined) return event_slug === undefined ? { event_name } : { event_name, event_slug };
  return kind === 'member_removed' ? {} : { club_slug };
}

/** A notification as the API returns it. */
export const notificationOf = ({ kind, subject, actor, ...row }: Stored): Notification => ({
  id: row.id,
  message: messageOf(kind, actor ? fullName(actor) : 'Someone', subject),
  created_at: row.created_at,
  seen_at: row.seen_at,
  actioned_at: row.actioned_at,
  metadata: metadataOf(kind, subject),
});

/** A snapshot of an event right after the change. */
export interface EventSnapshot extends EventFields {
  id: string;
  slug: string;
  start_time: Instant;
  end_time: Instant;
  time_zone: string;
  created_at: Instant;
  updated_at: Instant;
  sequence: number;
  /** Snapshots of the release before lack it. */
  polling?: boolean;
  deleted_at: Instant | null;
  reader_changed_at: Instant | null;
  /** The start before the last change of times. Snapshots of the release before lack it. */
  moved_from?: Instant | null;
}

export type Times = Pick<EventSnapshot, 'start_time' | 'end_time' | 'time_zone'>;

/** An event before a change. */
export type Before = EventFields & Times;

/** Something that happened in a club. */
export interface DomainEvent extends Pick<
  Subject,
  'new_location' | 'new_time' | 'role' | 'answer' | 'host' | 'reason' | 'words' | 'repeats' | 'lift' | 'fixed'
> {
  kind: Kind;
  /** The user who did it; they get no notification themselves. */
  actor: string | null;
  club_id: string;
  event_id?: string;
  /** All events of a series that it is about; `event_id` is the first of them. */
  dates?: readonly string[];
  /** Those that changed, as they were before. */
  previous?: readonly (Times & { id: string })[];
  /** Deduplication key: each user gets one notification per kind and cause. Defaults to the event. */
  cause?: string;
  /** The event is being deleted, so the notification links to nothing. */
  gone?: boolean;
  /** The times that members vote on. */
  times?: readonly Pick<Times, 'start_time' | 'end_time'>[];
  /** The event before the change. */
  before?: Before;
  /** Whether people have to confirm their answers. */
  asked?: boolean;
  /** Its emails are sent after a minute. */
  urgent?: boolean;
  /** It is said later, to those whose calendars do not know it. It waits for no undo, and replaces nothing that is pending. */
  late?: boolean;
  /** The text of a club update. */
  update?: string;
  /** For `role_changed`: the role before the change. */
  old_role?: ClubRole;
  /** The member whose role or answer changed; all changes of one member are merged into one email. */
  member?: string;
  /** For `answer_wanted`: what its readers have answered. It is not mailed to those who have changed that meanwhile. */
  nudged?: NudgedList;
  now: Instant;
}

/** What emails compare with the event after a change. */
export const withoutOtherFields = ({ start_time, end_time, time_zone, ...event }: Before): Before => ({
  ...(Object.fromEntries(eventFieldKeys.map((key) => [key, event[key]])) as EventFields),
  start_time,
  end_time,
  time_zone,
});

/** Edits, answers and role changes often come in quick succession; a delay merges them into one email. */
export const debounceSeconds = (kind: MailKind, urgent = false): number => {
  if (urgent) return 60;
  return ['event_updated', 'attending', 'role_changed', 'answered_for_you'].includes(kind) ? 5 * 60 : 0;
};

/** A change of an event can be undone for 60 seconds, by a request that may have to wait. Then its emails are sent. */
export const finalSeconds = 65;

/** What changed in the times, if anything did. */
export function newTimeOf(before: Times, after: Times): Subject['new_time'] {
  const { start_time, end_time, time_zone } = after;
  const hasNewStart = start_time !== before.start_time;
  if (!hasNewStart && end_time === before.end_time && time_zone === before.time_zone) return undefined;
  return { start_time: hasNewStart ? start_time : null, time_zone };
}

/** Whether an edit changes what people are told about. */
export const isWorthTelling = (before: Before, after: Before): boolean =>
  newTimeOf(before, after) !== undefined || keysByImportance.some((key) => after[key] !== before[key]);
