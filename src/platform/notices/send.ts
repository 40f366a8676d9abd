import { inTransaction, run, sql, type Clock, type Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import type { Attempt, Tasks } from '#platform/jobs/queue.ts';
import { emailIn, type EmailContent, type OutgoingEmail } from '#platform/mail/message.ts';
import { Cancelled, DeliveryError } from '#platform/mail/smtp.ts';
import type { Instant } from '#wire/instant.ts';
import { inLook, type Look } from '#wire/look.ts';
import { brandOf, oneClick, withUnsubscribe, type EmailDependencies } from '#platform/notices/envelope.ts';
import { t } from '#platform/notices/messages.ts';
import {
  isAlways,
  loadNotices,
  noticeOf,
  type AnyNotice,
  type NoticeEmail,
  type NoticeFacts,
} from '#platform/notices/notice.ts';
import {
  collectedWith,
  drop,
  dueEmail,
  isAddressRefused,
  isOverBudget,
  pendingFor,
  putBack,
  readerOf,
  sentLately,
  sentRows,
  type Reader,
  type Row,
} from '#platform/notices/pending.ts';
import { addDelivery } from '#platform/notices/deliveries.ts';
import { continueNotices } from '#platform/notices/raise.ts';
import { isSentAtOnce } from '#platform/notices/weekly-rules.ts';

/** The recipient of an email and their look, and the setting of the email: 'always' or a setting key. */
export interface FileReader {
  user_id: string;
  email: string;
  setting: string;
  look: Look;
  now: Instant;
}

/** Makes the calendar files of an email, and records them. */
export type Attach = (
  db: Db,
  reader: FileReader,
  files: readonly object[],
) => Promise<{ attachments: NonNullable<OutgoingEmail['attachments']>; isFetched: boolean }>;

export interface NoticeDependencies extends EmailDependencies {
  attach: Attach;
}

export const noticeTasks = (db: Db, clock: Clock): Tasks => ({
  continue_notices: ({ fan_out }: { fan_out: string }) =>
    inTransaction(db, async (transaction) => continueNotices(transaction, fan_out, await clock(transaction))),
});

/** Milliseconds. An email that was rendered longer ago is rendered again before it is handed over. */
const freshness = 1000;

/**
 * The task that loads, renders and sends one email. An email that no longer applies is dropped, even if it stops
 * applying while the connection to the mail server is being opened, which may take minutes.
 */
export const sendNotice =
  (db: Db, dependencies: NoticeDependencies) =>
  async ({ id }: { id: string }, { stopping }: Pick<Attempt, 'stopping'>): Promise<void> => {
    const startedAt = performance.now();
    const taken = await inTransaction(db, (transaction) => take(transaction, id, dependencies));
    if (!taken) return;
    const { email, rows, isSame } = taken;
    try {
      await dependencies.mailer.send(email, {
        signal: stopping,
        async begin() {
          if (performance.now() - startedAt < freshness) return;
          if (!(await inTransaction(db, isSame))) throw new Cancelled();
        },
      });
    } catch (error) {
      if (error instanceof DeliveryError && error.outcome !== 'retry') {
        const { id, about: user } = email;
        dependencies.log.warn({ email: id, user, outcome: error.outcome, reason: error.message }, 'email');
        return;
      }
      await inTransaction(db, (transaction) => putBack(transaction, rows));
      // The email is outdated. Another job sends the current version.
      if (error instanceof Cancelled)
        await run(db, sql`update notice_emails set send_at = now() where id = ${id}`);
      else throw error;
    }
  };

interface Taken {
  email: OutgoingEmail;
  rows: string[];
  /** Whether rendering the email now would give the same result. */
  isSame(db: Db): Promise<boolean>;
}

/** Takes the pending email with this id, unless it is not due, no longer applies or exceeds the hourly limit. */
async function take(db: Db, id: string, dependencies: NoticeDependencies): Promise<Taken | undefined> {
  // Lock order: the reader, then their emails.
  const reader = await pendingFor(db, id);
  const notice = reader && noticeOf(reader.kind);
  if (!notice) return undefined;
  // Concurrent emails of one kind to one person take turns, so that the hourly limit counts all of them.
  await run(db, sql`select pg_advisory_xact_lock(hashtextextended(${reader.id + reader.kind}, 0))`);
  const row = await dueEmail(db, notice, id);
  if (!row) return undefined;
  const rows = row.collected ? await collectedWith(db, row) : [row];
  const now = await dependencies.clock(db);
  const drafts = await draftsOf(db, notice, rows, { reader, now, dependencies });
  const outdated = rows.filter((each) => !drafts.some((draft) => draft.row === each));
  if (outdated.length > 0) await drop(db, outdated);
  if (drafts.length === 0 || (!row.collected && (await isOverBudget(db, row)))) return undefined;
  const emails: Rendered[] = [];
  for (const draft of drafts) emails.push(await withFiles(db, notice, draft, { reader, now, dependencies }));
  const ids = drafts.map((draft) => draft.row.id) as [string, ...string[]];
  await run(db, sql`update notice_emails set sent_at = now() where id = any(${ids}::uuid[])`);
  await addDelivery(db, { id: ids[0], user_id: reader.id, kind: notice.kind, states: statedIn(emails), now });
  return {
    rows: ids,
    email: emailOf(dependencies, notice, { id: ids[0], reader, emails }),
    async isSame(later) {
      const readerNow = await readerOf(later, reader.id);
      const rowsNow = await sentRows(later, ids);
      if (readerNow?.email !== reader.email || rowsNow.length < ids.length) return false;
      const time = await dependencies.clock(later);
      const draftsNow = await draftsOf(later, notice, rowsNow, {
        reader: readerNow,
        now: time,
        dependencies,
      });
      return (
        JSON.stringify(draftsNow.map(({ email }) => email)) ===
        JSON.stringify(drafts.map(({ email }) => email))
      );
    },
  };
}

/** The current email of one row. */
interface Draft {
  row: Row;
  data: unknown;
  email: NoticeEmail;
  isAlways: boolean;
  render(isFetched: boolean): NoticeEmail;
}

interface DraftContext {
  reader: Reader;
  now: Instant;
  dependencies: NoticeDependencies;
}

/** The emails of these rows that still apply and that their reader wants, if the reader's address works. */
async function draftsOf(
  db: Db,
  notice: AnyNotice,
  rows: readonly Row[],
  { reader, now, dependencies: { config, mutedBy } }: DraftContext,
): Promise<Draft[]> {
  const applying = await stillApplying(db, notice, rows, now);
  const drafts = applying.map(({ row, data }) => {
    const context = { actor: row.actor, config, user_id: row.user_id, now };
    const render = (isFetched: boolean) =>
      inLook(toLook(reader.look), () => notice.email?.(data, { ...context, isFetched }) as NoticeEmail);
    const email = render(false);
    return {
      row,
      data,
      email,
      render,
      isAlways: email.isAlways ?? isAlways(notice, row.facts as NoticeFacts),
    };
  });
  if (drafts.every((draft) => draft.isAlways)) return drafts;
  const isOff = isAddressRefused(reader, now) || reader.optOuts.includes(`email_${notice.setting}`);
  const muted = await mutedBy(db, reader.id);
  return drafts.filter(
    (draft) =>
      draft.isAlways ||
      !(isOff || muted.includes(draft.email.sender.id) || isLeftToWeekly(notice, draft, reader)),
  );
}

/** The things that an email states. One that stands for several lists only their subjects. */
const statedIn = ([email, ...others]: readonly Rendered[]) =>
  others.length === 0 ? (email?.states ?? []) : [];

/** Whether the weekly email of the reader contains the notice. */
const isLeftToWeekly = (
  { weekly: inWeekly, setting }: AnyNotice,
  { row: { created_at }, data }: Draft,
  { weekly, optOuts }: Reader,
): boolean =>
  weekly !== null &&
  inWeekly !== undefined &&
  !optOuts.includes(setting) &&
  !isSentAtOnce({ created_at, starts_at: inWeekly.startsAt?.(data) }, weekly);

/** Adds the calendar files of an email, and a sentence if the recipient's calendar app fetches some of the entries. */
async function withFiles(
  db: Db,
  notice: AnyNotice,
  draft: Draft,
  { reader, now, dependencies }: DraftContext,
): Promise<Rendered> {
  const files = notice.files?.(draft.data) ?? [];
  if (files.length === 0) return { ...draft.email, isAlways: draft.isAlways, attachments: [] };
  const setting = draft.isAlways ? 'always' : `email_${notice.setting}`;
  const to = { user_id: reader.id, email: reader.email, setting, look: toLook(reader.look), now };
  const { attachments, isFetched } = await dependencies.attach(db, to, files);
  return { ...draft.render(isFetched), isAlways: draft.isAlways, attachments };
}

function emailOf(
  { config, identityOf, unsubscribeToken }: NoticeDependencies,
  notice: AnyNotice,
  { id, reader, emails }: { id: string; reader: Reader; emails: readonly Rendered[] },
): OutgoingEmail {
  const token = emails.every((email) => email.isAlways)
    ? undefined
    : unsubscribeToken(config, reader.id, `email_${notice.setting}`);
  return {
    id,
    to: reader.email,
    about: reader.id,
    words: emailIn(toLook(reader.look), () => {
      const [{ sender }, ...others] = emails as [Rendered, ...Rendered[]];
      const isOfOne = others.every((email) => email.sender.id === sender.id);
      const brand = isOfOne && brandOf(config, sender, identityOf(sender));
      return withUnsubscribe(config, { ...oneOf(emails), ...(brand && { brand }) }, token);
    }),
    ...(token && { headers: oneClick(config, token) }),
    attachments: emails.flatMap(({ attachments }) => attachments),
  };
}

async function stillApplying(db: Db, notice: AnyNotice, rows: readonly Row[], now: Instant) {
  const [one] = rows;
  // Most emails have no state before a change to compare with.
  const lately = one && Object.keys(one.before).length > 0 ? await sentLately(db, one) : [];
  const data = await loadNotices(
    db,
    notice,
    rows.map((row) => ({ ...row, sentLately: lately })),
  );
  return rows
    .map((row, n) => ({ row, data: data[n] }))
    .filter((each) => each.data !== null && (notice.applies?.(each.data, now) ?? true));
}

type Rendered = NoticeEmail & { attachments: NonNullable<OutgoingEmail['attachments']> };

/** Returns a single email unchanged, and merges several into one. */
function oneOf(emails: readonly Rendered[]): Omit<EmailContent, 'brand' | 'unsubscribe'> {
  const [email] = emails as [Rendered];
  if (emails.length === 1) {
    const { subject, preview, card, choices, paragraphs, pictures, action, why } = email;
    const first = paragraphs.find((paragraph) => typeof paragraph === 'string');
    return {
      subject,
      preview: preview ?? first ?? '',
      paragraphs,
      footer: why,
      ...(card && { card }),
      ...(choices && { choices }),
      ...(pictures && { pictures }),
      ...(action && { action }),
    };
  }
  const subject = t('andMore', { n: emails.length - 1, first: email.subject });
  const paragraphs = emails.map(({ subject: each, action }) =>
    action ? { written: `${each}\n${action.url}` } : each,
  );
  return {
    subject,
    preview: subject,
    paragraphs: [t('collected', { n: emails.length }), ...paragraphs],
    footer: email.why,
  };
}
