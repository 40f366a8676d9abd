import { z } from 'zod';
import { defineNotice, type Notice, type NoticeActor, type NoticeTarget } from '#platform/notices/notice.ts';
import type { Config } from '#platform/config.ts';
import { Instant } from '#wire/instant.ts';
import { eventSpan, eventTime } from '#wire/format.ts';
import { ChangedFields } from '#features/events/contract.ts';
import {
  answerButtons,
  cardOf,
  clubOf,
  dayOf,
  emailAbout,
  factsOf,
  fetchedLine,
  fieldFacts,
  lineAbout,
  openEvent,
  repeatsFact,
  stated,
  whatAndWhen,
  whenFact,
  written,
} from '#features/events/mail.ts';
import { cancellation, cancelledBy, cancelledSubject } from '#features/events/cancel-mail.ts';
import { changeEmail, changeMessage, isStillChanged, loadChanges } from '#features/events/change-mail.ts';
import { nearDay } from '#features/events/reminder-mail.ts';
import { missingIn } from '#features/events/short-mail.ts';
import { t } from '#features/events/notice-messages.ts';
import {
  EventSnapshot,
  eventsForMembers,
  existingEvents,
  offeredTimes,
  reasonsOf,
  withEvents,
  type EventForReader,
} from '#features/events/notice-queries.ts';
import { isEnough } from '#features/events/rules.ts';
import { shortagesOf } from '#features/events/section-queries.ts';
import { actorName, whyMember } from '#features/members/mail.ts';

export const minutes = (n: number) => n * 60;

/** The facts of notices about one event. */
export const aboutEvent = z.object({ event_id: z.uuid() });

interface WithEvent {
  event: EventForReader;
}

export const sentByClub = ({ event }: WithEvent) => clubOf(event);

export const opensEvent = ({
  event: { name, slug },
}: {
  event: Pick<EventForReader, 'name' | 'slug'>;
}): NoticeTarget => ({ event_name: name, event_slug: slug });

type EventNotice<Facts extends z.infer<typeof aboutEvent>> = Notice<Facts, Facts & WithEvent>;

/**
 * Defines a kind of notice whose data are its facts and their event. Notices about the same event are merged by
 * default.
 */
export const defineEventNotice = <Facts extends z.infer<typeof aboutEvent>>(
  notice: Omit<EventNotice<Facts>, 'merge' | 'load' | 'opens' | 'sender'> &
    Partial<Pick<EventNotice<Facts>, 'merge'>>,
): EventNotice<Facts> =>
  defineNotice<Facts, Facts & WithEvent>({
    merge: ({ event_id }) => event_id,
    load: withEvents,
    opens: opensEvent,
    sender: sentByClub,
    ...notice,
  });

/** The names for a sentence about an event. */
export const namesIn = (event: Pick<EventForReader, 'name' | 'club_name'>, actor: NoticeActor = null) => ({
  actor: actorName(actor),
  event: event.name,
  club: event.club_name,
});

/** The event as a calendar file. */
export const asFile = ({ event }: { event: Pick<EventForReader, 'id'> }) => [
  { event: event.id, as: 'added' },
];

/** Whether an event will take place, or is taking place. */
export const isOn = (
  { deleted_at, end_time }: Pick<EventForReader, 'deleted_at' | 'end_time'>,
  now: Instant,
): boolean => deleted_at === null && end_time > now;

/** Whether an event is for the reader, or the reader takes part anyway. */
export const isMeant = ({ is_for, answer }: Pick<EventForReader, 'is_for' | 'answer'>): boolean =>
  is_for || answer !== null;

/**
 * Sent about a new event to the members whom it is for, and to others once an edit includes their section. Its time may
 * still be open to a vote. Dropped if the event has ended, was cancelled or is for others before the notice is sent.
 */
export const newEvent = defineNotice({
  kind: 'new_event',
  setting: 'new_event',
  group: 'news',
  merge: ({ event_id }) => event_id,
  delay: 0,
  facts: aboutEvent.extend({ polls: z.boolean().default(false) }),
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const polls = found.flatMap((each) => (each?.event.polling ? [each.event.id] : []));
    const times = await offeredTimes(db, polls);
    return found.map((each) => each && { ...each, times: times.get(each.event.id) ?? [] });
  },
  applies: ({ event }, now) => isOn(event, now) && isMeant(event),
  sender: (data) => sentByClub(data),
  message: ({ event, polls }, actor) => t(polls ? 'polling' : 'planned', namesIn(event, actor)),
  opens: (data) => opensEvent(data),
  email({ event, times }, context) {
    const { name, polling } = event;
    const message = t(polling ? 'pollBy' : 'planned', namesIn(event, context.actor));
    const paragraphs = [message, ...written(event.description)];
    if (!polling)
      return emailAbout(event, context, { subject: t('newEventSubject', whatAndWhen(event)), paragraphs });
    const offered = times.map((time, n) => ({
      label: t('timeOfPoll', { n: n + 1 }),
      value: eventSpan({ ...event, ...time }),
    }));
    return emailAbout(event, context, {
      subject: t('pollSubject', { event: name }),
      facts: [...offered, ...fieldFacts(event)],
      paragraphs,
    });
  },
  weekly: {
    startsAt: ({ event, times: [first] }) => (event.polling && first ? first : event).start_time,
    line: ({ event }, context) =>
      lineAbout(
        event,
        context,
        event.polling ? t('pollSubject', { event: event.name }) : t('newEventSubject', whatAndWhen(event)),
      ),
  },
});

/** The id of a change in the history. Notices of release 0.2.0 contain the change itself. */
const Change = z.union([z.uuid(), z.object({ before: ChangedFields, after: ChangedFields })]);

/**
 * The seconds that an email about a change is held back after the change. Changes can be undone for 60 seconds, and the
 * request to undo may have to wait.
 */
export const undoTime = 65;

/**
 * Sent to members who are going, waiting or said maybe, and to followers. It describes the net change of an event, or
 * of dates of a series, since the first change about which the reader got no email. `before` contains that first
 * change, keyed by event id. A key `cancelled:<id>` stands for a date that the change cancelled.
 */
export const eventUpdated = defineNotice({
  kind: 'event_updated',
  setting: 'event_updated',
  group: 'news',
  isAlways: ({ moves }) => moves,
  merge: ({ event_id, series_id, isFollowUp }) => `${series_id ?? event_id}${isFollowUp ? ':follow-up' : ''}`,
  delay: minutes(5),
  settle: undoTime,
  cooldown: 60,
  facts: z.object({
    event_id: z.uuid(),
    series_id: z.uuid().optional(),
    /** The changed dates of the series. */
    dates: z.array(z.uuid()).optional(),
    change: Change,
    /** Whether the time or the place is new. Such changes are sent regardless of the settings. */
    moves: z.boolean(),
    /** A follow-up for members whose calendar has not fetched the change. It does not replace pending emails. */
    isFollowUp: z.boolean().optional(),
    before: z.record(z.string(), Change).default({}),
  }),
  load: (db, recipients) => loadChanges(db, recipients),
  applies: isStillChanged,
  expires: ({ event }) => event.start_time,
  sender: (data) => sentByClub(data),
  message: changeMessage,
  opens: (data) => opensEvent(data),
  files: ({ event, dates, isSeries }) =>
    isSeries
      ? dates.map(({ event: date }) => ({
          event: date.id,
          as: date.deleted_at ? 'cancelled' : 'added',
          ifSent: true,
        }))
      : asFile({ event }),
  email: changeEmail,
  weekly: {
    startsAt: ({ event, dates, isSeries }) => ((isSeries && dates[0]?.event) || event).start_time,
    line: ({ event }, context) =>
      lineAbout(event, context, t('changedSubject', { event: event.name, day: dayOf(event) })),
  },
});

/**
 * Sent to members who are going, waiting or said maybe, and to followers: one notice for all dates that were cancelled
 * together.
 */
export const eventCancelled = defineNotice({
  kind: 'event_cancelled',
  setting: 'event_cancelled',
  group: 'always',
  merge: ({ event_id }) => event_id,
  delay: 0,
  facts: aboutEvent.extend({
    isSeries: z.boolean(),
    club_name: z.string(),
    /** Missing in notices of release 0.2.0. */
    club_id: z.uuid().optional(),
    /** Snapshots of the cancelled events, keyed by id. */
    events: z.record(z.uuid(), EventSnapshot),
  }),
  async load(db, recipients) {
    const events = await eventsForMembers(db, recipients);
    const reasons = await reasonsOf(
      db,
      recipients.map(({ facts }) => facts.event_id),
    );
    const existing = await existingEvents(
      db,
      recipients.map(({ facts }) => facts.event_id),
    );
    return recipients.map(({ facts, created_at }, n) => {
      const { event_id } = facts;
      const snapshot = facts.events[event_id];
      if (!snapshot) return null;
      const isGone = !existing.has(event_id);
      const dates = inOrder(
        Object.values(facts.events).map((date) => ({ ...date, reader_changed_at: created_at })),
      );
      // A former member gets no details of the event.
      const isFormer = !isGone && !events[n];
      return { ...facts, event: events[n] ?? snapshot, isGone, isFormer, dates, why: reasons.get(event_id) };
    });
  },
  applies: ({ isFormer }) => !isFormer,
  sender: (data) => cancelledBy(data),
  message: (data, actor) => cancellation(data, actorName(actor)),
  opens: ({ event, isGone }) => (isGone ? { event_name: event.name } : opensEvent({ event })),
  files: ({ dates, isSeries, isGone }) =>
    dates.map((date) => ({ event: isGone ? date : date.id, as: 'cancelled', ifSent: isSeries && !isGone })),
  email(data, context) {
    const { event, dates, isSeries, isGone, club_name } = data;
    // An event that stands for several dates may itself still take place.
    const shown = { ...event, deleted_at: context.now, polling: false };
    const facts = isSeries && event.repeats ? [repeatsFact(event.repeats, event)] : [whenFact(event)];
    return {
      subject: cancelledSubject(data),
      sender: cancelledBy(data),
      card: cardOf(shown, [...facts, ...fieldFacts(event)]),
      paragraphs: [
        cancellation(data, actorName(context.actor)),
        ...(isSeries ? [{ title: t('dates'), facts: dates.map(whenFact) }] : []),
        ...fetchedLine(context),
      ],
      ...(!isGone && { action: openEvent(context.config, { ...event, polling: false }) }),
      why: `${whyMember(context.config, club_name)} ${t('cancellationsAlways')}`,
      states: dates.map(stated),
    };
  },
});

const inOrder = <Date extends Pick<EventSnapshot, 'start_time'>>(dates: readonly Date[]): Date[] =>
  dates.toSorted((one, other) => (one.start_time < other.start_time ? -1 : 1));

/** Sent to members who are going, less than a day before the start. */
export const eventReminder = defineEventNotice({
  kind: 'event_reminder',
  setting: 'event_reminder',
  group: 'now',
  delay: 0,
  facts: aboutEvent.extend({ start_time: Instant }),
  applies: ({ event, start_time }, now) =>
    isOn(event, now) && event.answer === 'going' && event.start_time === start_time && start_time > now,
  expires: ({ start_time }) => start_time,
  buttons: ({ event }, context) => answerButtons(context, event),
  // Read on any later day too, so it names the date instead of saying 'Tonight'.
  message: ({ event }) => t('reminder', whatAndWhen(event)),
  files: asFile,
  email({ event }, context) {
    const { time_zone: zone, start_time: start, name } = event;
    return emailAbout(event, context, {
      subject: t('reminderSubject', {
        day: nearDay(event, context.now),
        date: dayOf(event),
        event: name,
        time: eventTime(start, zone),
      }),
      preview: factsOf(event)
        .map(({ value }) => value)
        .join(' · '),
      paragraphs: written(event.details),
      links: { skips: event.via === 'standing' },
    });
  },
});

/**
 * Sent to the hosts of an event that is short of people when its sign-up closes. Dropped if enough people come meanwhile,
 * or sign-up is open again.
 */
export const eventShort = defineNotice({
  kind: 'event_short',
  setting: 'answers_changed',
  group: 'now',
  merge: ({ event_id }) => event_id,
  delay: 0,
  facts: aboutEvent,
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const shortages = await shortagesOf(
      db,
      recipients.map(({ facts }) => facts.event_id),
    );
    return found.map((each) => each && { ...each, shortage: shortages.get(each.event.id) });
  },
  applies: ({ event, shortage }, now) =>
    isOn(event, now) &&
    event.is_host &&
    event.entry_until_time <= now &&
    shortage !== undefined &&
    !isEnough(shortage),
  sender: (data) => sentByClub(data),
  message: ({ event, shortage }) => t('short', { ...namesIn(event), missing: missingIn(shortage) }),
  opens: (data) => opensEvent(data),
  email({ event, shortage }, context) {
    const missing = missingIn(shortage);
    const happened = t('short', { ...namesIn(event), missing });
    const page = openEvent(context.config, event);
    return {
      ...emailAbout(event, context, {
        subject: t('shortSubject', { event: event.name, day: dayOf(event), missing }),
        preview: happened,
        paragraphs: [],
        links: false,
      }),
      choices: {
        label: happened,
        links: [
          { label: t('whoIsSilent'), url: `${page.url}/answers?list=silent`, isMain: true },
          ...(event.is_planner ? [{ label: t('openAgain'), url: editPage(context.config, event) }] : []),
          { label: t('changeOfPlan'), url: page.url },
        ],
      },
    };
  },
});

const editPage = ({ publicUrl }: Pick<Config, 'publicUrl'>, { slug }: { slug: string }) =>
  `${publicUrl}/app/events/edit/${slug}`;

export const notices = [newEvent, eventUpdated, eventCancelled, eventReminder, eventShort];
