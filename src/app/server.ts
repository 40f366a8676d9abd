import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Tasks } from '#platform/jobs/queue.ts';
import type { Config } from '#platform/config.ts';
import {
  withDatabaseTimeout,
  clockOf,
  first,
  inTransaction,
  openDatabase,
  sql,
  type Clock,
  type Database,
  type Db,
} from '#platform/db/client.ts';
import { createHttp, type HttpOptions } from '#platform/http/server.ts';
import { openLive } from '#platform/http/websocket.ts';
import type { Log } from '#platform/log.ts';
import { serveMetrics } from '#platform/metrics.ts';
import { mailWorkers, openMailer, sendEmail, type Mailer } from '#platform/mail/mailer.ts';
import { emailAttemptTimeout } from '#platform/mail/smtp.ts';
import { requireSynchronousStandbys, showsAcknowledged } from '#platform/db/standbys.ts';
import { loadLanguages } from '#platform/languages.ts';
import { version } from '#platform/version.ts';
import { newNoticesFor, noticesWith } from '#platform/notices/bell.ts';
import { noticesChannel } from '#platform/notices/raise.ts';
import { failLostEmails } from '#platform/notices/deliveries.ts';
import { notingOutcomes } from '#platform/notices/outcomes.ts';
import { noticeTasks, sendNotice } from '#platform/notices/send.ts';
import { sendWeekly, weeklyTasks } from '#features/events/weekly/jobs.ts';
import { migrate, newestMigration } from '#platform/db/migrate.ts';
import { startJobs } from '#platform/jobs/worker.ts';
import type { Instant } from '#wire/instant.ts';
import { ApiError } from '#wire/errors.ts';
import { adminTasks } from '#app/admin-log.ts';
import { features } from '#app/features.ts';
import { openMetrics } from '#app/metrics.ts';
import { serveOpenApi } from '#app/openapi.ts';
import { servePages } from '#app/pages.ts';
import { serveProxyCheck } from '#app/proxy-check.ts';
import { deletionTasks, deleteExpired } from '#features/account/jobs.ts';
import { serveOgImages } from '#app/og-image.ts';
import { serveWellKnown } from '#app/well-known.ts';
import { sessionFinder } from '#features/auth/handlers.ts';
import { isDisabled } from '#features/auth/queries.ts';
import { endedSessions } from '#features/auth/store.ts';
import { pictureTasks } from '#features/media/jobs.ts';
import { writeFetchesEachMinute } from '#features/calendar/jobs.ts';
import { attachFiles } from '#features/calendar/mail.ts';
import { eventTasks, notifyShort } from '#features/events/jobs.ts';
import { reachTasks } from '#features/events/reach/jobs.ts';
import { passTimes, remindAttendees } from '#features/events/store.ts';
import { eventsOfWeek } from '#features/events/weekly/mail.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import { mutedClubs } from '#features/members/queries.ts';
import { identityOf } from '#app/email-identity.ts';
import { notificationTasks } from '#features/notifications/jobs.ts';
import { absenceTasks } from '#features/events/absences/jobs.ts';
import { seriesTasks } from '#features/events/series/jobs.ts';
import { slotTasks } from '#features/events/slots/jobs.ts';
import { searchTasks } from '#features/search/jobs.ts';
import { servePaymentProvider } from '#features/payments/handlers.ts';
import { pushTasks, pushWorkers, sendPushes } from '#features/push/jobs.ts';
import { paymentTasks } from '#features/payments/jobs.ts';

export interface Server {
  origin: string;
  db: Db;
  /** Writes the calendar fetches that are still only in memory to the database. */
  writeFetches(): Promise<void>;
  /** Description of where emails are sent. */
  mails: string;
  /**
   * Keeps serving for `notice` milliseconds while /readyz fails, so that load balancers stop routing here. Then closes
   * within a bounded time.
   */
  close(options?: { notice?: number }): Promise<void>;
}

export interface ServerOptions {
  config: Config;
  databaseUrl: string;
  log: Log;
  print?: (line: string) => void;
  /** Resolves when the database is migrated. Nothing is served before. */
  prepared?: Promise<void>;
  /** Shifts the clock of requests; used by tests only. */
  clockOffset?: { seconds: number };
  onError?: HttpOptions['onError'];
  onRoute?: HttpOptions['onRoute'];
}

/** Migrates the database. Safe to run from several processes concurrently. */
export async function prepareDatabase(url: string, log: Log): Promise<void> {
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ applied }, 'migrated');
}

const day = 24 * 60 * 60;
/** Milliseconds that requests in flight may take when the server closes. */
const drainTimeout = 20_000;

const livePath = '/v1/ws/notifications';

/** How often each task runs, in seconds. */
const schedule = {
  remind_attendees: 5 * 60,
  enqueue_weekly_emails: 5 * 60,
  pass_times: 60,
  notify_short: 60,
  fail_lost_emails: 60,
  send_pushes: 60,
  fill_search_texts: 60,
  delete_expired: 60 * 60,
  warn_devices: 60 * 60,
  reconcile_deletions: day,
  extend_all_series: day,
};

/** Serves the API and the web app, and processes jobs. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, databaseUrl, log, print = () => {}, clockOffset = { seconds: 0 }, prepared } = options;
  const onError = (error: Error) => log.warn({ error: error.message }, 'the database closed a connection');
  const database = openDatabase(databaseUrl, {
    readUrl: config.databaseReadUrl,
    size: config.databasePool,
    onError,
  });
  const { db } = database;
  const clock = clockOf(clockOffset);
  const appMetrics = openMetrics(database, config);
  const [{ app, drain }] = await Promise.all([
    // The server renders some pages when it is built.
    loadLanguages().then(() => buildServer(options, { database, clock, appMetrics })),
    prepared,
  ]);
  if (config.databaseReadUrl) await requireSynchronousStandbys(db);
  // A client that does not fit into the accept queue waits seconds before it retries, so the queue must hold all
  // clients that reconnect at the same time.
  await app.listen({ port: config.port, host: config.host, backlog: 4096 });
  const { metricsHost: host, metricsPort } = config;
  const metrics = metricsPort && (await serveMetrics(appMetrics.register, { host, port: metricsPort }));

  const mailer = openMailer(config, print);
  const tasks = appMetrics.counted(tasksOf({ db, config, clock, log }));
  const groups = [
    { tasks, workers: 4 },
    {
      tasks: appMetrics.counted(sendPushes({ db, config, clock, mutedBy: mutedClubs })),
      workers: pushWorkers,
    },
    ...mailGroups({ db, config, clock, log, mailer, counted: appMetrics.counted }),
  ];
  const jobs = startJobs(databaseUrl, { groups, schedule }, log);
  const fetches = writeFetchesEachMinute({ db, lookups: database.lookups, log });
  const { port } = app.server.address() as AddressInfo;
  return {
    origin: `http://${config.host}:${port}`,
    db,
    writeFetches: fetches.write,
    mails: mailer.destination,
    async close({ notice = 0 } = {}) {
      drain();
      await sleep(notice);
      const timer = setTimeout(() => app.server.closeAllConnections(), drainTimeout);
      // Another process, or the next one, picks up jobs that the last requests enqueue.
      await Promise.all([app.close(), jobs.stop({ timeout: drainTimeout })]);
      clearTimeout(timer);
      fetches.stop();
      await fetches.write();
      if (metrics) metrics.close();
      mailer.close();
      await database.close();
    },
  };
}

interface Parts {
  database: Database;
  clock: Clock;
  appMetrics: ReturnType<typeof openMetrics>;
}

/** Builds the server without listening; sends no query to the database yet. */
async function buildServer(
  { config, databaseUrl, log, clockOffset = { seconds: 0 }, onError, onRoute }: ServerOptions,
  { database, clock, appMetrics }: Parts,
) {
  const { db, lookups, reads } = database;
  const findSession = sessionFinder(lookups, clockOffset);
  const { onReply } = appMetrics;
  const { app, call } = await createHttp({
    config,
    log,
    db,
    lookups,
    reads,
    findSession,
    clockOffset,
    features,
    livePath,
    onReply,
    onError,
    onRoute,
  });
  const live = openLive(app, {
    config,
    log,
    databaseUrl,
    path: livePath,
    channel: noticesChannel,
    findSession,
    findEnded: (sessions) => endedSessions(db, sessions, clockOffset.seconds),
    findNew: (users, seconds, wasSent) => newNoticesFor(db, users, seconds - clockOffset.seconds, wasSent),
    findChanged: (ids) => noticesWith(db, ids),
  });
  await servePaymentProvider(app, { config, log, db, clock });

  const drain = serveHealth(app, db, config);
  serveProxyCheck(app, config);
  serveOpenApi(app, { name: config.productName, url: config.publicUrl });
  serveWellKnown(app, config);
  serveOgImages(app, { config, db });
  await servePages(app, { config, db, log, call });
  appMetrics.watchSockets(app, live);
  await app.ready();
  return { app, drain };
}

/** Serves liveness and readiness checks. The returned function (`drain`) makes the process not ready. */
function serveHealth(app: FastifyInstance, db: Db, { databaseReadUrl }: Config): () => void {
  let draining = false;
  app.get('/healthz', { exposeHeadRoute: true }, () => ({ status: 'ok', version }));
  app.get('/readyz', { exposeHeadRoute: true }, async () => {
    const missing = draining ? 'The process is stopping.' : await missingIn(db);
    if (missing) throw new ApiError('unavailable', { retryAfter: 1, message: missing });
    if (databaseReadUrl && !(await showsAcknowledged(db)))
      return { status: 'ok', warning: 'No standby is synchronous.' };
    return { status: 'ok' };
  });
  // Without keep-alive: shutdown could otherwise cut a reused connection while its next request is in flight.
  app.server.prependListener('request', (_request, response) => {
    if (draining) response.shouldKeepAlive = false;
  });
  return () => void (draining = true);
}

interface MailDependencies extends TaskDependencies {
  mailer: Mailer;
  counted(tasks: Tasks): Tasks;
}

/** Sends no email to the address of a disabled account. All emails of the queue pass through here. */
const exceptDisabled = (db: Db, mailer: Pick<Mailer, 'send'>): Pick<Mailer, 'send'> => ({
  send: async (mail, delivery) => ((await isDisabled(db, mail.to)) ? '' : mailer.send(mail, delivery)),
});

/** The workers that send emails. One of them sends only urgent emails, such as login codes. */
function mailGroups({ db, config, clock, log, mailer: opened, counted }: MailDependencies) {
  const mailer = exceptDisabled(db, notingOutcomes(opened, { db, clock, log }));
  const send_email = sendEmail({ mailer, clock: () => clock(db), log });
  const dependencies = { config, clock, mailer, identityOf, mutedBy: mutedClubs, unsubscribeToken, log };
  const send_notice = sendNotice(db, { ...dependencies, attach: attachFiles(config) });
  const send_weekly_email = sendWeekly(db, { ...dependencies, events: eventsOfWeek });
  const tasks = counted({ send_email, send_notice, send_weekly_email });
  const emails = { tasks, attemptTimeout: emailAttemptTimeout };
  return [
    { ...emails, workers: mailWorkers.all - mailWorkers.urgent },
    { ...emails, workers: mailWorkers.urgent, isUrgent: true },
  ];
}

interface TaskDependencies {
  db: Db;
  config: Config;
  clock: Clock;
  log: Log;
}

function tasksOf({ db, config, clock, log }: TaskDependencies): Tasks {
  const scheduled = (work: (transaction: Db, now: Instant) => Promise<void>) => () =>
    inTransaction(db, async (transaction) => work(transaction, await clock(transaction)));
  return {
    ...pictureTasks(db, config),
    ...paymentTasks(db, config),
    ...pushTasks(db, config, clock),
    ...deletionTasks(db, config, clock),
    ...notificationTasks(db),
    ...noticeTasks(db, clock),
    ...weeklyTasks(db, clock),
    ...eventTasks(db, clock),
    ...reachTasks(db, clock),
    ...absenceTasks(db, clock),
    ...seriesTasks(db, clock),
    ...slotTasks(db, clock),
    ...searchTasks(db),
    ...adminTasks(log),
    remind_attendees: scheduled(remindAttendees),
    pass_times: scheduled(passTimes),
    notify_short: scheduled(notifyShort),
    fail_lost_emails: scheduled(failLostEmails),
    delete_expired: scheduled(deleteExpired),
  };
}

/** The reason why the process cannot serve requests yet, if any. */
async function missingIn(db: Db): Promise<string | undefined> {
  const newest = await newestMigration();
  const isApplied = first(db, sql`select 1 from schema_migrations where name = ${newest}`);
  const search = withDatabaseTimeout(isApplied).then((row) => row ?? 'The newest migration is not applied.');
  const found = await search.catch(() => 'The database does not answer.');
  return typeof found === 'string' ? found : undefined;
}
