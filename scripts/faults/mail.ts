// F6, F7: the mail server fails, and jobs fail.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { freePort } from '#e2e/server.ts';
import { createUsers, openApp, type App } from './app.ts';
import { ms, now, quantile, until, type Verdict } from './fault.ts';
import { send } from './load.ts';

type Mode = 'unreachable' | 'deferring' | 'silent' | 'working';

const nothing = async () => {};

/** A mail server with switchable failure modes on one port, and the emails that it accepted. */
async function openMailServer(first: Mode) {
  const port = await freePort();
  const emails: { to: string; id: string }[] = [];
  const silent = new Set<Socket>();
  let end = nothing;

  const smtpServer = (isDeferring: boolean) =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: (_address, _session, done) =>
        done(isDeferring ? Object.assign(new Error('Come back later'), { responseCode: 451 }) : null),
      async onData(stream, session, done) {
        const { messageId = '' } = await PostalMime.parse(Buffer.concat(await stream.toArray()));
        for (const { address } of session.envelope.rcptTo) emails.push({ to: address, id: messageId });
        done();
      },
    });
  const silentServer = () => createServer((socket) => void silent.add(socket.on('error', () => {})));

  const mailServer = {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    async become(mode: Mode): Promise<void> {
      await end();
      end = nothing;
      if (mode === 'unreachable') return;
      const server = mode === 'silent' ? silentServer() : smtpServer(mode === 'deferring');
      server.on('error', () => {});
      const listening = server.listen(port, '127.0.0.1');
      await once('server' in server ? server.server : listening, 'listening');
      end = async () => {
        for (const socket of silent) socket.destroy();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      };
    },
    [Symbol.asyncDispose]: () => end(),
  };
  await mailServer.become(first);
  return mailServer;
}

const login = (app: App, address: string) => fetch(`${app.origin}/api/v1/auth/login?email=${address}`);

const count = async (app: App, which: string) => {
  const unfinished = `select count(*)::int as n from jobs where attempts < max_attempts and ${which}`;
  return (await app.sql<{ n: number }>(unfinished))[0]?.n;
};

/** Advances the waiting jobs by some minutes: their next attempt and the expiry of their emails. */
const advance = (app: App, minutes: number) =>
  app.sql(
    `update jobs set run_at = run_at - make_interval(mins => $1),
       created_at = created_at - make_interval(mins => $1),
       payload = case when payload ? 'until' then jsonb_set(payload, '{until}',
         to_jsonb(to_char((payload ->> 'until')::timestamptz at time zone 'utc' - make_interval(mins => $1), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
         else payload end
     where locked_until is null`,
    [minutes],
  );

/** An hour in this mode, in steps of some minutes. A silent server costs ten seconds per attempt. */
async function hourOf(mode: Mode, writers: number, step: number): Promise<Verdict[]> {
  await using mailServer = await openMailServer(mode);
  await using app = await openApp({ SMTP_URL: mailServer.url });
  const took: number[] = [];
  for (const [turn, user] of (await createUsers(app, 30)).slice(0, writers).entries()) {
    const started = now();
    await login(app, `late-${turn}@example.org`);
    took.push(now() - started);
    await send(app, user, `/api/v1/updates/${user.club}`, { json: { content: 'We row at six.' } });
    took.push(now() - started);
  }
  const isIdle = async () => (await count(app, '(run_at <= now() or locked_until is not null)')) === 0;
  const attemptsDone = () => until('the attempts of these minutes', isIdle, 120_000);
  for (let minute = 0; minute < 60; minute += step) {
    await attemptsDone();
    await advance(app, step);
  }
  await attemptsDone();
  // After a minute without attempts one request is let through as a probe, and fails.
  await login(app, 'first@example.org');
  await attemptsDone();
  const { status } = await login(app, 'honest@example.org');
  await mailServer.become('working');
  await sleep(500);
  const isEmpty = async () => {
    await advance(app, 60);
    await sleep(500);
    return (await count(app, 'true')) === 0;
  };
  await until('the queue has no emails', isEmpty, 60_000);
  const codes = mailServer.emails.filter(({ to }) => to.startsWith('late-')).length;
  const notices = mailServer.emails.filter(({ to }) => to.startsWith('person-'));
  const repeated = notices.length - new Set(notices.map(({ id }) => id)).size;
  const [dead, slow] = [await app.metric('muster_jobs_dead'), quantile(took, 0.95)];
  const emails: Verdict = {
    promise: 'requests do not wait for emails; no expired code is sent, every notice once',
    result: `one hour ${mode}: requests p95 ${ms(slow)}; ${codes} expired codes, ${notices.length} of ${2 * writers} notices, ${repeated} twice, ${dead} given up`,
    held: slow <= 1000 && codes === 0 && notices.length === 2 * writers && repeated === 0 && dead === 0,
  };
  const promise = 'login returns 503 when there is no mail server for 30 s';
  // A 4xx may concern a single mailbox, so login stays available.
  return mode === 'deferring'
    ? [emails]
    : [emails, { promise, result: `${mode}: ${status}`, held: status === 503 }];
}

/** The mail server fails for an hour, in each failure mode. */
export const mailServerDown = async (): Promise<Verdict[]> => [
  ...(await hourOf('unreachable', 10, 5)),
  ...(await hourOf('deferring', 10, 5)),
  ...(await hourOf('silent', 2, 20)),
];

/** Payloads that no task can process. */
const poison: [string, string][] = [
  ['send_email', '{}'],
  ['send_email', 'null'],
  ['send_email', '[1, 2]'],
  ['send_email', `{"id": "${'x'.repeat(2 ** 20)}"}`],
  ['send_notification_emails', '{"kind": "no kind", "about": "nothing"}'],
  ['send_notification_emails', '7'],
];

/** Adds jobs that always fail among working ones. */
export async function failingJobs(): Promise<Verdict[]> {
  await using mailServer = await openMailServer('working');
  await using app = await openApp({ SMTP_URL: mailServer.url });
  for (const job of poison) await app.sql('select enqueue_job($1::text, $2::jsonb)', job);
  const hurry = async () => {
    await app.sql('update jobs set run_at = now() where attempts < max_attempts and locked_until is null');
    await sleep(100);
  };
  const delays: number[] = [];
  for (let round = 0; round < 30; round++) {
    const address = `round-${round}@example.org`;
    const started = now();
    await login(app, address);
    await until('the code arrives', () => mailServer.emails.some(({ to }) => to === address), 60_000);
    delays.push(now() - started);
    await hurry();
  }
  await until('no job is retried any more', async () => {
    await hurry();
    return (await app.metric('muster_jobs_waiting')) === 0;
  });
  const [dead, delay] = [await app.metric('muster_jobs_dead'), quantile(delays, 0.95)];
  return [
    {
      promise: 'failing jobs are given up and counted; others wait 5 s at most, the process survives',
      result: `${poison.length} poison jobs (malformed, null, 1 MB, unknown kind): ${dead} given up, the others had nothing to do; other emails p95 ${ms(delay)}`,
      held: dead >= 4 && delay <= 5000 && app.isAlive(),
    },
  ];
}
