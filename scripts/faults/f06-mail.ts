import { setTimeout as sleep } from 'node:timers/promises';
import { openApp, type App } from './app.ts';
import { bringPeople } from './crowd.ts';
import { ms, now, quantile, until, type Verdict } from './fault.ts';
import { openMailServer, type Mood } from './mail-server.ts';

/** How many people write, and how many minutes pass at once: where each try takes ten seconds, fewer of both. */
const scenes = {
  refuses: { writers: 10, step: 5 },
  'puts off': { writers: 10, step: 5 },
  'says nothing': { writers: 2, step: 20 },
} satisfies Partial<Record<Mood, object>>;

/** Lets minutes pass for all that waits: tries are due earlier, and letters too late sooner. */
const pass = (app: App, minutes: number) =>
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

/** Codes and notices; answers how long those who caused them waited. */
async function causeEmails(app: App, writers: number): Promise<number[]> {
  const people = await bringPeople(app, 30);
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

async function hourOf(mood: keyof typeof scenes): Promise<Verdict[]> {
  const post = await openMailServer();
  const { writers, step } = scenes[mood];
  await post.becomes(mood);
  const app = await openApp({ SMTP_URL: post.url });
  try {
    const took = await causeEmails(app, writers);
    const tried = () => until('the tries of these minutes', async () => (await due(app)) === 0, 120_000);
    for (let minute = 0; minute < 60; minute += step) {
      await tried();
      await pass(app, step);
    }
    await tried();
    // When nothing was tried for a minute one is let through, and finds it out for the others.
    await fetch(`${app.origin}/api/v1/auth/login?email=first@example.org`);
    await tried();
    const { status } = await fetch(`${app.origin}/api/v1/auth/login?email=honest@example.org`);
    await post.becomes('works');
    await sleep(500);
    await until(
      'the queue is empty of letters',
      async () => {
        await pass(app, 60);
        await sleep(500);
        const [row] = await app.sql<{ n: number }>(
          `select count(*)::int as n from jobs where attempts < max_attempts`,
        );
        return row?.n === 0;
      },
      60_000,
    );
    const codes = post.emails.filter(({ to }) => to.startsWith('late-')).length;
    const notices = post.emails.filter(({ to }) => to.startsWith('person-'));
    const repeated = notices.length - new Set(notices.map(({ id }) => id)).size;
    const dead = await app.metric('muster_jobs_dead');
    const slow = quantile(took, 0.95);
    return [
      {
        promise: 'requests do not wait for mail; no stale code is sent, every notice once',
        result: `an hour in which it ${mood}: requests p95 ${ms(slow)}; ${codes} stale codes, ${notices.length} of ${2 * writers} notices, ${repeated} twice, ${dead} given up`,
        held: slow <= 1000 && codes === 0 && notices.length === 2 * writers && repeated === 0 && dead === 0,
      },
      // One who is put off may be full or unknown there: that is no reason to send everybody away.
      ...(mood === 'puts off'
        ? []
        : [
            {
              promise: 'login says 503 when there is no mail server for 30 s',
              result: `it ${mood}: ${status}`,
              held: status === 503,
            },
          ]),
    ];
  } finally {
    await app.close();
    await post.close();
  }
}

/** The mail server is away for an hour, in each of the ways in which they are. */
export async function mailless(): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const mood of ['refuses', 'puts off', 'says nothing'] as const) verdicts.push(...(await hourOf(mood)));
  return verdicts;
}
