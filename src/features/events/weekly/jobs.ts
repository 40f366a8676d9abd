import type { Config } from '#platform/config.ts';
import { inTransaction, type Clock, type Db } from '#platform/db/client.ts';
import { toLook } from '#platform/db/look.ts';
import type { Attempt, Tasks } from '#platform/jobs/queue.ts';
import { emailIn, type EmailContent, type OutgoingEmail, type Part } from '#platform/mail/message.ts';
import { Cancelled, DeliveryError } from '#platform/mail/smtp.ts';
import type { Instant } from '#wire/instant.ts';
import { addDelivery } from '#platform/notices/deliveries.ts';
import { brandOf, oneClick, withUnsubscribe, type EmailDependencies } from '#platform/notices/envelope.ts';
import { t } from '#features/events/notice-messages.ts';
import type { Sender, WeeklyLine } from '#platform/notices/notice.ts';
import { isAddressRefused, readerOf, type Reader } from '#platform/notices/pending.ts';
import {
  enqueueWeekly,
  finishWeekly,
  isLastWeekly,
  weeklyEmail,
  WeeklyJob,
} from '#platform/notices/weekly.ts';
import { newsOf } from '#platform/notices/weekly-news.ts';
import { isTooLate, shownLines } from '#platform/notices/weekly-rules.ts';

/** An event that a reader has not answered. `day` and `part` are called in the look of the reader. */
export interface WeeklyEvent {
  sender: Sender;
  url: string;
  name: string;
  day(): string;
  /** The event and its answers, with the name of its club if the email is about several. */
  part(namesClub: boolean): Part;
}

/** The unanswered events at the beginning of the email. The email setting of new events switches them off too. */
export interface WeeklyEvents {
  setting: string;
  load(db: Db, context: { user_id: string; config: Config; now: Instant }): Promise<WeeklyEvent[]>;
}

export interface WeeklyDependencies extends EmailDependencies {
  events: WeeklyEvents;
}

/** The scheduled task that enqueues the weekly emails for which it is time. */
export const weeklyTasks = (db: Db, clock: Clock): Tasks => ({
  async enqueue_weekly_emails() {
    while (
      await inTransaction(db, async (transaction) => enqueueWeekly(transaction, await clock(transaction)))
    );
  },
});

/** Milliseconds. An email that was rendered longer ago is rendered again before it is handed over. */
const freshness = 1000;

/**
 * The task that renders and sends one weekly email. It is handed over to the mail server at most once: if a worker dies
 * while it does so, the next email starts where this one did.
 */
export const sendWeekly =
  (db: Db, dependencies: WeeklyDependencies) =>
  async (payload: unknown, { begun, begin, stopping }: Attempt): Promise<void> => {
    const job = WeeklyJob.parse(payload);
    if (begun) return;
    const render = () => inTransaction(db, (transaction) => weeklyFor(transaction, job, dependencies));
    const startedAt = performance.now();
    const email = await render();
    if (!email) return;
    const { log } = dependencies;
    try {
      await dependencies.mailer.send(email, {
        signal: stopping,
        async begin() {
          const isOld = performance.now() - startedAt >= freshness;
          if (isOld && JSON.stringify(await render()) !== JSON.stringify(email))
            throw new Error('The weekly email is outdated.');
          if (!(await begin())) throw new Cancelled();
        },
      });
    } catch (error) {
      if (error instanceof Cancelled) return;
      if (!(error instanceof DeliveryError) || error.outcome === 'retry') throw error;
      log.warn({ email: job.id, user: job.user_id, outcome: error.outcome, reason: error.message }, 'email');
      return;
    }
    // An error here must not repeat the email.
    await finishWeekly(db, job).catch((error: Error) =>
      log.warn({ email: job.id, message: error.message }, 'the weekly email was not noted'),
    );
  };

/** The email as it is now. Undefined if it has nothing to say, is too late or no longer wanted. */
async function weeklyFor(
  db: Db,
  job: WeeklyJob,
  dependencies: WeeklyDependencies,
): Promise<OutgoingEmail | undefined> {
  const { config, clock, mutedBy, unsubscribeToken } = dependencies;
  const reader = await readerOf(db, job.user_id);
  const now = await clock(db);
  if (!reader || isAddressRefused(reader, now) || isTooLate(job.until, now) || !(await isLastWeekly(db, job)))
    return undefined;
  const muted = await mutedBy(db, reader.id);
  const context = { muted, now, dependencies };
  const events = await eventsFor(db, reader, context);
  const shown = new Set(events.map(({ url }) => url));
  const all = await newsOf(db, job, { reader, now, config });
  // A new event that is shown with its answers needs no line.
  const news = all.filter(
    ({ setting, line }) =>
      !muted.includes(line.sender.id) && !(setting === dependencies.events.setting && shown.has(line.url)),
  );
  if (events.length === 0 && news.length === 0) {
    await finishWeekly(db, job);
    return undefined;
  }
  await addDelivery(db, { id: job.id, user_id: reader.id, kind: weeklyEmail, now });
  const token = unsubscribeToken(config, reader.id, weeklyEmail);
  return {
    id: job.id,
    to: reader.email,
    about: reader.id,
    words: emailIn(toLook(reader.look), () => {
      const content = contentOf(
        dependencies,
        events,
        news.map(({ line }) => line),
      );
      return withUnsubscribe(config, content, token, t('unsubscribeWeekly'));
    }),
    headers: oneClick(config, token),
  };
}

async function eventsFor(
  db: Db,
  { id, optOuts }: Reader,
  {
    muted,
    now,
    dependencies: { config, events },
  }: { muted: readonly string[]; now: Instant; dependencies: WeeklyDependencies },
): Promise<WeeklyEvent[]> {
  if (optOuts.includes(`email_${events.setting}`)) return [];
  const found = await events.load(db, { user_id: id, config, now });
  return found.filter(({ sender }) => !muted.includes(sender.id));
}

/** The number of events that the email shows. Mail programs cut off long emails. */
const maxEvents = 20;

function contentOf(
  { config, identityOf }: WeeklyDependencies,
  events: readonly WeeklyEvent[],
  lines: readonly WeeklyLine[],
): Omit<EmailContent, 'unsubscribe'> {
  const clubs = Map.groupBy(lines, ({ sender }) => sender.id);
  const senders = new Map([...events, ...lines].map(({ sender }) => [sender.id, sender]));
  const [only, ...others] = senders.values();
  const isOfOne = others.length === 0;
  const subject = subjectOf(events, [...clubs.values()]);
  const more = events.length - maxEvents;
  return {
    subject,
    preview:
      [...events.slice(1).map(({ name }) => name), ...lines.map(({ text, excerpt }) => excerpt ?? text)]
        .slice(0, 3)
        .join(' · ') || subject,
    ...(only && isOfOne && { brand: brandOf(config, only, identityOf(only)) }),
    paragraphs: [],
    parts: [
      ...(events.length > 0 ? [{ title: t('areYouComing') }] : []),
      ...events.slice(0, maxEvents).map((event) => event.part(!isOfOne)),
      ...(more > 0 ? [{ more: { label: t('moreNews', { n: more }), url: `${config.publicUrl}/app` } }] : []),
      ...[...clubs.values()].map(clubPart),
    ],
    footer: t('whyWeekly', { product: config.productName }),
  };
}

/** 'Your week: Tuesday run, Tue 1 Dec, and 3 more', or 'News from Harbour Rowers and 2 more clubs'. */
function subjectOf([first, ...more]: readonly WeeklyEvent[], clubs: readonly (readonly WeeklyLine[])[]) {
  if (first) return t('yourWeek', { event: first.name, day: first.day(), n: more.length });
  return t('newsFrom', { club: clubs[0]?.[0]?.sender.name ?? '', n: clubs.length - 1 });
}

function clubPart(lines: readonly WeeklyLine[]): Part {
  const { shown, more } = shownLines(lines);
  const [{ sender, page }] = lines as [WeeklyLine];
  return {
    title: sender.name,
    lines: shown.map(({ text, url, excerpt }) => ({ label: text, url, ...(excerpt && { excerpt }) })),
    ...(more > 0 && { more: { label: t('moreNews', { n: more }), url: page } }),
  };
}
