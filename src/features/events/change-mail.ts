import type { Fact, Paragraph } from '#platform/mail/message.ts';
import { brief } from '#platform/mail/text.ts';
import type { Db } from '#platform/db/client.ts';
import type { NoticeActor, NoticeContext, NoticeEmail, Recipient } from '#platform/notices/notice.ts';
import type { Instant } from '#wire/instant.ts';
import { eventDayAndTime, eventSpan, eventTime } from '#wire/format.ts';
import { fieldText } from '#features/events/field-contract.ts';
import { isChanged, netChange, newTimeOf, type NetChange } from '#features/events/mail-rules.ts';
import {
  answerLinks,
  cardOf,
  clubOf,
  dayOf,
  fetchedLine,
  fieldFacts,
  inSentence,
  openEvent,
  repeatsFact,
  stated,
  wasAndNow,
  whenFact,
  withReason,
} from '#features/events/mail.ts';
import { t } from '#features/events/notice-messages.ts';
import {
  changesSince,
  eventsOfEach,
  type EventForReader,
  type RecordedChange,
} from '#features/events/notice-queries.ts';
import { actorName, whyMember } from '#features/members/mail.ts';

/** A change from before events had a history. The notice itself stores it. */
export type UnrecordedChange = Pick<RecordedChange, 'before' | 'after'>;

interface ChangeFacts {
  event_id: string;
  series_id?: string | undefined;
  change: string | UnrecordedChange;
  before: Record<string, string | UnrecordedChange>;
}

type AnyChange = UnrecordedChange & Partial<RecordedChange>;

interface ChangedDate {
  event: EventForReader;
  changes: AnyChange[];
  net: NetChange;
}

/** A change of an event or of dates of a series, as the recipient of the notice sees it. */
interface Change {
  event: EventForReader;
  isSeries: boolean;
  /** The change that caused the notice; undefined if it was undone. */
  change: AnyChange | undefined;
  /** The net effect of all changes from the first change in `before` on. */
  net: NetChange;
  latest: AnyChange | undefined;
  isAsked: boolean;
  /** The changed dates, including those that the change cancelled, ordered by start. */
  dates: ChangedDate[];
}

const cancelledKey = 'cancelled:';

/** The key in `before` of a date that the change itself cancelled. */
export const cancelledWith = (event: string): string => cancelledKey + event;

const idIn = (key: string): string => key.replace(cancelledKey, '');

export async function loadChanges(
  db: Db,
  recipients: readonly Recipient<ChangeFacts>[],
): Promise<(Change | null)[]> {
  const events = await eventsOfEach(db, recipients, ({ event_id, before }) => [
    event_id,
    ...Object.keys(before).map(idIn),
  ]);
  const references = recipients.flatMap(({ facts }) => [facts.change, ...Object.values(facts.before)]);
  const ids = references.filter((each) => typeof each === 'string');
  const changes = Map.groupBy(await changesSince(db, ids), ({ event_id }) => event_id);
  return recipients.map(({ facts }, n) => {
    const dates = (events[n] ?? []).map((event) => {
      const since = changesFrom(facts.before[event.id], changes.get(event.id) ?? []);
      return { event, changes: since, net: netChange(event, since) };
    });
    const primary = dates.find(({ event }) => event.id === facts.event_id);
    if (!primary) return null;
    const shown = dates.filter(({ event, net }) =>
      event.deleted_at ? cancelledWith(event.id) in facts.before : isChanged(net),
    );
    // If the first date has been cancelled since, another date represents the series.
    const lead = primary.event.deleted_at
      ? (shown.find(({ event }) => event.deleted_at === null) ?? primary)
      : primary;
    return {
      event: lead.event,
      isSeries: facts.series_id !== undefined,
      change:
        typeof facts.change === 'object'
          ? facts.change
          : primary.changes.find(({ id }) => id === facts.change),
      net: lead.net,
      latest: lead.changes.at(-1),
      isAsked: lead.changes.some(({ asked_again = false }) => asked_again),
      dates: shown.toSorted((one, other) => (one.event.start_time < other.event.start_time ? -1 : 1)),
    };
  });
}

/**
 * The changes of an event, starting with `first`. If `first` was undone, it is missing from `changes`, and all
 * `changes` are returned.
 */
function changesFrom(first: string | UnrecordedChange | undefined, changes: RecordedChange[]): AnyChange[] {
  if (typeof first === 'object') return [first, ...changes];
  return changes.slice(
    Math.max(
      0,
      changes.findIndex(({ id }) => id === first),
    ),
  );
}

/**
 * False once all changed dates have ended, or once all of them are cancelled, because then the notice of the
 * cancellation is sent instead.
 */
export const isStillChanged = ({ dates }: Change, now: string): boolean =>
  dates.some(({ event }) => event.deleted_at === null) && dates.some(({ event }) => event.end_time > now);

/** Describes the change itself, even if another change followed. */
export function changeMessage({ event, change, isSeries }: Change, actor: NoticeActor): string | undefined {
  if (!change) return undefined;
  const { before, after } = change;
  const times = { start_time: event.start_time, end_time: event.end_time, time_zone: event.time_zone };
  const new_time = newTimeOf({ ...times, ...after, ...before }, { ...times, ...after });
  const place = 'location_name' in after ? after.location_name : undefined;
  return withReason(sentence({ event, isSeries, new_time, place }, actorName(actor)), change);
}

interface Sentence {
  event: EventForReader;
  isSeries: boolean;
  new_time: ReturnType<typeof newTimeOf>;
  place: string | undefined;
}

function sentence({ event, isSeries, new_time, place }: Sentence, actor: string): string {
  const values = { actor, event: event.name };
  const repeats = isSeries && event.repeats ? inSentence(event.repeats) : undefined;
  const when = new_time?.start_time && newStart(new_time.start_time, new_time.time_zone, repeats);
  if (when)
    return place
      ? t('movedToTimeAndPlace', { ...values, when, place })
      : t('movedToTime', { ...values, when });
  if (place) return t('movedTo', { ...values, place });
  if (new_time) return t('changedTime', values);
  if (place !== undefined) return t('changedPlace', values);
  const club = event.club_name;
  return repeats ? t('changedSeries', { ...values, repeats, club }) : t('changed', { ...values, club });
}

/** The new start of an event, or of the dates of a series. */
const newStart = (start: Instant, zone: string, repeats?: string): string =>
  repeats ? t('repeatsAt', { repeats, time: eventTime(start, zone) }) : eventDayAndTime(start, zone);

/** Shows the net change: old and new time and place at the head, and then the other changed fields. */
export function changeEmail(data: Change, context: NoticeContext): NoticeEmail {
  const { event, net, isSeries, isAsked, latest, dates } = data;
  const { config, actor } = context;
  const place = net.fields.includes('location_name') ? event.location_name : undefined;
  const { new_time } = net;
  const isAlways = dates.some(
    (date) =>
      date.net.new_time !== undefined || date.net.fields.includes('location_name') || date.event.deleted_at,
  );
  return {
    subject: subjectOf(data),
    sender: clubOf(event),
    card: cardOf(event, [...timeFacts(data), ...placeFacts(data)]),
    ...answerLinks(context, event, { all: isAsked }),
    paragraphs: [
      withReason(sentence({ event, isSeries, new_time, place }, actorName(actor)), latest),
      ...otherChanges(data),
      ...(isSeries ? [{ title: t('dates'), facts: dates.map(dateFact) }] : []),
      ...fetchedLine(context),
    ],
    action: openEvent(config, event),
    why: `${whyMember(config, event.club_name)}${isAlways ? ` ${t('movesAlways')}` : ''}`,
    isAlways,
    states: isSeries ? dates.map((date) => stated(date.event)) : [stated(event)],
  };
}

function subjectOf({ event, net, isSeries }: Change): string {
  const { name, time_zone: zone, start_time } = event;
  const repeats = isSeries && event.repeats ? inSentence(event.repeats) : undefined;
  if (net.new_time?.start_time)
    return t('movedSubject', { event: name, when: newStart(start_time, zone, repeats) });
  const values = { event: name, day: repeats ?? dayOf(event) };
  if (net.fields.includes('location_name'))
    return event.location_name
      ? t('movedPlaceSubject', { ...values, place: event.location_name })
      : t('noPlaceSubject', values);
  return net.fields.includes('name')
    ? t('renamedSubject', { ...values, before: net.before.name ?? '' })
    : t('changedSubject', values);
}

function timeFacts({ event, net, isSeries }: Change): Fact[] {
  if (net.new_time) return wasAndNow(eventSpan(net.before), eventSpan(event));
  if (!isSeries || !event.repeats) return [whenFact(event)];
  return [repeatsFact(event.repeats, event)];
}

const placeFacts = ({ event, net }: Change): Fact[] =>
  net.fields.includes('location_name')
    ? wasAndNow(fieldText(net.before, 'location_name'), event.location_name)
    : fieldFacts(event);

/** The changed fields other than the place. */
const otherChanges = ({ event, net }: Change): Paragraph[] =>
  net.fields
    .filter((field) => field !== 'location_name')
    .map((field) => {
      const [before = '', after = ''] = [net.before, event].map((each) => brief(fieldText(each, field), 300));
      return { title: t('fieldLabel', { field }), facts: wasAndNow(before, after) };
    });

/** The time of a date of a series; old time → new time if it changed. */
function dateFact({ event, net }: ChangedDate): Fact {
  const when = eventSpan(event);
  if (event.deleted_at) return { label: t('cancelledTag'), value: when, change: 'was' };
  const value = net.new_time ? t('moved', { before: eventSpan(net.before), after: when }) : when;
  return { label: t('whenLabel'), value };
}
