import type { AddressInfo } from 'node:net';
import { migrateJobs, startJobs, type Attempt } from '#platform/jobs.ts';
import type { Config } from '#platform/config.ts';
import { first, inTransaction, openDatabase, sql, type Db } from '#platform/db.ts';
import { createHttp, type HttpOptions } from '#platform/http.ts';
import { openLive } from '#platform/live.ts';
import type { Log } from '#platform/log.ts';
import { openPostOffice, type Letter } from '#platform/mail.ts';
import { migrate, newestMigration } from '#platform/migrate.ts';
import type { Instant } from '#wire/instant.ts';
import { Refused } from '#wire/refusal.ts';
import { features } from '#app/features.ts';
import { serveOpenApi } from '#app/openapi.ts';
import { servePages } from '#app/pages.ts';
import { forgetWhatIsOver } from '#features/account/jobs.ts';
import { servePictures } from '#app/preview-pictures.ts';
import { sessionFinder } from '#features/auth/handlers.ts';
import { endedSessions } from '#features/auth/store.ts';
import { pictureTasks } from '#features/media/jobs.ts';
import { eventPath, iCalendar } from '#features/calendar/rules.ts';
import { noticeTasks } from '#features/notifications/jobs.ts';
import type { CalendarFile } from '#features/notifications/mail.ts';
import * as notifications from '#features/notifications/store.ts';
import { servePaymentProvider } from '#features/payments/handlers.ts';
import { paymentTasks } from '#features/payments/jobs.ts';

export interface Server {
  origin: string;
  db: Db;
  /** Where the mails go, in words. */
  mails: string;
  close(): Promise<void>;
}

export interface ServerOptions {
  config: Config;
  databaseUrl: string;
  log: Log;
  print?: (line: string) => void;
  /** Moves the clock of the requests; only tests do. */
  ahead?: { seconds: number };
  onRoute?: HttpOptions['onRoute'];
}

/** Brings the database up to date; safe to run from several processes at once. */
export async function prepareDatabase(url: string, log: Log): Promise<void> {
  const applied = await migrate(url);
  if (applied.length > 0) log.info({ applied }, 'migrated');
  await migrateJobs(url, log);
}

const livePath = '/v1/ws/notifications';

/** Serves API and web and works off the jobs, on a database that is prepared. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, databaseUrl, log, print = () => {}, ahead = { seconds: 0 }, onRoute } = options;
  const onError = (error: Error) => log.warn({ error: error.message }, 'the database closed a connection');
  const { db, close: closeDatabase } = openDatabase(databaseUrl, { size: config.databasePool, onError });
  const findSession = sessionFinder(ahead);
  const app = await createHttp({ config, log, db, findSession, features, livePath, onRoute });
  await openLive(app, {
    config,
    log,
    db,
    databaseUrl,
    path: livePath,
    channel: notifications.news,
    findSession,
    findEnded: (sessions) => endedSessions(db, sessions, ahead.seconds),
    findNews: (users, seconds) => notifications.newsFor(db, users, seconds - ahead.seconds),
  });
  await servePaymentProvider(app, { config, db, findSession });

  let draining = false;
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    if (draining || !(await isReady(db))) throw new Refused('unavailable', { retryAfter: 1 });
    return { status: 'ok' };
  });
  serveOpenApi(app, { name: config.productName, url: config.publicUrl });
  servePictures(app, { config, db });
  await servePages(app, { config, db });
  await app.listen({ port: config.port, host: config.host });

  const calendarFile: CalendarFile = (event) =>
    iCalendar({ ...config, name: event.name, page: eventPath(event.slug) }, [event]);
  const office = openPostOffice(config, print);
  const byTheClock = (work: (transaction: Db, now: Instant) => Promise<void>) => () =>
    inTransaction(db, async (transaction) =>
      work(transaction, (await findSession(transaction, undefined)).now),
    );
  const tasks = {
    send_letter: async (letter: Letter, attempt: Attempt) =>
      sendInTime(letter, (await findSession(db, undefined)).now, () => office.send(letter), attempt),
    ...pictureTasks(db, config),
    ...paymentTasks(db, config),
    ...noticeTasks(db, config, calendarFile),
    remind_attendees: byTheClock(notifications.remindAttendees),
    forget_what_is_over: byTheClock(forgetWhatIsOver),
  };
  const rhythm = { remind_attendees: 5 * 60, forget_what_is_over: 24 * 60 * 60 };
  const jobs = startJobs(databaseUrl, { tasks, rhythm }, log);
  const { port } = app.server.address() as AddressInfo;
  return {
    origin: `http://${config.host}:${port}`,
    db,
    mails: office.destination,
    async close() {
      draining = true;
      await app.close();
      await jobs.stop();
      office.close();
      await closeDatabase();
    },
  };
}

/** `now` comes from the clock that set the limit: the one of this machine may be an hour off. */
async function sendInTime(letter: Letter, now: Instant, send: () => Promise<void>, attempt: Attempt) {
  if (!letter.until || letter.until > now) await (letter.once ? attempt.once(send) : send());
}

async function isReady(db: Db): Promise<boolean> {
  const newest = await newestMigration();
  const row = await first(db, sql`select 1 from schema_migrations where name = ${newest}`).catch(
    () => undefined,
  );
  return row !== undefined;
}
