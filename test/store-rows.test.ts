import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Viewer } from '#platform/context.ts';
import type { Db } from '#platform/db/client.ts';
import { cursorOf } from '#platform/db/pagination.ts';
import { Day } from '#wire/day.ts';
import { addSeconds, Instant } from '#wire/instant.ts';
import { Id } from '#wire/text.ts';
import { Deletion, Export } from '#features/account/contract.ts';
import * as account from '#features/account/store.ts';
import {
  AnswerList,
  answers as answersContract,
  LinkedAnswer,
  MemberAnswer,
} from '#features/events/answers/contract.ts';
import * as answerQueries from '#features/events/answers/queries.ts';
import * as answers from '#features/events/answers/store.ts';
import * as hostQueries from '#features/events/hosts/queries.ts';
import { LoginSession } from '#features/auth/contract.ts';
import * as authQueries from '#features/auth/queries.ts';
import * as auth from '#features/auth/store.ts';
import { calendar as calendarContract, FeedFetch } from '#features/calendar/contract.ts';
import * as calendarQueries from '#features/calendar/queries.ts';
import * as calendar from '#features/calendar/store.ts';
import { CheckIn, checkins as checkinsContract } from '#features/events/checkins/contract.ts';
import * as checkins from '#features/events/checkins/store.ts';
import { ClubEventLists, clubs as clubsContract, SharedClub, ViewerClub } from '#features/clubs/contract.ts';
import * as clubs from '#features/clubs/store.ts';
import { Answer } from '#features/events/choice-contract.ts';
import {
  Event,
  EventChange,
  events as eventsContract,
  SharedCard,
  SharedEvent,
  ViewerCard,
  ViewerEvent,
} from '#features/events/contract.ts';
import { emptyEventFields, eventFieldKeys, type EventField } from '#features/events/field-contract.ts';
import * as bell from '#platform/notices/bell.ts';
import * as noticeSettings from '#platform/notices/settings.ts';
import * as eventAccess from '#features/events/access.ts';
import * as eventPageQueries from '#features/events/page-queries.ts';
import * as eventPreviewQueries from '#features/events/preview-queries.ts';
import * as pollQueries from '#features/events/poll-queries.ts';
import * as eventQueries from '#features/events/queries.ts';
import * as eventStore from '#features/events/store.ts';
import { Face } from '#features/events/people-contract.ts';
import type { HostsEditorOf, LockedEvent, ReadingRunnerOf, RunnerOf } from '#features/events/access.ts';
import * as feedback from '#features/feedback/store.ts';
import { Invite, InviteLink } from '#features/invites/contract.ts';
import * as invites from '#features/invites/store.ts';
import * as media from '#features/media/store.ts';
import { Contact, MemberForAdmin, members as membersContract } from '#features/members/contract.ts';
import type { AdminOf, MemberOf } from '#features/members/rules.ts';
import { ClubSetting } from '#features/members/log-contract.ts';
import { Afterwards, Handover } from '#features/members/handover-contract.ts';
import * as contactQueries from '#features/members/contact-queries.ts';
import * as handoverQueries from '#features/members/handover-queries.ts';
import * as listQueries from '#features/members/list-queries.ts';
import * as logQueries from '#features/members/log-queries.ts';
import { Section } from '#features/sections/contract.ts';
import * as sections from '#features/sections/store.ts';
import { Absence, SavedAbsence } from '#features/events/absences/contract.ts';
import * as absenceQueries from '#features/events/absences/queries.ts';
import * as absenceStore from '#features/events/absences/store.ts';
import * as members from '#features/members/store.ts';
import { Notification } from '#features/notifications/contract.ts';
import * as notifications from '#features/notifications/store.ts';
import { PaymentAccount } from '#features/payments/contract.ts';
import * as payments from '#features/payments/store.ts';
import * as push from '#features/push/store.ts';
import { Found } from '#features/search/contract.ts';
import { OpenTime, Recurrence } from '#features/events/time-contract.ts';
import { polls as polling } from '#features/events/polls/contract.ts';
import * as polls from '#features/events/polls/store.ts';
import * as search from '#features/search/store.ts';
import { Break, Rule, Series } from '#features/events/series/contract.ts';
import * as seriesQueries from '#features/events/series/queries.ts';
import * as seriesAccess from '#features/events/series/access.ts';
import * as series from '#features/events/series/store.ts';
import type { LockedSeries, StoredSeries } from '#features/events/series/access.ts';
import { Slot } from '#features/events/slots/contract.ts';
import * as slots from '#features/events/slots/store.ts';
import { Question } from '#features/events/question-contract.ts';
import * as questionAccess from '#features/events/questions/access.ts';
import * as questionQueries from '#features/events/questions/queries.ts';
import * as questions from '#features/events/questions/store.ts';
import {
  LinkedUpdate,
  ListedUpdate,
  Message,
  ReadCounts,
  UpdateReaders,
} from '#features/updates/contract.ts';
import * as readQueries from '#features/updates/read-queries.ts';
import * as updates from '#features/updates/store.ts';
import { ClubRole, EmailChange, Language, User } from '#features/users/contract.ts';
import * as users from '#features/users/store.ts';
import { accessOf, actor, seedStores, sessionOf } from '#test/store-rows-data.ts';
import { viewerOf } from '#test/viewer.ts';
import { world, type World } from '#test/world.ts';

/** No list of these events has a second page. */
const noMore = { more_attendees: z.null(), more_waiting: z.null(), more_maybe: z.null() };
const times = z.array(OpenTime.extend({ more_voters: z.null() }));

const Device = z.object({
  session_id: Id,
  endpoint: z.string(),
  p256dh: z.instanceof(Buffer),
  auth: z.instanceof(Buffer),
});

const stores = {
  absences: { ...absenceQueries, ...absenceStore },
  account,
  answers: { ...answerQueries, ...hostQueries, ...answers },
  auth: { ...authQueries, ...auth },
  calendar: { ...calendarQueries, ...calendar },
  checkins,
  clubs,
  events: {
    ...eventAccess,
    ...eventPageQueries,
    ...eventPreviewQueries,
    ...eventQueries,
    ...eventStore,
    ...pollQueries,
  },
  feedback,
  invites,
  media,
  members: { ...contactQueries, ...handoverQueries, ...listQueries, ...logQueries, ...members },
  notifications: { ...notifications, ...bell, ...noticeSettings },
  payments,
  polls,
  push,
  questions: { ...questionAccess, ...questionQueries, ...questions },
  search,
  sections,
  series: { ...seriesAccess, ...seriesQueries, ...series },
  slots,
  updates: { ...readQueries, ...updates },
  users,
};

/** The part of a type that exists at run time, without the symbols that prove a permission or a lock. */
type Plain<T> = T extends Buffer
  ? T
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { [Key in keyof T as Exclude<Key, symbol>]: Plain<T[Key]> }
      : T;

/** The schema of what a function returns, and the inputs of the calls whose results it parses. */
type Check<F> = F extends (db: Db, ...input: infer Input) => Promise<infer Result>
  ? [schema: z.ZodType<Plain<Result>>, ...calls: Input[]]
  : never;

/**
 * Functions that return rows or parts of rows. A result that is void, a number or a boolean has no columns to check.
 */
type RowFunction<Store> = {
  [Name in keyof Store]: Store[Name] extends (...input: never[]) => Promise<infer Result>
    ? [Result] extends [void | number | boolean]
      ? never
      : Name
    : never;
}[keyof Store];

type Stores = typeof stores;

/**
 * The compiler asks for a check of each function that returns rows, and compares its schema with the function's type.
 * Other functions may have a check, such as those that return a number from a column.
 */
type Checks = {
  [Feature in keyof Stores]: {
    [Name in RowFunction<Stores[Feature]>]: Check<Stores[Feature][Name]>;
  } & { [Name in keyof Stores[Feature]]?: Check<Stores[Feature][Name]> };
};

const EventFields = Event.pick(
  Object.fromEntries(eventFieldKeys.map((key) => [key, true])) as Record<EventField, true>,
);

const ViewerRow = ViewerCard.extend({ id: Id });
const ListedEvent = ViewerRow.extend(
  Event.pick({
    slug: true,
    start_time: true,
    end_time: true,
    entry_until_time: true,
    deleted_at: true,
    polling: true,
  }).shape,
).extend({ version: z.string(), series: z.object({ slug: Id }).nullable() });
const ClubRef = clubsContract.create.output;
const Membership = z.object({ club_id: Id, user_id: Id, club_role: ClubRole, is_planner: z.boolean() });
const adminRights = { club_role: z.literal(200), is_planner: z.literal(true) };
const Identity = z.object({
  now: Instant,
  user: z
    .object({
      id: Id,
      session_id: Id,
      memberships: z.map(Id, z.object({ club_role: ClubRole, is_planner: z.boolean() })),
    })
    .optional(),
});
const HashOrNull = z.instanceof(Buffer).nullable();

const CalendarEvent = z.object({
  id: Id,
  slug: z.string(),
  ...EventFields.shape,
  start_time: Instant,
  end_time: Instant,
  time_zone: z.string(),
  moved_from: Instant.nullable(),
  created_at: Instant,
  updated_at: Instant,
  sequence: z.int(),
  deleted_at: Instant.nullable(),
  answer: Answer.nullable(),
  guests: z.int(),
  must_confirm: z.boolean(),
  asked_about: Event.shape.asked_about,
  polling: z.boolean(),
  reader_changed_at: Instant,
});

const feedEventsOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ version: z.string(), events: z.array(CalendarEvent.extend(shape)) });

/** The viewer fields of an event that only some viewers get. */
const Reach = ViewerEvent.shape.reach.unwrap();

const rareFields = {
  times: true,
  away_until: true,
  messages: true,
  questions: true,
  confirmed_count: true,
  calendars: true,
  reach: true,
  audience: true,
  list_changes: true,
  reply_counts: true,
  undo: true,
} as const;

const RelayedEvent = CalendarEvent.pick({
  id: true,
  start_time: true,
  end_time: true,
  time_zone: true,
}).extend(EventFields.shape);

const EventInClub = Event.pick({
  id: true,
  slug: true,
  owner_club_id: true,
  start_time: true,
  end_time: true,
  entry_until_time: true,
  time_zone: true,
  polling: true,
  deleted_at: true,
  my_role: true,
  my_answer: true,
  my_guests: true,
  my_place: true,
  my_lets_pass: true,
  my_note: true,
  must_confirm: true,
  nudged: true,
  user_count: true,
  guest_count: true,
  seats_left: true,
  waiting_count: true,
  version: true,
}).extend({
  ...EventFields.shape,
  my_host_no: z.int().nullable(),
  is_answer_given: z.boolean(),
  my_note_hash: z.string(),
  my_answered_at: Instant.nullable(),
  my_reply: z.string(),
  my_answer_version: z.string().nullable(),
  club_slug: z.string(),
  club_role: ClubRole,
  is_planner: z.boolean(),
  is_member: z.literal(true),
});

const EventOfRunner = EventInClub.extend({ my_place: z.null() });

/** The look of a user, as `lookOf` reads it. */
const StoredLook = z.object({
  language: z.string(),
  clock: z.enum(['auto', '12', '24']),
  timeZone: z.string().nullable(),
});

const LinkedEvent = LinkedAnswer.omit({ choices: true, closed: true, reader: true })
  .extend(Event.pick({ id: true, entry_until_time: true, deleted_at: true, polling: true }).shape)
  .extend(Event.pick({ capacity: true, waitlist: true }).shape)
  .extend(Event.pick({ user_count: true, guest_count: true }).shape)
  .extend({ user_id: Id, answer_key: z.string().length(64), look: StoredLook })
  .extend({ series_id: Id.nullable(), my_standing_guests: z.int().nullable() })
  .extend({ my_standing_version: z.string().nullable() });

const UpdateOfLink = LinkedUpdate.omit({ first_line: true, reader: true }).extend({
  id: Id,
  user_id: Id,
  content: z.string(),
  answer_key: z.string().length(64),
  look: StoredLook,
});

/** A notice as `bell.ts` reads it. */
const OwnNotice = Notification.extend({ user_id: Id });

const LookWithZone = StoredLook.extend({ timeZone: z.string() });

const StoredSeriesRow = Rule.extend(
  Series.pick({
    id: true,
    slug: true,
    club_id: true,
    version: true,
    cutoff_minutes: true,
    everybody: true,
  }).shape,
).extend({ fields: EventFields, hosts: z.array(Id), ended_at: Instant.nullable() });

const Payee = z.object({ is_admin: z.boolean(), email: z.string() });

let w: World;
let checks: Checks;
beforeAll(async () => {
  w = await world();
  checks = await checksIn(w);
});
afterAll(() => w[Symbol.asyncDispose]());

async function checksIn(w: World): Promise<Checks> {
  const s = await seedStores(w);
  const { ada, bob, cyd, dan, admin, club, other, third, now } = s;
  const memberIn = ({ id }: { id: string }) =>
    ({ club_id: id, user_id: cyd.id, club_role: 0 }) as unknown as MemberOf;
  const [asAda, asCyd] = [await viewerOf(w.db, ada), await viewerOf(w.db, cyd)];
  const context = { user: asCyd, config: w.config };
  const runner = { ...context, user: asAda };
  const runByAda = [s.regatta.id, s.hostless.id, s.cancelled.id, 'past-1'];
  const look = { language: 'en', clock: 'auto', timeZone: null } as const;
  const feed = {
    club_id: club.id,
    user_id: cyd.id,
    slug: club.slug,
    club_name: club.club_name,
    look,
    version: '',
  };
  const shown = await updates.newest(w.db, admin, 10);
  const created = { account: 'acct_new', email: null, is_ready: true, changed_at: now };
  const newEvent = {
    name: 'New',
    description: '',
    details: '',
    location_name: 'Pier',
    guests_max: 1,
    capacity: 20,
    waitlist: true,
    question: 'Which menu?',
    choices: ['Vegan', 'Meat'],
    section_ids: [s.section],
    needed: { all: 3 },
    slug: 'new',
    time_zone: 'UTC',
    start_time: now,
    end_time: now,
    entry_until_time: now,
  };
  const newSeries = {
    ...newEvent,
    ...s.weekly,
    every: 1,
    month_day: null,
    nth: null,
    ends_on: null,
    count: null,
    cutoff_minutes: 0,
    everybody: false,
  };
  const seriesIds = [s.series, s.ended, s.hostlessSeries];
  const storedSeries = await Promise.all(
    seriesIds.map(
      async (id) => (await seriesAccess.seriesOfMember(w.db, context, id)).series as LockedSeries,
    ),
  );
  const pageOf = async (viewer: Viewer, ref: string) => {
    const found = await eventPageQueries.eventOfViewer(w.db, { viewer, ref, now });
    const {
      id = '',
      polling = false,
      has_messages = false,
      has_questions = false,
      by_absence = false,
      my_answer = null,
      is_for_me = false,
    } = found ?? {};
    const own = { polling, by_absence, has_messages, has_questions, my_answer, is_for_me };
    return { viewer, id, ...own, runs: viewer === asAda };
  };
  const eventRefs = [s.regatta, s.hostless, s.cancelled, s.walk, s.full, s.missed]
    .map(({ id }) => id)
    .concat(s.date);
  const pages = await Promise.all([
    ...[...eventRefs, s.poll.id].map((event) => pageOf(asCyd, event)),
    ...[s.regatta.id, s.hostless.id, s.poll.id].map((event) => pageOf(asAda, event)),
  ]);

  return {
    account: {
      daysAwayOf: [z.array(Absence.omit({ id: true })), [cyd.id]],
      lockAccount: [z.array(ClubRef.omit({ club_name: true })), [cyd.id, now]],
      deletions: [z.array(z.object({ digest: z.string(), deleted_on: z.iso.date() })), []],
      userIds: [z.array(Id), []],
      soleAdminships: [Deletion.shape.need_choice, [ada.id]],
      profileOf: [Export.shape.profile, [ada.id, now], [bob.id, now], [cyd.id, now]],
      emailChangesOf: [Export.shape.email_changes, [bob.id]],
      emailRejectionsOf: [Export.shape.email_rejections, [ada.id], [cyd.id]],
      deliveriesOf: [Export.shape.deliveries, [cyd.id]],
      clubsOf: [Export.shape.clubs, [cyd.id]],
      logEntriesOf: [Export.shape.club_log, [ada.id], [bob.id]],
      handoversOf: [Export.shape.handovers, [cyd.id]],
      ejectionsOf: [Export.shape.removed_from, [dan.id]],
      linksOf: [Export.shape.invite_links, [ada.id]],
      answersOf: [Export.shape.answers, [cyd.id]],
      votesOf: [Export.shape.votes, [cyd.id]],
      standingAnswersOf: [
        z.array(Export.shape.standing_answers.element.extend({ repeats: Recurrence })),
        [cyd.id],
      ],
      checkInsOfUser: [Export.shape.check_ins, [cyd.id]],
      slotsOfUser: [Export.shape.slots, [cyd.id]],
      eventChangesOf: [Export.shape.event_changes, [ada.id], [bob.id]],
      answerChangesOf: [Export.shape.answer_changes, [cyd.id]],
      calendarFilesOf: [Export.shape.calendar_files, [cyd.id]],
      calendarFetchesOf: [Export.shape.calendar_fetches, [cyd.id]],
      followedEvents: [Export.shape.favourites, ['favourites', cyd.id], ['event_followers', cyd.id]],
      retiredFeedsOf: [Export.shape.retired_calendar_links, [cyd.id]],
      updatesOf: [Export.shape.updates, [ada.id]],
      questionsOf: [Export.shape.questions, [cyd.id]],
      questionAnswersOf: [Export.shape.question_answers, [ada.id]],
      updateReadsOf: [Export.shape.update_reads, [cyd.id]],
      messagesOf: [Export.shape.messages, [ada.id], [cyd.id]],
      feedbackOf: [Export.shape.feedback, [cyd.id]],
    },
    notifications: {
      settingsOf: [z.record(z.string(), z.boolean()), [cyd.id]],
      newestNotices: [z.array(OwnNotice), [cyd.id]],
      allNotices: [z.array(OwnNotice), [cyd.id]],
      newNoticesFor: [
        z.array(z.object({ user_id: Id, message: Notification.extend({ seen_at: z.null() }) })),
        [[cyd.id], 3600, () => false],
      ],
      noticesWith: [
        z.array(
          z.object({
            user_id: Id,
            message: Notification.extend({
              seen_at: z.null(),
              actioned_at: z.null(),
              metadata: Notification.shape.metadata.pick({ club_slug: true }),
            }),
          }),
        ),
        [[s.notice]],
      ],
      markNotice: [
        OwnNotice.extend({ metadata: Notification.shape.metadata.pick({ club_slug: true }) }),
        [cyd.id, { id: s.notice, as: 'seen_at', now }],
        [cyd.id, { id: s.notice, as: 'actioned_at', now }],
      ],
    },
    answers: {
      hostsOf: [z.array(Face), [s.regatta.id], [s.walk.id], [s.hostless.id]],
      hostOf: [
        Event.pick({ host: true, my_role: true }),
        [cyd.id, s.regatta.id],
        [cyd.id, s.hostless.id],
        [cyd.id, s.walk.id],
        [dan.id, s.regatta.id],
      ],
      freeNumber: [z.int(), [{ id: s.regatta.id } as HostsEditorOf]],
      withFreeSeats: [z.set(Id), [[s.regatta.id]]],
      handOver: [Id, [{ id: s.regatta.id } as HostsEditorOf, cyd.id, now]],
      findLink: [
        z.union([z.strictObject({ now: Instant }), z.object({ now: Instant, link: LinkedEvent })]),
        [[cyd.id, s.regatta.id]],
        [[null, null]],
      ],
      pageOfPeople: [
        answersContract.people.output.extend({ more: z.null() }),
        ...(['going', 'waiting', 'maybe'] as const).flatMap((answer) =>
          pages.map(({ id }): [Pick<Event, 'id'>, { answer: typeof answer }] => [{ id }, { answer }]),
        ),
        [s.regatta, { answer: 'waiting', after: cursorOf([ada.id]) }],
        [s.regatta, { answer: 'maybe', after: cursorOf([now, ada.id]) }],
      ],
      // Empty, because no event has both free seats and people on its waitlist.
      waitlistsOf: [z.tuple([]), [[s.regatta.id], now]],
      pageOfAnswers: [
        answersContract.list.output,
        ...AnswerList.options.map(
          (state): [ReadingRunnerOf, { state: AnswerList }, { user: typeof ada; now: string }] => [
            {
              id: state === 'waiting' ? s.cancelled.id : s.hostless.id,
              owner_club_id: club.id,
            } as ReadingRunnerOf,
            { state },
            { user: ada, now },
          ],
        ),
      ],
      allAnswers: [
        z.array(
          MemberAnswer.pick({
            first_name: true,
            last_name: true,
            guests: true,
            reply: true,
            note: true,
          }).extend({
            sections: z.array(z.string()),
            answer: Answer.nullable(),
            came: z.boolean().nullable(),
          }),
        ),
        [{ id: s.hostless.id, owner_club_id: club.id, question: 'Which menu?' } as ReadingRunnerOf],
        [{ id: s.regatta.id, owner_club_id: club.id, question: '' } as ReadingRunnerOf],
      ],
    },
    absences: {
      clubOf: [z.object({ id: Id, members: z.int() }), [s.hostless.id]],
      eventsToAnswer: [
        z.array(
          z.object({
            event_id: Id,
            series_id: Id.nullable(),
            start_time: Instant,
            section_ids: z.array(Id),
            on: Day,
            capacity: z.int().nullable(),
            waitlist: z.boolean(),
            guests_max: z.int(),
            is_closed: z.boolean(),
            is_late: z.boolean(),
            taken: z.int(),
            last_place: z.int(),
            answers: z.array(
              z.object({
                user_id: Id,
                answer: Answer,
                guests: z.int(),
                place: z.int().nullable(),
                via: z.string(),
                is_own: z.boolean(),
              }),
            ),
            away: z.array(Absence.omit({ id: true }).extend({ user_id: Id, section_ids: z.array(Id) })),
          }),
        ),
        [eventRefs, now, undefined],
        [eventRefs, now, [cyd.id]],
      ],
      standingAnswersTo: [
        z.array(
          z.object({
            user_id: Id,
            answer: z.enum(['going', 'no']),
            guests: z.int(),
            section_ids: z.array(Id),
          }),
        ),
        [s.series, undefined],
        [s.series, [cyd.id]],
      ],
      seatedBefore: [z.array(z.array(Id)), [s.series, '2095-01-01T00:00:00.000Z']],
      eventsOfMembers: [z.array(Id), [club.id, [cyd.id], now]],
      absencesOf: [z.array(Absence), [cyd.id]],
      absenceOf: [Absence, [cyd.id, s.absence]],
      clubsOf: [z.array(Id), [cyd.id]],
      effectOf: [
        SavedAbsence.omit({ away: true }),
        [cyd.id, { id: s.absence, first_on: '2000-01-01', last_on: '2090-12-31' }, now],
      ],
      addAbsence: [Id, [cyd.id, { first_on: '2040-01-01', last_on: '2040-01-01' }]],
    },
    auth: {
      findSessions: [z.array(Identity), [[accessOf(cyd), null], 0]],
      endedSessions: [z.array(Id), [[randomUUID()], 0]],
      findOrCreateAccount: [
        Id,
        [cyd.email, { language: 'en', now }],
        ['nobody@example.org', { language: 'en', now }],
      ],
      findAccount: [Id, [cyd.email]],
      accountFor: [
        z.object({ is_enabled: z.boolean(), look: StoredLook }),
        [{ email: cyd.email }],
        [{ email: ada.email }],
        [{ email: s.old_email, reservedFor: cyd.id }],
      ],
      emailOf: [User.shape.email, [cyd.id]],
      reservationOf: [z.object({ id: Id, user_id: Id }), [s.old_email, now]],
      lockThrottle: [
        z.object({
          hour_started_at: Instant,
          wrong_this_hour: z.int(),
          wrong_in_a_row: z.int(),
          short_codes_refused_until: Instant.nullable(),
        }),
        [s.throttled, now],
        ['nobody@example.org', now],
      ],
      sentCodes: [
        z.array(
          z.object({
            created_at: Instant,
            used_at: Instant.nullable(),
            good_until: Instant.nullable(),
            same_network: z.boolean(),
            same_purpose: z.boolean(),
          }),
        ),
        [cyd.email, { network: null, purpose: 'login', now }],
      ],
      recentCodes: [
        z.array(
          z.object({
            id: Id,
            short_hash: z.instanceof(Buffer),
            long_hash: z.instanceof(Buffer),
            purpose: z.enum(['login', 'email_change', 'export', 'deletion']),
            live: z.boolean(),
          }),
        ),
        [cyd.email, now],
      ],
      lockSession: [
        z.object({ id: Id, user_id: Id, refresh_hash: z.instanceof(Buffer), parent_hash: HashOrNull }),
        [sessionOf(ada), now],
        [sessionOf(cyd), now],
      ],
      sessionsOf: [
        z.array(LoginSession.omit({ browser: true, system: true, is_current: true })),
        [cyd.id, now],
      ],
    },
    calendar: {
      clubFeed: [
        z.object({
          now: Instant,
          feed: z
            .object({
              user_id: Id,
              look: LookWithZone,
              version: z.string(),
              club_id: Id,
              slug: z.string(),
              club_name: z.string(),
            })
            .optional(),
        }),
        [{ clockOffset: 0, club: club.slug, secret: s.clubSecretNow }],
        [{ clockOffset: 0, club: club.id, secret: 'unknown' }],
      ],
      eventsOfClub: [feedEventsOf({ club_name: z.null() }), [feed, now]],
      personalFeed: [
        z.object({
          now: Instant,
          feed: z.object({ user_id: Id, look: LookWithZone, version: z.string() }).optional(),
        }),
        [{ clockOffset: 0, secret: s.secretNow }],
        [{ clockOffset: 0, secret: 'unknown' }],
      ],
      eventsOfUser: [feedEventsOf({ club_name: z.string() }), [cyd.id, now]],
      oneEvent: [
        // Loose, because the statement selects every column of the event.
        CalendarEvent.extend({
          owner_club_id: Id,
          reader_changed_at: Instant.nullable(),
          look: StoredLook,
        }).loose(),
        ...[dan, cyd].flatMap(({ id }) => eventRefs.map((ref): [string, string] => [id, ref])),
      ],
      feedToEmail: [
        z.object({
          email: z.string(),
          look: StoredLook,
          secret: z.string(),
          club_name: z.string().nullable(),
        }),
        [cyd.id, undefined],
        [dan.id, undefined],
        [cyd.id, club.id],
      ],
      fetchesOf: [z.array(FeedFetch), [cyd.id]],
      usesFeed: [z.boolean(), [cyd.id, now]],
      replaceSecret: [calendarContract.replaceSecret.output, [cyd.id, { leaked: false, now }]],
      replaceClubSecret: [calendarContract.replaceSecret.output, [memberIn(club), { leaked: false, now }]],
      retiredFeed: [
        z.object({
          user_id: Id,
          look: LookWithZone,
          entries: Export.shape.retired_calendar_links.element.shape.events,
          retired_at: Instant,
        }),
        [{ secret: s.secret, now }],
        [{ secret: s.clubSecret, club: club.slug, now }],
      ],
    },
    checkins: {
      pageOfExpected: [
        checkinsContract.list.output,
        [{ id: s.hostless.id, owner_club_id: club.id } as ReadingRunnerOf, { q: '' }, { user: ada, now }],
        [{ id: s.hostless.id, owner_club_id: club.id } as ReadingRunnerOf, { q: 'a' }, { user: ada, now }],
      ],
      checkInsOf: [
        z.array(CheckIn),
        [{ id: s.hostless.id, owner_club_id: club.id } as ReadingRunnerOf, [cyd.id, ada.id]],
      ],
      pageOfAttendance: [
        checkinsContract.attendance.output,
        [admin, { now }],
        [admin, { now, after: cursorOf(['', '', 'ffffffff-ffff-4fff-bfff-ffffffffffff']) }],
      ],
    },
    clubs: {
      deleteClub: [z.object({ club_name: z.string() }), [{ club_id: third.id } as AdminOf]],
      addClub: [ClubRef, [{ club_name: 'New', founder: ada.id }, now]],
      sharedClub: [
        z.object({
          version: z.string(),
          // `website` is optional in the contract for clients, but always selected.
          value: SharedClub.omit({ more_members: true }).extend({ meta: SharedClub.shape.meta.required() }),
        }),
        [{ id: club.id }],
        [{ id: other.id }],
        [{ id: third.id }],
      ],
      membersForAdminOf: [z.array(MemberForAdmin), [admin, now]],
      clubOfMember: [
        z.object({
          club_id: Id,
          version: z.string(),
          ...ViewerClub.omit({ my_club_role: true, is_planner: true }).shape,
          event_count: ClubEventLists.shape.event_count,
          events: z.array(ListedEvent),
        }),
        [{ viewer: asCyd, ref: club.id, now }],
        [{ viewer: asAda, ref: club.slug, now }],
        [{ viewer: asCyd, ref: other.id, now }],
      ],
      versionOf: [SharedClub.shape.version, [admin]],
      countAdministered: [z.literal(1), [ada.id]],
      updateClub: [
        clubsContract.update.output.extend({ changed: z.array(ClubSetting) }),
        [admin, { club_name: 'New name' }],
        [admin, { club_name: club.club_name }],
      ],
    },
    events: {
      listOfClub: [
        z.object({ events: z.array(ListedEvent), more: z.string().nullable() }),
        [asCyd, memberIn(club), now, { phase: 'previous' }],
        [asCyd, memberIn(club), now, { phase: 'upcoming' }],
        [asCyd, memberIn(other), now, { phase: 'upcoming' }],
      ],
      listOfAttended: [z.array(ListedEvent.extend({ my_answer: Answer })), [asCyd, now]],
      listOfAllClubs: [z.array(ListedEvent), [asCyd, now]],
      sharedCard: [
        z.object({ version: z.string(), value: SharedCard }),
        ...pages.map(({ id }): [{ id: string }] => [{ id }]),
      ],
      summaries: [eventsContract.cards.output, [memberIn(club), now]],
      sharedEvent: [
        // The statement selects the columns of a card too. One of them is `club_slug`, which the endpoint omits.
        z.object({ version: z.string(), value: SharedEvent.extend({ club_slug: z.string(), ...noMore }) }),
        ...pages.map(({ id }): [{ id: string }] => [{ id }]),
      ],
      eventOfViewer: [
        ViewerEvent.omit(rareFields).extend({
          id: Id,
          owner_club_id: Id,
          polling: z.boolean(),
          has_messages: z.boolean(),
          has_questions: z.boolean(),
          by_absence: z.boolean(),
          version: z.string(),
        }),
        ...pages.map(({ viewer, id: ref }): [{ viewer: Viewer; ref: string; now: string }] => [
          { viewer, ref, now },
        ]),
      ],
      rareFieldsOfEvent: [
        // How people were reached is told from five on.
        ViewerEvent.pick(rareFields).extend({ times, reach: Reach.extend({ by: z.null() }).nullable() }),
        ...pages.map(({ viewer, ...page }): [string, string, typeof page] => [viewer.id, now, page]),
      ],
      pageOfVoters: [
        polling.voters.output.extend({ more: z.null() }),
        [s.poll, { time: s.time }],
        [s.poll, { time: s.time, after: cursorOf(['yes', now, ada.id]) }],
      ],
      timesOfEvent: [z.object({ times }), [cyd.id, s.poll, now], [ada.id, s.poll, now]],
      previewOfEvent: [
        Event.pick({
          slug: true,
          name: true,
          description: true,
          start_time: true,
          time_zone: true,
          deleted_at: true,
          owner_club_id: true,
          club_name: true,
          polling: true,
        }).extend({ language: Language }),
        [s.regatta.slug],
        [s.cancelled.slug],
      ],
      readingEvent: [EventInClub, ...eventRefs.map((ref): [typeof context, string] => [context, ref])],
      eventInClub: [EventInClub, ...eventRefs.map((ref): [typeof context, string] => [context, ref])],
      clubOfEvent: [
        EventInClub.pick({ owner_club_id: true, club_slug: true }).extend({ is_member: z.boolean() }),
        [context, s.regatta.id],
      ],
      lockEvent: [EventInClub, ...eventRefs.map((ref): [typeof context, string] => [context, ref])],
      asReadingRunner: [EventOfRunner, ...runByAda.map((ref): [typeof context, string] => [runner, ref])],
      asRunner: [EventOfRunner, ...runByAda.map((ref): [typeof context, string] => [runner, ref])],
      asHostsEditor: [EventOfRunner, ...runByAda.map((ref): [typeof context, string] => [runner, ref])],
      asRemoverOf: [
        EventOfRunner,
        ...runByAda.map((ref): [typeof context, string, string] => [runner, ref, ada.id]),
      ],
      eventOfMember: [
        EventOfRunner,
        ...runByAda.map((id): [RunnerOf, string] => [{ id } as RunnerOf, ada.id]),
      ],
      audienceAfter: [
        z.object({ section_ids: z.array(Id), needed: z.record(z.string(), z.int()) }),
        [admin, emptyEventFields, { section_ids: [s.section], needed: { all: 3 } }],
      ],
      restorableAudience: [
        z.object({ section_ids: z.array(Id), needed: z.record(z.string(), z.int()) }),
        [admin, emptyEventFields, { section_ids: [s.section], needed: { all: 3 } }],
      ],
      takeClosed: [z.array(z.object({ id: Id })), [addSeconds(now, 24.5 * 3600)]],
      recordChangeOfHost: [
        Id,
        [{ id: s.regatta.id, version: 1 } as RunnerOf, { kind: 'host', actor: ada.id, host: bob.id }, now],
      ],
      updateEvent: [
        Id,
        [
          { ...newEvent, id: s.regatta.id } as unknown as LockedEvent,
          { ...newEvent, name: 'Newer' },
          { actor: ada.id, announced: false },
          now,
        ],
      ],
      changeToRelay: [
        z.object({
          event: RelayedEvent,
          before: RelayedEvent,
          since: Instant,
          dates: z.array(Id),
          newest: Id,
          is_cancelled: z.boolean(),
          actor: Id.nullable(),
        }),
        ...s.relayed.map((id): [string, string] => [id, now]),
      ],
      changeOf: [
        z.object({
          id: Id,
          kind: EventChange.shape.kind,
          changed_at: Instant,
          undone_at: Instant.nullable(),
          actor_id: Id.nullable(),
          sequence: z.int(),
          old: EventChange.shape.before,
        }),
        ...s.changes.map((id): [LockedEvent, string] => [{ id: s.regatta.id } as LockedEvent, id]),
      ],
      fixTime: [
        Id,
        [{ ...newEvent, id: s.poll.id } as unknown as LockedEvent, { ...newEvent, id: s.time }, ada.id, now],
      ],
      listOfSeries: [
        z.array(ListedEvent.extend({ series: z.object({ slug: Id }) })),
        ...[s.series, s.ended, s.hostlessSeries].map((id): [Viewer, string, string] => [asCyd, now, id]),
      ],
      createEvents: [
        z.array(Id),
        [{ club_id: club.id, hosts: [ada.id] }, newEvent, [{ ...newEvent, slug: 'one' }], now],
      ],
      createEvent: [Id, [admin, newEvent, now]],
      lockUpcomingDates: [
        z.array(
          z.object({
            event: EventOfRunner,
            slot_on: z.iso.date(),
            own_fields: z.array(z.string()),
            cancelled_by_break: z.boolean(),
          }),
        ),
        [ada.id, s.series, now],
        [ada.id, s.hostlessSeries, now],
      ],
      cancelEvents: [Instant, [[s.hostless.id], { actor: ada.id }, now]],
      cancel: [Instant, [{ id: s.regatta.id } as LockedEvent, { actor: ada.id }, now]],
    },
    feedback: {},
    invites: {
      createLink: [
        InviteLink.optional(),
        [admin, { replaces: true, now }],
        [admin, { replaces: false, now }],
      ],
      linkOf: [InviteLink, [admin]],
      activeLink: [
        z.object({ id: Id, club_id: Id, slug: z.string(), created_at: Instant }),
        [s.invite_link, now],
      ],
      inviteOf: [Invite, [s.invite_link, now], [s.anonymous_link, now]],
      previewOfInvite: [ClubRef.extend({ language: Language }), [s.invite_link]],
      clubOf: [Id, [s.invite_link]],
      ejectedAt: [Instant, [club.id, dan.id]],
    },
    media: {},
    members: {
      lockClub: [Id, [club.slug]],
      clubNameOf: [z.string(), [admin]],
      asMember: [Membership, [actor(cyd), club.id]],
      asAdmin: [Membership.extend(adminRights), [actor(ada), club.id]],
      asPlanner: [Membership.extend({ is_planner: z.literal(true) }), [actor(ada), club.id]],
      asOperator: [z.object({ club_id: Id, user_id: z.literal(''), ...adminRights }), [club.id]],
      asReadingMember: [Membership, [asCyd, club.id], [asCyd, club.slug]],
      asReadingAdmin: [Membership, [asAda, club.id]],
      addOffer: [Id, [admin, { to_id: bob.id, afterwards: 'stay', until: now }]],
      withdrawOffer: [z.object({ to_id: Id }), [admin, now]],
      contactOf: [Contact, [memberIn(club)]],
      phoneOf: [z.string(), [admin, cyd.id, now]],
      takeOffer: [z.object({ id: Id, afterwards: Afterwards }), [memberIn(club), ada.id, now]],
      offersFor: [
        z.array(Handover.pick({ until: true, afterwards: true }).nullable()),
        [
          [
            { user_id: cyd.id, facts: { offer: s.offer } },
            { user_id: bob.id, facts: { offer: s.offer } },
          ],
        ],
      ],
      memberships: [z.array(Membership.pick({ user_id: true, club_role: true })), [admin]],
      pageOfMembers: [membersContract.ofClub.output, [admin], [memberIn(other)]],
      pageOfLog: [membersContract.log.output.extend({ more: z.null() }), [admin]],
      allMembers: [
        z.array(
          MemberForAdmin.pick({ first_name: true, last_name: true, email: true, club_role: true }).extend({
            sections: z.array(z.string()),
            joined_at: Instant,
            phone: z.string(),
          }),
        ),
        [admin, now],
      ],
      pageForAdmin: [membersContract.forAdmin.output, [admin, { now }], [memberIn(other), { now }]],
      lockUpcomingEvents: [
        z.array(Event.pick({ id: true, deleted_at: true }).extend({ series_id: Id.nullable() })),
        [club.id, now],
      ],
    },
    payments: {
      payee: [Payee, [ada.id]],
      accountOf: [PaymentAccount, [ada.id]],
      saveIfFirst: [PaymentAccount, [dan.id, dan.email, created]],
      takeState: [Payee.extend({ id: Id }), [s.hash, now]],
    },
    polls: {
      timeOf: [Event.pick({ id: true, start_time: true, end_time: true }), [s.poll, s.time]],
    },
    push: {
      dueHosts: [z.array(z.string()), [now]],
      lockDueDevices: [z.array(Device), [{ host: 'fcm.googleapis.com', now, max: 9 }]],
      // All sessions have ended by then.
      unsendablePushes: [
        z.array(z.object({ notification_id: Id, session_id: Id, user_id: Id, kind: z.string() })),
        [addSeconds(now, 999 * 24 * 60 * 60)],
      ],
      deviceOf: [Device.extend({ endpoint: z.string().nullable() }), [sessionOf(ada)], [sessionOf(cyd)]],
      lockEndpoint: [Device, [`https://fcm.googleapis.com/${sessionOf(cyd)}`]],
      takeEndingDevices: [
        z.array(Device.extend({ ends_for_good: z.boolean(), look: StoredLook })),
        [addSeconds(now, 29 * 24 * 60 * 60), 10],
      ],
    },
    questions: {
      asAnswerer: [
        z.object({
          id: Id,
          author_id: Id,
          answer: z.string(),
          shared: z.boolean(),
          version: z.int(),
          event: z.custom<never>(() => true),
        }),
        [runner, s.question],
      ],
      asRemover: [z.object({ id: Id }), [context, s.question]],
      addQuestion: [Id, [{ id: s.walk.id } as LockedEvent, { author_id: cyd.id, question: 'Why?' }, now]],
      questionFor: [
        Question,
        [s.question, { viewer: cyd.id, runs: false }],
        [s.openQuestion, { viewer: ada.id, runs: true }],
      ],
      quoted: [
        z.map(
          Id,
          z.object({
            id: Id,
            author_id: Id,
            first_name: z.string(),
            last_name: z.string(),
            question: z.string(),
            answer: z.string(),
          }),
        ),
        [[s.question]],
      ],
    },
    search: {
      findEvents: [
        Found.shape.events,
        [[club.id], ['REGATTA'], now],
        [[club.id], ['CANCELLED'], now],
        [[club.id], ['RUN'], now],
        [[club.id], ['TRIP'], now],
        [[club.id], ['TALK'], now],
      ],
      findClubs: [Found.shape.clubs, [asCyd, ['ROWERS']]],
    },
    sections: { sectionsOf: [z.array(Section), [admin]], sectionIdsOf: [z.array(Id), [admin]] },
    series: {
      seriesOfMember: [
        z.object({ series: StoredSeriesRow, member: Membership }),
        ...seriesIds.map((id): [typeof context, string] => [context, id]),
      ],
      find: [StoredSeriesRow, ...seriesIds.map((id): [string] => [id])],
      lockSeries: [StoredSeriesRow, ...storedSeries.map((each): [StoredSeries] => [each])],
      lockIdleSeries: [
        StoredSeriesRow.extend({ count: z.null(), ended_at: z.null() }),
        [s.series],
        [s.hostlessSeries],
      ],
      breaksOf: [z.array(Break), [club.id]],
      seriesAndBreaks: [z.array(StoredSeriesRow.extend({ breaks: z.array(Break) })), [seriesIds]],
      runningSeries: [z.array(StoredSeriesRow.extend({ count: z.null(), ended_at: z.null() })), [admin]],
      createSeries: [
        StoredSeriesRow.extend({ ended_at: z.null() }),
        [admin, { ...newSeries, capacity: null, count: 2 }, now],
        [admin, { ...newSeries, freq: 'monthly_day', month_day: 3, ends_on: '2090-12-31' }, now],
        [admin, { ...newSeries, freq: 'monthly_weekday', nth: -1 }, now],
      ],
      makeMissingDates: [
        z.object({ ids: z.array(Id), again: z.boolean() }),
        [storedSeries[0] as LockedSeries, addSeconds(now, 99 * 365 * 86_400)],
      ],
      headFor: [
        StoredSeriesRow.extend(
          Series.pick({
            club_slug: true,
            club_name: true,
            host: true,
            is_host: true,
            my_standing: true,
            seats_held: true,
          }).shape,
        ).extend({ breaks: z.array(Break) }),
        ...seriesIds.map((id): [string, string, string] => [cyd.id, id, now]),
      ],
      myStanding: [
        Series.shape.my_standing,
        ...storedSeries.map((each): [LockedSeries, MemberOf, string] => [each, memberIn(club), now]),
      ],
      standingVersion: [
        z.string().optional(),
        ...storedSeries.map((each): [LockedSeries, MemberOf] => [each, memberIn(club)]),
      ],
      lockUnfinishedDates: [z.array(Id), [storedSeries[0] as LockedSeries, now]],
      startedSlots: [
        z.array(z.iso.date()),
        [storedSeries[0] as LockedSeries, addSeconds(now, 99 * 365 * 86_400)],
      ],
      laterDates: [
        z.array(z.object({ id: Id, day: z.iso.date(), slot_on: z.iso.date(), is_moved: z.boolean() })),
        [storedSeries[0] as LockedSeries, now],
      ],
    },
    slots: {
      slotsOf: [z.array(Slot), [{ id: s.regatta.id }]],
      eventOf: [Id, [s.slot]],
      sourceOf: [
        z.object({ club_id: Id, actor: Id.nullable() }),
        [s.regatta.id, { actor: cyd.id, now }],
        [s.regatta.id, { actor: randomUUID(), now }],
      ],
    },
    updates: {
      asEditor: [
        z.object({ club_id: Id, update_id: Id, version: z.int() }),
        [runner, club.id, shown[0]?.id ?? ''],
        [context, club.id, s.message],
      ],
      asWriter: [z.object({ club_id: Id }), [actor(ada), club.id, now]],
      addUpdate: [Id, [admin, { content: 'News', pictures: ['unused'] }, now]],
      addMessage: [
        Id,
        [
          { id: s.regatta.id, owner_club_id: club.id } as RunnerOf,
          ada.id,
          { content: 'News', pictures: [], to: ['going'] },
          now,
        ],
      ],
      postById: [Message, ...shown.map(({ id }): [string] => [id]), [s.message]],
      newest: [z.array(ListedUpdate), [{ ...admin, is_planner: true }, 10], [memberIn(club), 10]],
      readCounts: [ReadCounts, [admin, s.important], [admin, s.reminded]],
      pageOfReaders: [
        UpdateReaders.pick({ readers: true, more: true }),
        [s.important, { state: 'read' }],
        [s.important, { state: 'unread' }],
      ],
      importantSince: [
        Instant.optional(),
        [admin, { since: addSeconds(now, -86_400), count: 1 }],
        [admin, { since: addSeconds(now, -86_400), count: 99 }],
      ],
      findReadLink: [
        z.union([z.strictObject({ now: Instant }), z.object({ now: Instant, link: UpdateOfLink })]),
        [[cyd.id, s.important]],
        [[bob.id, s.reminded]],
        [[null, null]],
      ],
      importantUpdatesFor: [
        z.array(
          z.object({
            my_read_at: Instant.nullable(),
            answer_key: z.string().nullable(),
          }),
        ),
        [
          [
            { user_id: cyd.id, facts: { update_id: s.important } },
            { user_id: cyd.id, facts: { update_id: randomUUID() } },
          ],
        ],
      ],
      markRead: [Instant, [{ club_id: club.id, user_id: bob.id }, s.important, 'app', now]],
      addReminder: [z.int(), [s.important, now]],
    },
    users: {
      user: [User, [cyd.id, now], [bob.id, now]],
      lockUser: [z.object({ email: User.shape.email, look: StoredLook }), [cyd.id], [ada.id]],
      pendingChange: [
        EmailChange.pick({ old_email: true, new_email: true }).extend({
          id: Id,
          code_hash: z.instanceof(Buffer<ArrayBufferLike>),
        }),
        [bob.id, now],
      ],
      revertibleChange: [EmailChange.extend({ user_id: Id, requested_at: Instant }), [s.change, now]],
      reservedEmails: [z.array(z.string()), [bob.id, now]],
    },
  };
}

/**
 * The parts of a schema that the parsed values do not exercise: a list that is always empty, a nullable field that is
 * never null, or a field that never has a value.
 */
function* gaps(schema: z.core.$ZodType, values: readonly unknown[], path: string): Generator<string> {
  if (schema instanceof z.ZodNull) return;
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length === 0) yield `${path} never has a value`;
  else if (schema instanceof z.ZodNullable) {
    if (!values.includes(null)) yield `${path} is never null`;
    yield* gaps(schema.unwrap(), present, path);
  } else if (schema instanceof z.ZodOptional)
    yield* gaps(
      schema.unwrap(),
      values.filter((value) => value !== undefined),
      path,
    );
  else if (schema instanceof z.ZodArray) yield* gaps(schema.element, present.flat(), `${path}[]`);
  else if (schema instanceof z.ZodObject)
    for (const [key, field] of Object.entries<z.core.$ZodType>(schema.shape)) {
      const fields = (present as Record<string, unknown>[]).map((value) => value[key]);
      yield* gaps(field, fields, `${path}.${key}`);
    }
}

/** The result of a call that is rolled back, so that the calls do not affect each other. */
async function resultOf(call: (db: Db) => Promise<unknown>): Promise<unknown> {
  const transaction = await w.db.startTransaction().execute();
  try {
    return await call(transaction);
  } finally {
    await transaction.rollback().execute();
  }
}

type AnyFunction = (db: Db, ...input: unknown[]) => Promise<unknown>;

test.each(Object.keys(stores) as (keyof Stores)[])(
  'store of %s: rows have the columns of their schema and no others',
  async (feature) => {
    const functions = stores[feature] as Record<string, unknown>;
    const checked = checks[feature] as Record<string, [z.ZodType, ...unknown[][]]>;
    for (const [name, [schema, ...calls]] of Object.entries(checked)) {
      const results: unknown[] = [];
      for (const input of calls)
        results.push(await resultOf((db) => (functions[name] as AnyFunction)(db, ...input)));
      // Parsing drops unknown columns and converts instants to the wire format. If it changes nothing, the result has
      // no unknown columns, and its instants are in that format.
      for (const result of results)
        expect.soft(schema.safeParse(result), name).toEqual({ success: true, data: result });
      expect.soft([...gaps(schema, results, name)]).toEqual([]);
    }
  },
);

test('stores: the store of every feature is checked', () => {
  const features = globSync('src/features/**/store.ts').map((file) => file.split('/').at(-2));
  expect(Object.keys(stores)).toEqual(features.toSorted());
});
