import type { Config } from '#platform/config.ts';
import type { NoticeContext, NoticeEmail } from '#platform/notices/notice.ts';
import { idToken } from '#platform/token.ts';
import { eventDayAndTime, eventSpan } from '#wire/format.ts';
import {
  Choice,
  eventFieldKeys,
  eventFields,
  fieldText,
  type EventPatch,
  type Reason,
} from '#features/events/contract.ts';
import type { ZonedTimes } from '#features/events/mail-rules.ts';
import { t } from '#features/events/notice-messages.ts';
import type { EventForReader } from '#features/events/notice-queries.ts';
import type { Recurrence } from '#features/events/time-contract.ts';
import { repeatInSentence } from '#features/events/repeat-rules.ts';
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

export const whenLine = (event: ZonedTimes): string => t('when', { when: eventSpan(event) });

/** One line for each fact that the event has: 'Where: Pier 4'. */
export const factLines = (event: EventPatch): string[] =>
  eventFieldKeys
    .filter((field) => eventFields[field].kind === 'fact' && fieldText(event, field) !== '')
    .map((field) => t('fact', { field, value: fieldText(event, field) }));

/** The lines with the time and place of an event. */
export const factsOf = (event: ZonedTimes & EventPatch & { polling: boolean }): string[] => [
  event.polling ? t('timeIsOpen') : whenLine(event),
  ...factLines(event),
];

/** The button that opens an event. */
export const openEvent = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { slug, polling }: { slug: string; polling: boolean },
) => ({
  label: t(polling ? 'vote' : 'openEvent'),
  url: `${publicUrl}/app/events/${slug}`,
});

const answerLabels: Record<Choice, () => string> = {
  going: () => t('going'),
  maybe: () => t('maybe'),
  no: () => t('no'),
};

interface LinkOptions {
  /** Whether to link the reader's current answer too, because they have to confirm it. */
  all?: boolean;
  /** Whether 'no' is an exception to the reader's standing answer to the series. */
  skips?: boolean;
}

/**
 * The links for the answers that the reader has not given. They work without a login. Opening a link changes nothing
 * until the reader confirms the answer.
 */
export function answerLinks(
  { config, now }: Pick<NoticeContext, 'config' | 'now'>,
  event: Pick<
    EventForReader,
    'id' | 'user_id' | 'answer' | 'answer_key' | 'polling' | 'end_time' | 'deleted_at'
  >,
  { all = false, skips = false }: LinkOptions = {},
): Pick<NoticeEmail, 'choices'> {
  const { id: event_id, user_id, answer_key } = event;
  if (event.polling || event.deleted_at || !answer_key || event.end_time <= now) return {};
  const token = answerToken(config, { user_id, event_id, answer_key });
  const links = Choice.options
    .filter((answer) => all || answer !== event.answer)
    .map((answer) => ({
      label: answer === 'no' && skips ? t('skip') : answerLabels[answer](),
      url: `${config.publicUrl}/answer/${token}?${new URLSearchParams({ a: answer })}`,
    }));
  return { choices: { label: t(event.answer ? 'plansChanged' : 'areYouComing'), links } };
}

/** A sentence for readers whose calendar fetches the event by itself. */
export const fetchedLine = ({ isFetched }: Pick<NoticeContext, 'isFetched'>): string[] =>
  isFetched ? [t('isFetched')] : [];

interface EmailAbout {
  subject: string;
  message: string;
  /** The lines about the event. The default is its time and place. */
  lines?: string[];
  more?: string[];
  /** False for an email without answer links. */
  links?: LinkOptions | false;
  /** A sentence that says why the email is sent regardless of the settings. */
  always?: string | false;
}

/** An email that shows an event to a member of its club and, with `links`, lets them answer. */
export const emailAbout = (
  event: EventForReader,
  context: NoticeContext,
  { subject, message, lines = factsOf(event), more = [], links = {}, always }: EmailAbout,
): NoticeEmail => ({
  subject,
  paragraphs: [message, ...lines, ...fetchedLine(context), ...more],
  action: openEvent(context.config, event),
  ...(links && answerLinks(context, event, links)),
  why: [whyMember(context.config, event.club_name), ...(always ? [always] : [])].join(' '),
});
