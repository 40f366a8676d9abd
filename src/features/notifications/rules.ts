import {
  settingKeys,
  type Kind,
  type MailKind,
  type Notification,
  type SettingKey,
} from '#features/notifications/contract.ts';
import type { Instant } from '#wire/instant.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { fullName } from '#features/users/rules.ts';

/** What a notification is about, as it was called when it happened. Never the name of a person. */
export interface Subject {
  club_name: string;
  club_slug: string;
  event_name?: string;
  /** Missing when nothing is left that one could open. */
  event_slug?: string;
  /** The new place of an event whose place changed. */
  new_location?: string;
  /** The new role of somebody whose role changed. */
  role?: ClubRole;
}

/** A notification as it is stored, with the one who caused it as they are now. */
export interface Stored extends Omit<Notification, 'message' | 'metadata'> {
  kind: Kind;
  subject: Subject;
  actor: { first_name: string; last_name: string } | null;
}

/** Emails that withdraw calendar files. No setting of their own switches them off. */
export type WithdrawalKind = 'unattended' | 'left';
export type EmailKind = MailKind | WithdrawalKind;

/** What nobody should miss is told whatever the settings say: cancelled, removed, and moved. */
export const isAlwaysSent = (kind: EmailKind, subject: Pick<Subject, 'new_location'>): boolean =>
  kind === 'event_cancelled' ||
  kind === 'member_removed' ||
  (kind === 'event_updated' && subject.new_location !== undefined);

/** Every setting with its value: whatever was not switched off is on. */
export const settingsExcept = (opted_out: readonly string[]): Record<SettingKey, boolean> =>
  Object.fromEntries(settingKeys.map((key) => [key, !opted_out.includes(key)])) as Record<
    SettingKey,
    boolean
  >;

export const roleNames = { 0: 'a member', 100: 'an organiser', 200: 'an admin' } as const;

/** The sentence of a notification. It is made anew at each reading, so that it never outlives somebody's name. */
export function messageOf(kind: EmailKind, actorName: string, subject: Subject): string {
  const { club_name: club, event_name: event, new_location, role = 0 } = subject;
  switch (kind) {
    case 'new_event':
      return `${actorName} planned “${event}” in ${club}.`;
    case 'event_updated':
      if (new_location === undefined) return `${actorName} changed “${event}” in ${club}.`;
      return new_location === ''
        ? `${actorName} changed where “${event}” takes place.`
        : `${actorName} moved “${event}” to ${new_location}.`;
    case 'event_cancelled':
      return `${actorName} cancelled “${event}” in ${club}.`;
    case 'club_update':
      return `${actorName} published an update in ${club}.`;
    case 'role_changed':
      return `${actorName} made you ${roleNames[role]} of ${club}.`;
    case 'member_removed':
      return `${actorName} removed you from ${club}.`;
    case 'member_joined':
      return `${actorName} joined ${club}.`;
    case 'event_reminder':
      return `“${event}” in ${club} starts in less than a day.`;
    case 'attending':
      return `You attend “${event}” in ${club}.`;
    case 'unattended':
      return `You no longer attend “${event}” in ${club}.`;
    case 'left':
      return `You left ${club}.`;
  }
}

/** Where a notification leads: to its event, else to its club, and nowhere for somebody who was removed. */
function metadataOf(kind: Kind, { club_slug, event_name, event_slug }: Subject): Notification['metadata'] {
  if (event_name !== undefined) return event_slug === undefined ? { event_name } : { event_name, event_slug };
  return kind === 'member_removed' ? {} : { club_slug };
}

/** A notification as its reader gets it. */
export const notificationOf = ({ kind, subject, actor, ...row }: Stored): Notification => ({
  id: row.id,
  message: messageOf(kind, actor ? fullName(actor) : 'Someone', subject),
  created_at: row.created_at,
  seen_at: row.seen_at,
  actioned_at: row.actioned_at,
  metadata: metadataOf(kind, subject),
});

/** What each kind is called where its mails can be switched off. */
export const kindNames: Record<MailKind, string> = {
  new_event: 'new events',
  event_updated: 'changed events',
  event_cancelled: 'cancelled events',
  club_update: 'club updates',
  role_changed: 'your role in a club',
  member_removed: 'clubs that removed you',
  member_joined: 'new members',
  event_reminder: 'events that you attend the next day',
  attending: 'events that you sign up for',
};

/** What an admin can change of an event. */
export interface EventDisplayFields {
  name: string;
  description: string;
  details: string;
  location_name: string;
}

/** An event as it was right after what happened, with what the reader answered. */
export interface MailedEvent extends EventDisplayFields {
  id: string;
  slug: string;
  start_time: Instant;
  end_time: Instant;
  time_zone: string;
  created_at: Instant;
  updated_at: Instant;
  sequence: number;
  deleted_at: Instant | null;
  attends: boolean;
  /** Whether the reader has ever answered. */
  has_answered: boolean;
  reader_changed_at: Instant | null;
}

/** Something that happened, to be mailed to one user. */
export interface PendingEmail {
  id: string;
  user_id: string;
  email: string;
  kind: EmailKind;
  actor: { id: string; first_name: string; last_name: string } | null;
  /** Whether the user switched off mails of this kind. */
  opted_out: boolean;
  created_at: Instant;
  payload: {
    club_name: string;
    club_slug: string;
    event?: MailedEvent;
    before?: EventDisplayFields;
    update?: string;
    role?: ClubRole;
    /** Events whose calendar files are withdrawn, as they were then. */
    withdrawn?: MailedEvent[];
    /** The role before it changed. */
    old_role?: ClubRole;
  };
}

/** Who improves an event, or makes up their mind about it or about a role, usually does so more than once: that becomes one mail. */
export const debounceSeconds = (kind: MailKind): number =>
  kind === 'event_updated' || kind === 'attending' || kind === 'role_changed' ? 5 * 60 : 0;

/** Notices about one thing, oldest first, as one for each user: what it came to since the first of them. */
export function mergeEmails(pendingEmails: readonly PendingEmail[]): PendingEmail[] {
  const byUser = new Map<string, PendingEmail>();
  for (const pendingEmail of pendingEmails) {
    const { before, old_role } = byUser.get(pendingEmail.user_id)?.payload ?? pendingEmail.payload;
    byUser.set(pendingEmail.user_id, {
      ...pendingEmail,
      payload: { ...pendingEmail.payload, before, old_role },
    });
  }
  return [...byUser.values()];
}

const wordings = ['name', 'location_name', 'description', 'details'] as const;

/** What reads differently from before, in the order in which it matters. */
export const changesOf = ({ event, before }: PendingEmail['payload']): (keyof EventDisplayFields)[] =>
  event && before ? wordings.filter((key) => event[key] !== before[key]) : [];

/** Where an event takes place now, if that is new. */
export const movedTo = (payload: PendingEmail['payload']): string | undefined =>
  changesOf(payload).includes('location_name') ? payload.event?.location_name : undefined;

/** Not what was changed and changed back; of the rest what the user wants, and what nobody should miss. */
export function isMailed({ kind, opted_out, payload }: PendingEmail): boolean {
  if (kind === 'event_updated' && changesOf(payload).length === 0) return false;
  if (kind === 'role_changed' && payload.role === payload.old_role) return false;
  return !opted_out || isAlwaysSent(kind, { new_location: movedTo(payload) });
}

/** A cancelled event as every calendar should have it, also when it was deleted together with its club. */
export const asCancelled = (event: MailedEvent, now: Instant): MailedEvent =>
  event.deleted_at ? event : { ...event, deleted_at: now, updated_at: now, sequence: event.sequence + 1 };

/** An event that is no longer in the calendar of a reader; they may not be allowed to see its details any more. */
const asWithdrawn = (event: MailedEvent): MailedEvent => ({
  ...event,
  description: '',
  details: '',
  attends: false,
  deleted_at: event.reader_changed_at,
});

/** The event that an email adds to the reader's calendar. Who attends a new one is not known yet. */
export function addedFile({ kind, payload: { event } }: PendingEmail): MailedEvent | undefined {
  if (!event || kind === 'new_event' || kind === 'event_cancelled') return undefined;
  // A reader who has unattended since does not want it back.
  return event.attends || !event.has_answered ? event : undefined;
}

/** The events that an email carries as calendar files. */
export function filesOf(pendingEmail: PendingEmail): MailedEvent[] {
  const { kind, payload, created_at } = pendingEmail;
  const { event, withdrawn = [] } = payload;
  if (event && kind === 'event_cancelled') return [asCancelled(event, created_at)];
  const added = addedFile(pendingEmail);
  return added ? [added] : withdrawn.map(asWithdrawn);
}

/** What decides later whether a file is withdrawn by email: the setting that the email with the file obeyed. */
export const settingOf = ({ kind, payload }: PendingEmail): string =>
  isAlwaysSent(kind, { new_location: movedTo(payload) }) ? 'always' : `email_${kind}`;
