import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from './app.ts';
import { ms, now, quantile, until, type Verdict } from './fault.ts';
import { openMailServer } from './mail-server.ts';

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
  const mailServer = await openMailServer();
  await mailServer.become('working');
  const app = await openApp({ SMTP_URL: mailServer.url });
  try {
    for (const [task, payload] of poison)
      await app.sql('select enqueue_job($1::text, $2::jsonb)', [task, payload]);
    const delays: number[] = [];
    for (let round = 0; round < 30; round++) {
      const address = `round-${round}@example.org`;
      const started = now();
      await fetch(`${app.origin}/api/v1/auth/login?email=${address}`);
      await until('the code arrives', () => mailServer.emails.some(({ to }) => to === address), 60_000);
      delays.push(now() - started);
      await app.sql('update jobs set run_at = now() where attempts < max_attempts and locked_until is null');
      await sleep(100);
    }
    await until('no job is retried any more', async () => {
      await app.sql('update jobs set run_at = now() where attempts < max_attempts and locked_until is null');
      await sleep(100);
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
  } finally {
    await app.close();
    await mailServer.close();
  }
}
