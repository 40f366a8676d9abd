import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import type { EmailContent } from '#platform/mail/message.ts';
import type { Instant } from '#wire/instant.ts';

/** Who caused a notice. Null after the account is deleted, and where nobody did. */
export type NoticeActor = { first_name: string; last_name: string } | null;

/**
 * Ids, and the state before a change: everything else is read when the notice is shown or sent. Of the keys of `before`, if
 * there is one, the first of merged emails decides; of all other facts the last.
 */
export type NoticeFacts = Record<string, unknown>;

/** A notice to one reader. */
export interface Recipient<Facts> {
  user_id: string;
  facts: Facts;
  created_at: Instant;
  /** The keys of `before` in the emails of this kind that the reader got within a day. */
  sentLately: readonly string[];
}

/** What a click on a notice in the app opens, by names that the app knows. */
export type NoticeTarget = Record<string, string>;

export interface NoticeContext {
  actor: NoticeActor;
  config: Config;
  user_id: string;
  now: Instant;
  /** Whether the reader's calendar fetches what the email would carry as a file. */
  isFetched: boolean;
}

export interface NoticeEmail extends Pick<EmailContent, 'subject' | 'paragraphs' | 'action' | 'choices'> {
  /** The footer: why the reader gets it. */
  why: string;
  /** Sent whatever the settings say, if that depends on the data. */
  isAlways?: boolean;
}

/** A kind of notice: what people are told, when, and how. A feature defines its kinds in `notices.ts`. */
export interface Notice<Facts extends NoticeFacts, Data> {
  kind: string;
  /** The setting that switches it off. */
  setting: string;
  /** Sent whatever the settings say. */
  isAlways?(facts: Facts): boolean;
  /** Emails of one reader with the same key become one. */
  merge(facts: Facts): string;
  /** Seconds that an email waits for further notices with its key. */
  delay: number;
  /** Seconds after the last notice before which its email is not sent. */
  settle?: number;
  /** Seconds between two emails with the same key. */
  cooldown?: number;
  facts: z.ZodType<Facts>;
  /** Reads what it shows now, for many readers at once; null if the reader may not know it or it is no longer true. */
  load(db: Db, recipients: readonly Recipient<Facts>[]): Promise<(Data | null)[]>;
  /** Whether it is still worth sending. One that was shown in the app stays there. */
  applies?(data: Data, now: Instant): boolean;
  /** The sentence in the app; undefined once it does not hold. Without it the kind is sent by email only. */
  message?(data: Data, actor: NoticeActor): string | undefined;
  opens?(data: Data): NoticeTarget;
  /** The calendar files that the email carries: see `Attach`. */
  files?(data: Data): readonly object[];
  email?(data: Data, context: NoticeContext): NoticeEmail;
}

/** Any kind. Its methods take what its own schema and `load` have returned. */
export type AnyNotice = Notice<NoticeFacts, unknown>;

export const defineNotice = <Facts extends NoticeFacts, Data>(
  notice: Notice<Facts, Data>,
): Notice<Facts, Data> => notice;

/** All kinds. Registered in `app/features.ts`. */
export const notices: AnyNotice[] = [];

export const noticeOf = (kind: string): AnyNotice | undefined =>
  notices.find((notice) => notice.kind === kind);

/** What a reader is told about these notices of one kind; null for those that are not shown any more. */
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
