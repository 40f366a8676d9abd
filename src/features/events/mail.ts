import type { Config } from '#platform/config.ts';
import type { Card, Fact, Paragraph } from '#platform/mail/message.ts';
import { paragraphsOf } from '#platform/mail/text.ts';
import type { Sender, NoticeContext, NoticeEmail, Stated, WeeklyLine } from '#platform/notices/notice.ts';
import { idToken } from '#platform/token.ts';
import type { AnswerButtons } from '#wire/answer-buttons.ts';
import {
  dateTile,
  dayAndMonth,
  dayWithYear,
  eventDayAndTime,
  eventSpan,
  eventTime,
  shortDate,
} from '#wire/format.ts';
import { look } from '#wire/look.ts';
import { serverTime } from '#wire/server-time.ts';
import { Choice, type LinkChoice } from '#features/events/choice-contract.ts';
import type { Reason } from '#features/events/contract.ts';
import { eventFieldKeys, eventFields, fieldText, type EventPatch } from '#features/events/field-contract.ts';
import type { ZonedTimes } from '#features/events/mail-rules.ts';
import { t } from '#features/events/notice-messages.ts';
import type { EventForReader } from '#features/events/notice-queries.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import { repeatInSentence, repeatText } from '#features/events/repeat-rules.ts';
import { whyMember } from '#features/members/mail.ts';

/** What an answer link depends on: the member, the event and the secret of the membership. */
interface AnswerLink {
  user_id: string;
  event_id: string;
  answer_key: string;
}

/** The token of the answer links in emails. It is not stored. */
export const answerToken = ({ secretKey }: Config, { user_id, event_id, answer_key }: AnswerLink): string =>
  idToken(secretKey, 'answer', [user_id, event_id], answer_key);

/** How an event repeats, within a sentence: 'every Tuesday'. Older snapshots of events contain the words. */
export const inSentence = (repeats: Recurrence | string): string =>
  typeof repeats === 'string'
    ? repeats.charAt(0).toLowerCase() + repeats.slice(1)
    : repeatInSentence(repeats);

/**
 * Adds the reason of a change to a sentence about the change: 'Weather: hall instead of field.', 'Reason: weather.', or
 * the words alone.
 */
export function withReason(
  sentence: string,
  { reason, words = '' }: { reason?: Reason | null; words?: string } = {},
): string {
  const values = { reason: reason ?? 'other', words: words.replace(/[^.!?]$/, '$&.') };
  const why = words ? t('reasonInWords', values) : t('reason', values);
  return [sentence, why].filter(Boolean).join(' ');
}

/** The name and the start of an event, for subjects. */
export const whatAndWhen = ({ name, time_zone: zone, start_time: start }: ZonedTimes & { name: string }) => ({
  event: name,
  when: eventDayAndTime(start, zone),
});

/** The day of an event in the zone of the reader: 'Tue 1 Dec'. */
export const dayOf = ({ start_time, time_zone }: Pick<ZonedTimes, 'start_time' | 'time_zone'>): string =>
  dayWithYear(start_time, look().timeZone ?? time_zone);

export const whenFact = (event: ZonedTimes): Fact => ({ label: t('whenLabel'), value: eventSpan(event) });

/**
 * How an event repeats, and when: 'Every Tuesday, 7:30 pm, until 29 June'. Older snapshots of events contain the words.
 */
export function repeatsFact(
  repeats: Recurrence | string,
  { start_time, time_zone }: ZonedTimes,
  lastDay?: string | null,
): Fact {
  const words = {
    repeats: typeof repeats === 'string' ? repeats : repeatText(repeats),
    time: eventTime(start_time, time_zone),
  };
  return {
    label: t('repeatsLabel'),
    value: lastDay
      ? t('repeatsUntil', { ...words, day: dayAndMonth(lastDay, serverTime()) })
      : t('repeatsAt', words),
  };
}

/** An old and a new value, shown apart. */
export const wasAndNow = (before: string, after: string): Fact[] => [
  { label: t('was'), value: before || t('nothing'), change: 'was' },
  { label: t('now'), value: after || t('nothing'), change: 'now' },
];

/** The facts of an event that are not empty, such as its place. */
export const fieldFacts = (event: EventPatch): Fact[] =>
  eventFieldKeys
    .filter((field) => eventFields[field].kind === 'fact' && fieldText(event, field) !== '')
    .map((field) => ({ label: t('fieldLabel', { field }), value: fieldText(event, field) }));

/** The time and place of an event. */
export const factsOf = (event: ZonedTimes & EventPatch & { polling: boolean }): Fact[] => [
  event.polling ? { label: t('whenLabel'), value: t('timeIsOpen') } : whenFact(event),
  ...fieldFacts(event),
];

type ShownEvent = ZonedTimes & EventPatch & Pick<EventForReader, 'name' | 'polling' | 'deleted_at'>;

/** The event as emails show it above their texts. A poll has no date yet. */
export const cardOf = (event: ShownEvent, facts = factsOf(event)): Card => ({
  tile: event.polling
    ? { weekday: '', day: '?', month: '' }
    : dateTile(event.start_time, look().timeZone ?? event.time_zone),
  title: event.name,
  ...(event.deleted_at && { cancelled: t('cancelledTag') }),
  facts,
});

/** An event whose time and place an email states. */
export const stated = ({ id, sequence }: Stated): Stated => ({ id, sequence });

/** A text that a person wrote. Empty texts are left out. */
export const written = (text: string): Paragraph[] => paragraphsOf(text).map((each) => ({ written: each }));

/** The button that opens an event. */
export const openEvent = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { slug, polling }: { slug: string; polling: boolean },
) => ({
  label: t(polling ? 'vote' : 'openEvent'),
  url: `${publicUrl}/app/events/${slug}`,
});

interface LinkOptions {
  /** Whether to link the reader's current answer too, because they have to confirm it. */
  all?: boolean;
  /** Whether 'no' is an exception to the reader's standing answer to the series. */
  skips?: boolean;
  /** Whether the email is about a whole series, so that the answers to its first date name the day. */
  dated?: boolean;
  /** How the event repeats, to also offer a standing answer to its series. */
  every?: Recurrence | undefined;
  /** Whether to leave out the question and 'maybe', because the email is about several events. */
  isShort?: boolean;
}

/**
 * The links for the answers that the reader has not given. They work without a login. Opening a link changes nothing
 * until the reader confirms the answer.
 */
export function answerLinks(
  { config, now }: Pick<NoticeContext, 'config' | 'now'>,
  event: Pick<
    EventForReader,
    | 'id'
    | 'user_id'
    | 'answer'
    | 'answer_key'
    | 'polling'
    | 'start_time'
    | 'end_time'
    | 'time_zone'
    | 'deleted_at'
  >,
  { all = false, skips = false, dated = false, every, isShort = false }: LinkOptions = {},
): Pick<NoticeEmail, 'choices'> {
  const { id: event_id, user_id, answer_key } = event;
  if (event.polling || event.deleted_at || !answer_key || event.end_time <= now) return {};
  const token = answerToken(config, { user_id, event_id, answer_key });
  const linkOf = (answer: LinkChoice, label: string, isMain: boolean) => ({
    label,
    url: `${config.publicUrl}/answer/${token}?${new URLSearchParams({ a: answer })}`,
    ...(isMain && { isMain }),
  });
  const day = shortDate(event.start_time, look().timeZone ?? event.time_zone);
  const labels: Record<Choice, string> = dated
    ? { going: t('goingOn', { day }), maybe: t('maybeOn', { day }), no: t('noOn', { day }) }
    : { going: t('going'), maybe: t('maybe'), no: skips ? t('skip') : t('no') };
  // Members on the waitlist chose 'going'.
  const given = event.answer === 'waiting' ? 'going' : event.answer;
  const links = Choice.options
    .filter((answer) => (all || answer !== given) && !(isShort && answer === 'maybe'))
    .map((answer) => linkOf(answer, labels[answer], answer === 'going' && !every && !isShort));
  return {
    choices: {
      label: isShort ? '' : skips ? t('downAsGoing') : questionTo(event, all),
      links: [
        ...(every ? [linkOf('every', t('goingEvery', { repeats: repeatText(every) }), true)] : []),
        ...links,
      ],
    },
  };
}

/**
 * The buttons 'Going' and "Can't go" of a notification on a device. Hosts have none, because they cannot answer by link.
 * A full event puts the reader on its waitlist, which only the response tells, so it has a text of its own.
 */
export function answerButtons(
  { config, now }: Pick<NoticeContext, 'config' | 'now'>,
  { id: event_id, user_id, answer_key, ...event }: Parameters<typeof answerLinks>[1],
): AnswerButtons | undefined {
  if (event.polling || event.deleted_at || !answer_key || event.end_time <= now) return undefined;
  return {
    link: `/api/v1/answer-links/${answerToken(config, { user_id, event_id, answer_key })}`,
    choices: [
      { action: 'going', title: t('going'), done: t('nowGoing'), waiting: t('nowWaiting') },
      { action: 'no', title: t('no'), done: t('nowNo') },
    ],
    failed: t('notAnswered'),
  };
}

function questionTo({ answer }: Pick<EventForReader, 'answer'>, isAsked: boolean): string {
  if (!answer) return t('areYouComing');
  if (!isAsked) return t('plansChanged');
  return t(answer === 'no' ? 'canYouComeNow' : 'canYouStillCome');
}

/** A sentence for readers whose calendar fetches the event by itself. */
export const fetchedLine = ({ isFetched }: Pick<NoticeContext, 'isFetched'>): string[] =>
  isFetched ? [t('isFetched')] : [];

/** The club of an event, on whose behalf an email is sent. */
export const clubOf = (event: Pick<EventForReader, 'club_id' | 'club_name' | 'club_picture'>): Sender => ({
  id: event.club_id,
  name: event.club_name,
  picture: event.club_picture,
});

/** A line of the weekly email about an event. */
export const lineAbout = (
  event: EventForReader,
  { config: { publicUrl } }: Pick<NoticeContext, 'config'>,
  text: string,
): WeeklyLine => ({
  sender: clubOf(event),
  page: `${publicUrl}/app/clubs/${event.club_slug}`,
  text,
  url: openEvent({ publicUrl }, event).url,
});

interface EmailAbout {
  subject: string;
  preview?: string;
  paragraphs: Paragraph[];
  /** The facts below the name of the event. The default is its time and place. */
  facts?: Fact[];
  /** False for an email without answer links. */
  links?: LinkOptions | false;
  /** A sentence that says why the email is sent regardless of the settings. */
  always?: string | false;
}

/** An email that shows an event to a member of its club and, with `links`, lets them answer. */
export function emailAbout(
  event: EventForReader,
  context: NoticeContext,
  { subject, preview, paragraphs, facts, links = {}, always }: EmailAbout,
): NoticeEmail {
  const open = openEvent(context.config, event);
  const isVote = event.polling && links !== false;
  // Other facts do not contain the time and the place, and a poll has no time yet.
  const states = facts || event.polling ? [] : [stated(event)];
  return {
    subject,
    ...(preview !== undefined && { preview }),
    sender: clubOf(event),
    card: cardOf(event, facts),
    states,
    ...(isVote
      ? { choices: { label: t('pickTimes'), links: [{ ...open, isMain: true }] } }
      : { ...(links && answerLinks(context, event, links)), action: open }),
    paragraphs: [...paragraphs, ...fetchedLine(context)],
    why: [whyMember(context.config, event.club_name), ...(always ? [always] : [])].join(' '),
  };
}
