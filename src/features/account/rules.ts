import type { Instant } from '#wire/instant.ts';
import type { ClubChoice, Export } from '#features/account/contract.ts';
import { isOnlyAdmin, role, type Membership } from '#features/members/rules.ts';

/** Records that a user was deleted. The digest does not reveal who. */
export interface DeletionRecord {
  digest: string;
  /** A date without time: greater precision is not needed. */
  deleted_on: string;
}

/** The fate of a club when a member deletes their account. */
export type ClubOutcome = 'stays' | 'goes' | 'undecided' | { successor: string };

/** The default successor when the user cannot be asked: the longest-standing member, organisers first. */
export function successorOf(memberships: readonly Membership[], user: string): string | undefined {
  const others = memberships.filter((membership) => membership.user_id !== user);
  return (others.find((membership) => membership.club_role === role.organiser) ?? others[0])?.user_id;
}

/** Deletion records are kept a little longer than backups of the database. */
export const deletionRecordDays = 35;

export const dayOf = (time: Instant): string => time.slice(0, 10);

/** The file name of a deletion record in the storage. */
export const recordFileName = ({ digest, deleted_on }: DeletionRecord): string => `${deleted_on}.${digest}`;

export function deletionIn(file: string): DeletionRecord | undefined {
  const [, deleted_on, digest] = /^(\d{4}-\d\d-\d\d)\.([\w-]{43})$/.exec(file) ?? [];
  return deleted_on && digest ? { digest, deleted_on } : undefined;
}

/** Ignores a choice that is not needed, or whose successor is no longer a member. */
export function outcomeFor(
  memberships: readonly Membership[],
  user: string,
  choice: ClubChoice | undefined,
): ClubOutcome {
  if (!isOnlyAdmin(memberships, user)) return 'stays';
  const others = memberships.filter((membership) => membership.user_id !== user);
  if (others.length === 0) return 'goes';
  if (!choice) return 'undecided';
  if ('delete' in choice) return 'goes';
  const { successor } = choice;
  return others.some((membership) => membership.user_id === successor) ? { successor } : 'undecided';
}

/** Data about a person in one table, found through the column `by`. */
export interface PersonalData {
  table: string;
  /** The column that names the person: a reference to `users`, an address, or a text or list that contains the id. */
  by: string;
  /** An SQL condition for the rows, if another entry has the same table and column. */
  only?: string;
  what: string;
  /** Whether deleting the account deletes the rows, or keeps them and only removes the person. */
  deletion: 'rows' | 'person';
  /** Why rows stay without the person. */
  why?: string;
  /** Columns with text by or about people. The deletion keeps the text if it keeps the rows, except in `removed`. */
  texts?: readonly string[];
  removed?: readonly string[];
  /** The field of the export that contains the data, or why the export leaves it out. */
  exported: keyof Export | { not: string };
}

type Exported = PersonalData['exported'];
type More = Pick<PersonalData, 'only' | 'texts' | 'removed'>;

/** Rows that are deleted with the account. */
const deleted = (table: string, by: string, what: string, exported: Exported, more: More = {}) =>
  ({ table, by, what, exported, deletion: 'rows', ...more }) as const;

/** Rows that stay without the person, and why. */
const kept = (
  table: string,
  by: string,
  what: string,
  exported: Exported,
  { why, ...more }: More & { why: string },
) => ({ table, by, what, exported, why, deletion: 'person', ...more }) as const;

const secret = { not: 'only what proves who they are' };
const ofOthers = { not: 'data of the other person' };
const onTheWay = { not: 'sent within minutes' };
const ofClub = 'because it belongs to the club';
const seen = 'because members see what changed';
const someone = 'and says “Someone”';

/**
 * All data about a person in the database. Tests compare this list with the columns of the database, the deletion, the
 * export and `docs/operations.md`; the privacy policy says the same. A new table or text needs a row here.
 */
export const personalData: readonly PersonalData[] = [
  deleted('users', 'id', 'profile', 'profile', {
    texts: ['email', 'user_name', 'first_name', 'last_name', 'phone', 'profile_picture_url'],
  }),
  deleted(
    'users',
    'id',
    'names in the form for searches',
    { not: 'the names are in the profile' },
    {
      texts: ['search_text'],
    },
  ),
  deleted('pictures', 'user_id', 'own picture', 'profile'),
  deleted('sessions', 'user_id', 'sessions', 'sessions'),
  deleted('push_devices', 'user_id', 'devices with notifications', 'sessions'),
  deleted('login_codes', 'email', 'login codes', secret, { texts: ['email'] }),
  deleted('login_throttles', 'email', 'counters of wrong codes', secret, { texts: ['email'] }),
  deleted('email_changes', 'user_id', 'changes of the email', 'email_changes', {
    texts: ['old_email', 'new_email'],
  }),
  deleted('email_rejections', 'user_id', 'rejections of the email', 'email_rejections'),
  deleted('members', 'user_id', 'memberships, roles and sections', 'clubs'),
  deleted('contacts', 'user_id', 'who sees the phone in each club', 'clubs'),
  deleted('club_mutes', 'user_id', 'clubs that they have muted', 'clubs'),
  deleted('ejections', 'user_id', 'records of removals from clubs', 'removed_from'),
  kept('club_log', 'actor_id', 'what they did in clubs as an admin', 'club_log', { why: someone }),
  kept('club_log', 'user_id', 'what admins of clubs did to them', 'club_log', { why: someone }),
  deleted('handovers', 'from_id', 'open offers to hand over a club', 'handovers'),
  deleted('handovers', 'to_id', 'open offers to take over a club', 'handovers'),
  deleted('invite_links', 'created_by', 'invite links', 'invite_links'),
  deleted('answers', 'user_id', 'answers to events, with guests, notes and replies', 'answers', {
    texts: ['note', 'reply'],
  }),
  kept('answers', 'by_id', 'answers that they gave for others', ofOthers, {
    why: 'because it is the answer of another person',
  }),
  deleted('answer_changes', 'user_id', 'times of answers', 'answer_changes'),
  deleted('standing_answers', 'user_id', 'answers to series', 'standing_answers'),
  deleted('absences', 'user_id', 'days on which the user is away', 'absences'),
  deleted('time_votes', 'user_id', 'votes on times', 'votes'),
  deleted('check_ins', 'user_id', 'check-ins', 'check_ins'),
  deleted('slot_claims', 'user_id', 'places taken on lists', 'slots'),
  deleted('slots', 'by_id', 'lifts that they offer', 'slots', { only: "kind = 'lift'", texts: ['title'] }),
  kept('slots', 'by_id', 'things and tasks that they added to lists as hosts', 'slots', {
    only: "kind <> 'lift'",
    texts: ['title'],
    why: 'because the event needs it',
  }),
  deleted('favourites', 'user_id', 'favourites', 'favourites'),
  deleted('event_followers', 'user_id', 'followed events', 'subscriptions'),
  kept('event_changes', 'actor_id', 'their changes of events, with their words about them', 'event_changes', {
    removed: ['words'],
    why: `${seen}; the words are removed`,
  }),
  kept('event_changes', 'host_id', 'changes of hosts about them', ofOthers, { why: seen }),
  kept('series', 'host_id', 'series that they host', { not: 'data of the club' }, { why: ofClub }),
  deleted('questions', 'author_id', 'questions to hosts, with the answers', 'questions', {
    texts: ['question', 'answer'],
  }),
  kept('questions', 'answered_by', 'answers to questions of members', 'question_answers', {
    why: 'because it is the answer to another person',
  }),
  kept('posts', 'creator_id', 'updates with their pictures', 'updates', {
    only: 'event_id is null',
    texts: ['content'],
    why: ofClub,
  }),
  kept('posts', 'creator_id', 'messages about events with their pictures', 'messages', {
    only: 'event_id is not null',
    texts: ['content'],
    why: ofClub,
  }),
  deleted('update_reads', 'user_id', 'confirmations that they have read updates', 'update_reads'),
  deleted('notices', 'user_id', 'notifications to them', 'notifications', { texts: ['facts'] }),
  kept('notices', 'actor_id', 'notifications about them', ofOthers, { texts: ['facts'], why: someone }),
  deleted('deliveries', 'user_id', 'outcomes of emails and pushes', 'deliveries'),
  deleted('notification_opt_outs', 'user_id', 'settings', 'notification_settings'),
  deleted('weekly_emails', 'user_id', 'the choice of the weekly email', 'notification_settings'),
  deleted('notice_emails', 'user_id', 'emails to them that wait', onTheWay, {
    texts: ['facts', 'before', 'key'],
  }),
  kept('notice_emails', 'actor_id', 'emails about them that wait', onTheWay, {
    texts: ['facts', 'before', 'key'],
    why: someone,
  }),
  kept('notice_fanouts', 'actor_id', 'notifications about them that wait', onTheWay, {
    texts: ['facts', 'before', 'own', 'key'],
    why: someone,
  }),
  kept('notice_fanouts', 'people', 'notifications to them that wait', onTheWay, {
    why: 'for the others',
  }),
  deleted('jobs', 'payload', 'emails and tasks that wait', onTheWay),
  deleted('calendar_files', 'user_id', 'emailed calendar files', 'calendar_files'),
  deleted('feed_fetches', 'user_id', 'calendar fetches', 'calendar_fetches'),
  deleted('retired_feeds', 'user_id', 'old calendar links', 'retired_calendar_links'),
  deleted('feedback', 'user_id', 'feedback', 'feedback', { texts: ['feedback'] }),
  deleted('payment_accounts', 'user_id', 'payment account', 'payment_account', {
    texts: ['account', 'email'],
  }),
  deleted('oauth_states', 'user_id', 'payment authorisations', secret),
  deleted('idempotency_keys', 'user_id', 'responses for repeated requests', {
    not: 'encrypted copies of the other data',
  }),
  deleted('rate_limits', 'key', 'counters of requests', { not: 'numbers without content' }),
];

/** Texts that belong to a club and name nobody as their author. They stay as long as the club. */
export const textsOfClubs: Record<string, readonly string[]> = {
  clubs: [
    'club_name',
    'search_text',
    'club_description',
    'location_name',
    'website',
    'profile_picture_url',
    'profile_banner_url',
    'slug',
  ],
  club_breaks: ['name'],
  sections: ['name', 'folded_name'],
  events: ['slug', 'name', 'search_text', 'description', 'details', 'location_name', 'question', 'choices'],
  event_changes: ['before', 'after', 'long_texts'],
  series: ['slug', 'fields'],
};
