import { brief } from '#platform/mail/text.ts';
import type { Db } from '#platform/db/client.ts';
import type { NoticeActor, NoticeContext, NoticeEmail, Recipient } from '#platform/notices/notice.ts';
import type { Instant } from '#wire/instant.ts';
import { eventDayAndTime, eventSpan, eventTime } from '#wire/format.ts';
import { fieldText } from '#features/events/contract.ts';
import { isChanged, netChange, newTimeOf, type NetChange } from '#features/events/mail-rules.ts';
import {
  answerLinks,
  fetchedLine,
  inSentence,
  openEvent,
  whenLine,
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

/** Describes the net change: one line for the times, and one for each changed field, with old value → new value. */
export function changeEmail(data: Change, context: NoticeContext): NoticeEmail {
  const { event, net, isSeries, isAsked, latest } = data;
  const { config, actor } = context;
  const place = net.fields.includes('location_name') ? event.location_name : undefined;
  const { new_time } = net;
  const isAlways = data.dates.some(
    (date) =>
      date.net.new_time !== undefined || date.net.fields.includes('location_name') || date.event.deleted_at,
  );
  const repeats = isSeries && event.repeats ? [t('repeats', { repeats: inSentence(event.repeats) })] : [];
  return {
    subject: subjectOf(data),
    paragraphs: [
      withReason(sentence({ event, isSeries, new_time, place }, actorName(actor)), latest),
      ...questionTo(event, isAsked),
      ...(new_time && !isSeries ? [dateLine({ event, net })] : []),
      ...fieldLines(data),
      ...(isSeries ? data.dates.map(dateLine) : new_time ? [] : [whenLine(event)]),
      ...repeats,
      ...fetchedLine(context),
    ],
    action: openEvent(config, event),
    ...answerLinks(context, event, { all: isAsked }),
    why: `${whyMember(config, event.club_name)}${isAlways ? ` ${t('movesAlways')}` : ''}`,
    isAlways,
  };
}

function subjectOf({ event, net, isSeries }: Change): string {
  const { name, time_zone: zone, start_time } = event;
  const repeats = isSeries && event.repeats ? inSentence(event.repeats) : undefined;
  if (net.new_time?.start_time)
    return t('movedSubject', { event: name, when: newStart(start_time, zone, repeats) });
  if (net.fields.includes('location_name'))
    return event.location_name
      ? t('movedPlaceSubject', { event: name, place: event.location_name })
      : t('noPlaceSubject', { event: name });
  return net.fields.includes('name')
    ? t('renamedSubject', { before: net.before.name ?? '', event: name })
    : t('changedSubject', { event: name });
}

/** The question to readers who answered before the change. */
function questionTo({ answer }: EventForReader, isAsked: boolean): string[] {
  if (!isAsked || !answer) return [];
  return [t(answer === 'no' ? 'changeAnswer' : 'confirm')];
}

const fieldLines = ({ event, net }: Change): string[] =>
  net.fields.map((field) => {
    const [before, after] = [net.before, event].map((each) => brief(fieldText(each, field), 300));
    return t('newValue', { field, before: before || t('nothing'), after: after || t('nothing') });
  });

/** The line with the time of a date; old time → new time if it changed. */
function dateLine({ event, net }: Pick<ChangedDate, 'event' | 'net'>): string {
  const when = eventSpan(event);
  if (event.deleted_at) return t('cancelledWhen', { when });
  return net.new_time ? t('newTime', { before: eventSpan(net.before), when }) : t('when', { when });
}
