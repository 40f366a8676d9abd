import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import type { AnswerButtons } from '#wire/answer-buttons.ts';
import type { Instant } from '#wire/instant.ts';

/** The person who caused a notice. Null if nobody did, or if that account is deleted. */
export type NoticeActor = { first_name: string; last_name: string } | null;

/**
 * Ids, and the state before a change. Everything else is read when the notice is shown or sent. When emails are merged,
 * the facts of the last notice win, except in `before`: each of its keys keeps the value of the first notice.
 */
export type NoticeFacts = Record<string, unknown>;

/** One recipient of a notice. */
export interface Recipient<Facts> {
  user_id: string;
  facts: Facts;
  created_at: Instant;
  /** The keys of `before` in the emails of this kind that the recipient got within the last day. */
  sentLately: readonly string[];
}

/** The page that a click on a notice opens, as names that the app maps to a path. */
export type NoticeTarget = Record<string, string>;

export interface NoticeContext {
  actor: NoticeActor;
  config: Config;
  user_id: string;
  now: Instant;
  /** Whether the reader's calendar app fetches the entries that the email would otherwise carry as files. */
  isFetched: boolean;
}

export interface NoticeEmail extends Pick<
  EmailContent,
  'subject' | 'card' | 'choices' | 'paragraphs' | 'pictures' | 'action'
> {
  /** A reader who has muted the sender gets the email only if it is always sent. */
  sender: Sender;
  /** The text that mail programs show beside the subject. The default is the first paragraph. */
  preview?: string;
  /** The footer: why the reader gets this email. */
  why: string;
  /** Whether the email is sent regardless of the settings. If set, it overrides the group and `isAlways` of the notice. */
  isAlways?: boolean;
  /** The things whose current state, such as a time and a place, the email states. */
  states?: readonly Stated[];
}

/** A thing as a text states it. `sequence` increases with each of its changes. */
export interface Stated {
  id: string;
  sequence: number;
}

/** A group of people on whose behalf emails are sent. Its id decides its colour. */
export interface Sender {
  id: string;
  name: string;
  /** The path of its picture. */
  picture?: string | null;
}

/** A line of the weekly email. */
export interface WeeklyLine {
  sender: Sender;
  /** The address of the sender's page. */
  page: string;
  text: string;
  /** The address of what the line is about. */
  url: string;
  /** The beginning of what a person wrote. */
  excerpt?: string;
}

/** How the weekly email contains notices that are news. Notices with the same merge key share a line. */
interface WeeklyNotice<Facts, Data> {
  /** The facts of the line, from those of the newest notice and the people who caused the notices, the newest first. */
  facts?(newest: Facts, actors: readonly string[]): Facts;
  /** When the thing that the notice is about starts. */
  startsAt?(data: Data): Instant;
  line(data: Data, context: Pick<NoticeContext, 'actor' | 'config'>): WeeklyLine;
}

/**
 * What decides about the channels of a notice. `always`: it reaches the app, the email and every device, whatever the
 * settings say. `now`: it concerns the reader soon, so pushes are on at first. `news`: pushes are off at first, and it may
 * wait for the weekly email.
 */
export type NoticeGroup = 'always' | 'now' | 'news';

/** A kind of notice: its texts, its timing and its setting. Each feature defines its kinds in `notices.ts`. */
export interface Notice<Facts extends NoticeFacts, Data> {
  kind: string;
  /** The setting that switches this kind of notice off. */
  setting: string;
  group: NoticeGroup;
  /** Whether single notices of a kind that is `now` or `news` are always sent, such as a new time. */
  isAlways?(facts: Facts): boolean;
  /** Pending emails to one recipient with the same key are merged. */
  merge(facts: Facts): string;
  /** Seconds that an email waits for further notices with the same key. */
  delay: number;
  /** Seconds that have to pass after the latest of these notices before the email is sent. */
  settle?: number;
  /** Seconds between two emails with the same key. */
  cooldown?: number;
  facts: z.ZodType<Facts>;
  /**
   * Loads the current data for many recipients. Returns null for a recipient who may not see the data or to whom the
   * notice no longer applies.
   */
  load(db: Db, recipients: readonly Recipient<Facts>[]): Promise<(Data | null)[]>;
  /** Whether the email is still worth sending. A notice that was shown in the app stays there. */
  applies?(data: Data, now: Instant): boolean;
  /**
   * The sentence in the app. Undefined once the notice no longer applies. A kind without this method is sent by email
   * only.
   */
  message?(data: Data, actor: NoticeActor): string | undefined;
  opens?(data: Data): NoticeTarget;
  /** On whose behalf it is shown on devices. Every kind with a `message` has it. */
  sender?(data: Data): Sender;
  /** Replaces `applies` for pushes if that depends on `before`, which the app does not store. */
  isPushed?(data: Data, now: Instant): boolean;
  /** When a push is of no use any more. The default is a day after the notice. */
  expires?(data: Data): Instant;
  /** Buttons that answer the notice from the device. */
  buttons?(data: Data, context: Pick<NoticeContext, 'config' | 'now'>): AnswerButtons | undefined;
  /** The calendar files that the email carries: see `Attach`. */
  files?(data: Data): readonly object[];
  email?(data: Data, context: NoticeContext): NoticeEmail;
  /** Only for kinds that are news. */
  weekly?: WeeklyNotice<Facts, Data>;
}

/** A notice of any kind. Pass its methods only what its own schema and `load` have returned. */
export type AnyNotice = Notice<NoticeFacts, unknown>;

export const defineNotice = <Facts extends NoticeFacts, Data>(
  notice: Notice<Facts, Data>,
): Notice<Facts, Data> => notice;

/** Whether a notice is shown and sent regardless of the settings. */
export const isAlways = ({ group, isAlways: isSometimes }: AnyNotice, facts: NoticeFacts): boolean =>
  group === 'always' || (isSometimes?.(facts) ?? false);

/** All kinds of notices. Registered in `app/features.ts`. */
export const notices: AnyNotice[] = [];

export const noticeOf = (kind: string): AnyNotice | undefined =>
  notices.find((notice) => notice.kind === kind);

/** Loads the data of these notices, all of one kind. Null for notices that are no longer shown. */
export async function loadNotices(
  db: Db,
  notice: AnyNotice,
  rows: readonly Recipient<unknown>[],
): Promise<unknown[]> {
  const parsed = rows.map((row) => ({ row, facts: notice.facts.safeParse(row.facts).data }));
  const valid = parsed.flatMap(({ row, facts }) => (facts ? [{ ...row, facts }] : []));
  const data = valid.length > 0 ? await notice.load(db, valid) : [];
  let next = 0;
  return parsed.map(({ facts }) => (facts ? (data[next++] ?? null) : null));
}
