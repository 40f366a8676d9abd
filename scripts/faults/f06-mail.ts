import { setTimeout as sleep } from 'node:timers/promises';
import { openApp, type App } from './app.ts';
import { createUsers } from './crowd.ts';
import { ms, now, quantile, until, type Verdict } from './fault.ts';
import { openMailServer, type Mode } from './mail-server.ts';

/** Users per failure mode, and the minutes skipped at once. A silent server costs ten seconds per attempt, so fewer. */
const scenarios = {
  unreachable: { writers: 10, step: 5 },
  deferring: { writers: 10, step: 5 },
  silent: { writers: 2, step: 20 },
} satisfies Partial<Record<Mode, object>>;

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

const due = async (app: App) =>
  (
    await app.sql<{ n: number }>(
      `select count(*)::int as n from jobs where attempts < max_attempts and (run_at <= now() or locked_until is not null)`,
    )
  )[0]?.n ?? 0;

/** Requests codes and publishes updates, and returns the durations of the requests. */
async function triggerEmails(app: App, writers: number): Promise<number[]> {
  const people = await createUsers(app, 30);
  const took: number[] = [];
  for (const [turn, { token, club }] of people.slice(0, writers).entries()) {
    const started = now();
    await fetch(`${app.origin}/api/v1/auth/login?email=late-${turn}@example.org`);
    took.push(now() - started);
    await fetch(`${app.origin}/api/v1/updates/${club}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'We row at six.' }),
    });
    took.push(now() - started);
  }
  return took;
}

async function hourOf(mode: keyof typeof scenarios): Promise<Verdict[]> {
  const mailServer = await openMailServer();
  const { writers, step } = scenarios[mode];
  await mailServer.become(mode);
  const app = await openApp({ SMTP_URL: mailServer.url });
  try {
    const took = await triggerEmails(app, writers);
    const attemptsDone = () =>
      until('the attempts of these minutes', async () => (await due(app)) === 0, 120_000);
    for (let minute = 0; minute < 60; minute += step) {
      await attemptsDone();
      await advance(app, step);
    }
    await attemptsDone();
    // After a minute without attempts one request is let through as a probe, and fails.
    await fetch(`${app.origin}/api/v1/auth/login?email=first@example.org`);
    await attemptsDone();
    const { status } = await fetch(`${app.origin}/api/v1/auth/login?email=honest@example.org`);
    await mailServer.become('working');
    await sleep(500);
    await until(
      'the queue has no emails',
      async () => {
        await advance(app, 60);
        await sleep(500);
        const [row] = await app.sql<{ n: number }>(
          `select count(*)::int as n from jobs where attempts < max_attempts`,
        );
        return row?.n === 0;
      },
      60_000,
    );
    const codes = mailServer.emails.filter(({ to }) => to.startsWith('late-')).length;
    const notices = mailServer.emails.filter(({ to }) => to.startsWith('person-'));
    const repeated = notices.length - new Set(notices.map(({ id }) => id)).size;
    const dead = await app.metric('muster_jobs_dead');
    const slow = quantile(took, 0.95);
    return [
      {
        promise: 'requests do not wait for emails; no expired code is sent, every notice once',
        result: `one hour ${mode}: requests p95 ${ms(slow)}; ${codes} expired codes, ${notices.length} of ${2 * writers} notices, ${repeated} twice, ${dead} given up`,
        held: slow <= 1000 && codes === 0 && notices.length === 2 * writers && repeated === 0 && dead === 0,
      },
      // A 4xx may concern a single mailbox, so login stays available.
      ...(mode === 'deferring'
        ? []
        : [
            {
              promise: 'login returns 503 when there is no mail server for 30 s',
              result: `${mode}: ${status}`,
              held: status === 503,
            },
          ]),
    ];
  } finally {
    await app.close();
    await mailServer.close();
  }
}

/** The mail server fails for an hour, in each failure mode. */
export async function mailServerDown(): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const mode of ['unreachable', 'deferring', 'silent'] as const) verdicts.push(...(await hourOf(mode)));
  return verdicts;
}
