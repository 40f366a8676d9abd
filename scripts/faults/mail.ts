// F6: the mail server fails.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#e2e/server.ts';
import { openMailServer, type Received } from '#test/mail-server.ts';
import { until } from '../app.ts';
import { quantile } from '../bench/statistics.ts';
import { createUsers, openApp, type App } from './app.ts';
import { ms, type Verdict } from './fault.ts';
import { send } from './load.ts';

type Mode = 'unreachable' | 'deferring' | 'silent' | 'working';

/** A mail server with switchable failure modes on one port, and the emails that it accepted. */
async function openFailingMailServer(first: Mode) {
  const port = await freePort();
  const emails: Received[] = [];
  const open = async (mode: Mode) => {
    if (mode === 'unreachable') return async () => {};
    if (mode === 'silent') return openSilentServer(port);
    const receive = (email: Received) => {
      if (mode === 'deferring') throw new Error('Come back later');
      emails.push(email);
    };
    return (await openMailServer(receive, { port })).close;
  };
  let end = await open(first);
  async function become(mode: Mode): Promise<void> {
    await end();
    end = await open(mode);
  }
  return { url: `smtp://127.0.0.1:${port}`, emails, become, [Symbol.asyncDispose]: () => end() };
}

/** Opens a server that accepts connections and never replies. Returns a function that closes it and its connections. */
async function openSilentServer(port: number) {
  const silent = new Set<Socket>();
  const server = createServer((socket) => void silent.add(socket.on('error', () => {})));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return async () => {
    for (const socket of silent) socket.destroy();
    await once(server.close(), 'close');
  };
}

const login = (app: App, address: string) => fetch(`${app.origin}/api/v1/auth/login?email=${address}`);

const count = async (app: App, which: string) => {
  const unfinished = `select count(*)::int as n from jobs where attempts < max_attempts and ${which}`;
  return (await app.sql<{ n: number }>(unfinished))[0]?.n;
};

/** Makes jobs behave as if some minutes had passed: moves their next attempt and the expiry of their emails back. */
const advance = (app: App, minutes: number) =>
  app.sql(
    `update jobs set run_at = run_at - make_interval(mins => $1),
       created_at = created_at - make_interval(mins => $1),
       payload = case when payload ? 'until' then jsonb_set(payload, '{until}',
         to_jsonb(to_char((payload ->> 'until')::timestamptz at time zone 'utc' - make_interval(mins => $1), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
         else payload end`,
    [minutes],
  );

/** Simulates an hour in which the mail server fails in this mode. */
async function hourOf(mode: Mode, writers: number): Promise<Verdict[]> {
  await using mailServer = await openFailingMailServer(mode);
  await using app = await openApp({ SMTP_URL: mailServer.url });
  const took: number[] = [];
  for (const [turn, user] of (await createUsers(app, 30)).slice(0, writers).entries()) {
    const started = performance.now();
    await login(app, `late-${turn}@example.org`);
    took.push(performance.now() - started);
    await send(app, user, `/api/v1/updates/${user.club}`, { json: { content: 'We row at six.' } });
    took.push(performance.now() - started);
  }
  const isIdle = async () => (await count(app, '(run_at <= now() or locked_until is not null)')) === 0;
  const attemptsDone = () => until('the attempts of these minutes', isIdle, 120_000);
  if (mode === 'silent') {
    // An attempt waits for minutes, so the server is silent only for half a minute, and unreachable for the rest of the
    // hour.
    await sleep(31_000);
  } else {
    for (let minute = 0; minute < 60; minute += 5) {
      await attemptsDone();
      await advance(app, 5);
    }
    await attemptsDone();
    // After a minute without attempts, one login is accepted as a probe. Its email fails.
    await login(app, 'first@example.org');
    await attemptsDone();
  }
  const { status } = await login(app, 'honest@example.org');
  if (mode === 'silent') {
    await mailServer.become('unreachable');
    await attemptsDone();
    await advance(app, 60);
    await attemptsDone();
  }
  await mailServer.become('working');
  await sleep(500);
  const isEmpty = async () => {
    await advance(app, 60);
    await sleep(500);
    return (await count(app, 'true')) === 0;
  };
  await until('the queue has no emails', isEmpty, 60_000);
  const codes = mailServer.emails.filter(({ to }) => to[0]?.startsWith('late-')).length;
  const notices = mailServer.emails.filter(({ to }) => to[0]?.startsWith('person-'));
  const repeated = notices.length - new Set(notices.map(({ mail }) => mail.messageId)).size;
  const [dead, slow] = [await app.metric('muster_jobs_dead'), quantile(took, 0.95)];
  const emails: Verdict = {
    promise: 'requests do not wait for emails; no expired code is sent, every notice once',
    result: `one hour ${mode}: requests p95 ${ms(slow)}; ${codes} expired codes, ${notices.length} of ${2 * writers} notices, ${repeated} twice, ${dead} given up`,
    held: slow <= 1000 && codes === 0 && notices.length === 2 * writers && repeated === 0 && dead === 0,
  };
  // A 4xx may concern a single mailbox, so login stays available.
  if (mode === 'deferring') return [emails];
  const promise = 'login returns 503 when there is no mail server for 30 s';
  return [emails, { promise, result: `${mode}: ${status}`, held: status === 503 }];
}

/** The mail server fails for an hour, in each failure mode. */
export const mailServerDown = async (): Promise<Verdict[]> => [
  ...(await hourOf('unreachable', 10)),
  ...(await hourOf('deferring', 10)),
  ...(await hourOf('silent', 10)),
];
