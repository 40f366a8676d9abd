import { instant, type Instant } from '#wire/instant.ts';
import {
  emptyEventFields,
  fieldText,
  keysByImportance,
  type Answer,
  type EventField,
  type EventFields,
  type Reason,
} from '#features/events/contract.ts';
import type { NudgedList } from '#features/notifications/contract.ts';
import {
  isAlwaysSent,
  newTimeOf,
  type EmailKind,
  type EventSnapshot,
  type NewHost,
  type Subject,
  type Times,
} from '#features/notifications/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';

/** A snapshot with the reader's answer. */
export interface MailedEvent extends EventSnapshot {
  answer: Answer | null;
  /** 'standing': what the reader answers to every date of a series. */
  via?: string | null;
  guests: number;
  /** Whether the reader has ever answered. */
  has_answered: boolean;
  /** Whether a calendar of the reader fetches it. As a file it would stand there twice. */
  in_feed?: boolean;
  /** Whether the reader was invited to it by mail. */
  invited?: boolean;
}

/** A queued email to one user about a domain event. */
export interface PendingEmail {
  id: string;
  user_id: string;
  email: string;
  kind: EmailKind;
  actor: { id: string; first_name: string; last_name: string } | null;
  /** Whether the user wants events as invitations. */
  invites_by_mail: boolean;
  /** Whether the user switched off emails of this kind. */
  opted_out: boolean;
  created_at: Instant;
  /** For the answer links. Null for those who cannot answer by link: hosts and former members. */
  answer_key: string | null;
  /** Not sent after this time. */
  until: Instant | null;
  payload: {
    club_name: string;
    club_slug: string;
    event?: MailedEvent;
    before?: EventFields & Partial<Times>;
    update?: string;
    /** Set for a series: 'every Tuesday'. */
    repeats?: string;
    /** Set if everybody is going at first. */
    answer?: Answer;
    /** All dates of a series that it is about; `event` is the first of them. */
    dates?: EventSnapshot[];
    /** Those that changed, as they were before. */
    previous?: (Times & { id: string })[];
    /** Those of which the reader has calendar files. */
    files?: MailedEvent[];
    role?: ClubRole;
    host?: NewHost;
    lift?: Subject['lift'];
    reason?: Reason;
    words?: string;
    /** Whether people have to confirm their answers. */
    asked?: boolean;
    /** Snapshots of the events whose calendar files are withdrawn. */
    withdrawn?: (EventSnapshot & Pick<MailedEvent, 'invited'>)[];
    /** The role before it changed. */
    old_role?: ClubRole;
    nudged?: NudgedList;
    /** The times that members vote on. */
    times?: Pick<Times, 'start_time' | 'end_time'>[];
    fixed?: Subject['fixed'];
  };
}

/** Merges pending emails, oldest first, into one per user: the last one, with the `before` and `old_role` of the first. */
export function mergeEmails(pendingEmails: readonly PendingEmail[]): PendingEmail[] {
  const byUser = new Map<string, PendingEmail>();
  for (const pendingEmail of pendingEmails) {
    const { before, old_role, asked, fixed } =
      byUser.get(pendingEmail.user_id)?.payload ?? pendingEmail.payload;
    byUser.set(pendingEmail.user_id, {
      ...pendingEmail,
      payload: {
        ...pendingEmail.payload,
        before,
        old_role,
        asked: asked ?? pendingEmail.payload.asked,
        fixed: fixed ?? pendingEmail.payload.fixed,
      },
    });
  }
  return [...byUser.values()];
}

/** The fields that changed, most important first. */
export const changesOf = ({ event, before }: PendingEmail['payload']): EventField[] =>
  event && before ? keysByImportance.filter((key) => fieldText(event, key) !== fieldText(before, key)) : [];

/** The times before and after the change, if they changed. The release before queued changes without times. */
export function newTimesOf({
  event,
  before,
}: PendingEmail['payload']): { before: Times; event: Times } | undefined {
  if (!event || !before?.start_time || !before.end_time || !before.time_zone) return undefined;
  const times = { start_time: before.start_time, end_time: before.end_time, time_zone: before.time_zone };
  return newTimeOf(times, event) && { before: times, event };
}

/** The new time and place of an event, as far as they changed or were fixed. */
export function movesOf(
  payload: PendingEmail['payload'],
): Pick<Subject, 'new_location' | 'new_time' | 'fixed'> {
  const [times, isElsewhere] = [newTimesOf(payload), changesOf(payload).includes('location_name')];
  const new_time = times && newTimeOf(times.before, times.event);
  return {
    ...(isElsewhere && payload.event && { new_location: payload.event.location_name }),
    ...(new_time && { new_time }),
    ...(payload.fixed && { fixed: payload.fixed }),
  };
}

/** Skips changes that were reverted and kinds that the user switched off, unless they are always sent. */
export function isMailed({ kind, opted_out, payload }: PendingEmail): boolean {
  if (kind === 'unattended' && !payload.withdrawn && payload.event?.answer !== 'no') return false;
  const isChange = newTimesOf(payload) || changesOf(payload).length > 0 || payload.fixed;
  if (kind === 'event_updated' && !isChange) return false;
  if (kind === 'role_changed' && !payload.host && payload.role === payload.old_role) return false;
  return !opted_out || isAlwaysSent(kind, movesOf(payload));
}

/** The event that an email adds to the reader's calendar. None while the reader has not answered yet. */
export function addedFile({ kind, payload: { event, fixed } }: PendingEmail): MailedEvent | undefined {
  if (!event || event.polling || (fixed && !event.answer)) return undefined;
  if (
    ['new_event', 'event_cancelled', 'answer_wanted', 'seat_free', 'lift_changed', 'unattended'].includes(
      kind,
    )
  )
    return undefined;
  // A reader who said no in the meantime does not want it back.
  return (event.answer ?? 'no') !== 'no' || !event.has_answered ? event : undefined;
}

/** The events that an email is about as calendar files. */
function filesOf(pendingEmail: PendingEmail): MailedEvent[] {
  const { kind, payload, created_at } = pendingEmail;
  const { event, withdrawn = [], files = event ? [event] : [] } = payload;
  if (event?.polling) return [];
  if (event && kind === 'event_cancelled') return files.map((file) => asCancelled(file, created_at));
  if (payload.dates && kind === 'event_updated') return files.filter(({ answer }) => answer !== 'no');
  const added = addedFile(pendingEmail);
  return added ? [added] : withdrawn.map(asWithdrawn);
}

interface Organizer {
  calendarOrganizer: string | undefined;
}

/** An event as a calendar file of an email. With a method (RFC 5546), calendar apps apply it on their own. */
interface CarriedFile {
  event: MailedEvent;
  method?: 'REQUEST' | 'CANCEL';
}

/**
 * The calendar files that an email carries: none of events that a calendar of the reader fetches, unless they were invited
 * to them once.
 */
export const carriedFiles = (config: Organizer, pendingEmail: PendingEmail): CarriedFile[] =>
  filesOf(pendingEmail)
    .filter((event) => !event.in_feed || isInvited(config, event))
    .map((event) => {
      const isInvitation =
        isInvited(config, event) || (config.calendarOrganizer && pendingEmail.invites_by_mail);
      return isInvitation ? { event, method: event.deleted_at ? 'CANCEL' : 'REQUEST' } : { event };
    });

const isInvited = ({ calendarOrganizer }: Organizer, { invited = false }: MailedEvent): boolean =>
  calendarOrganizer !== undefined && invited;

/** Whether the reader's calendar fetches what this email would carry as a file. */
export const isFetched = (config: Organizer, pendingEmail: PendingEmail): boolean =>
  pendingEmail.payload.event?.in_feed === true &&
  !isInvited(config, pendingEmail.payload.event) &&
  (pendingEmail.kind === 'event_cancelled' || addedFile(pendingEmail) !== undefined);

/** The setting that this email obeyed. The email that later withdraws its calendar file obeys the same one. */
export const settingOf = ({ kind, payload }: PendingEmail): string =>
  isAlwaysSent(kind, movesOf(payload)) ? 'always' : `email_${kind}`;

/** PostgreSQL formats timestamps inside JSON differently. */
export const inUtc = <Snapshot extends EventSnapshot>(event: Snapshot): Snapshot => ({
  ...event,
  start_time: utc(event.start_time),
  end_time: utc(event.end_time),
  created_at: utc(event.created_at),
  updated_at: utc(event.updated_at),
  deleted_at: event.deleted_at && utc(event.deleted_at),
  reader_changed_at: event.reader_changed_at && utc(event.reader_changed_at),
});

const utc = (isoTimestamp: string): Instant => instant(Date.parse(isoTimestamp));

/** The event as cancelled in calendars. Deleting a club deletes its events without cancelling them first. */
export const asCancelled = (event: MailedEvent, now: Instant): MailedEvent =>
  event.deleted_at ? event : { ...event, deleted_at: now, updated_at: now, sequence: event.sequence + 1 };

/** An event as withdrawn from the reader's calendar, without details: they may no longer have access to them. */
export const asWithdrawn = (event: EventSnapshot): MailedEvent => ({
  ...event,
  ...emptyEventFields,
  name: event.name,
  location_name: event.location_name,
  answer: 'no',
  guests: 0,
  has_answered: true,
  deleted_at: event.reader_changed_at,
});
