import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { openApp, type App } from './app.ts';
import { createUsers, type TestUser } from './crowd.ts';
import { ms, now, quantile, type Verdict } from './fault.ts';
import { unexpectedFailures, startReads, slowest } from './load.ts';

/** The payment provider accepts connections but never responds. */
export async function paymentProviderSilent(): Promise<Verdict[]> {
  const silent = new Set<Socket>();
  const provider = createServer((socket) => void silent.add(socket.on('error', () => {}))).listen(
    0,
    '127.0.0.1',
  );
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  const app = await openApp({
    STRIPE_SECRET_KEY: 'sk_test_none',
    STRIPE_API_URL: `http://127.0.0.1:${port}`,
  });
  try {
    const people = await createUsers(app, 50);
    const load = startReads(app, people, 30);
    const asked = await Promise.all(
      people.slice(0, 20).map(async ({ token, email }) => {
        const started = now();
        const answer = await fetch(`${app.origin}/api/v1/payment-accounts`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ email }),
        });
        return { status: answer.status, took: now() - started };
      }),
    );
    const others = await load.stop();
    const maxDuration = Math.max(...asked.map(({ took }) => took));
    const statuses = [...new Set(asked.map(({ status }) => status))];
    const failed = others.filter(({ status }) => status !== 200).length;
    return [
      {
        promise: 'its calls return 503 within 10 s, others are unaffected (p95 ≤ 1 s)',
        result: `20 calls: ${statuses.join(', ')}, slowest ${ms(maxDuration)}; others p95 ${ms(slowest(others, 0.95))}, ${failed} of ${others.length} failed`,
        held:
          statuses.join() === '503' && maxDuration <= 10_000 && failed === 0 && slowest(others, 0.95) <= 1000,
      },
    ];
  } finally {
    await app.close();
    for (const socket of silent) socket.destroy();
    provider.close();
  }
}

/** Calendar apps poll many feeds while people use the app. */
export async function feedPolling(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const people = await createUsers(app, 1000);
    const secrets = new Map(
      (await app.sql<{ id: string; secret: string }>('select id, calendar_secret as secret from users')).map(
        ({ id, secret }) => [id, secret],
      ),
    );
    const load = startReads(app, people, 30);
    const feeds = startReads(
      app,
      people,
      167,
      ({ id }) => `/api/v1/users/${secrets.get(id)}/ical/calendar.ics`,
    );
    await sleep(60_000);
    const [fetched, answers] = [await feeds.stop(), await load.stop()];
    const p95 = slowest(answers, 0.95);
    const unexpected = unexpectedFailures([...fetched, ...answers]).length;
    return [
      {
        promise: '10,000 subscribers in 60 s: p95 of the others ≤ 300 ms',
        result: `${fetched.length} calendars, p95 ${ms(slowest(fetched, 0.95))}; others p95 ${ms(p95)}, ${unexpected} failed`,
        held: p95 <= 300 && unexpected === 0 && fetched.filter(({ status }) => status === 200).length > 9000,
      },
    ];
  } finally {
    await app.close();
  }
}

/** Large pictures are uploaded while people use the app. */
export async function pictureUploads(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const people = await createUsers(app, 50);
    const noise = { type: 'gaussian' as const, mean: 128, sigma: 4 };
    const file = await sharp({
      create: { width: 5000, height: 3990, channels: 3, background: '#888', noise },
    })
      .jpeg({ quality: 40 })
      .toBuffer();
    const load = startReads(app, people, 50);
    await sleep(3000);
    await app.metric('muster_event_loop_lag_seconds_p99');
    const send = async ({ token }: TestUser) =>
      fetch(`${app.origin}/api/v1/users/picture`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'image/jpeg' },
        body: new Uint8Array(file),
      });
    const started = now();
    const statuses = (await Promise.all(people.slice(0, 10).map(send))).map(({ status }) => status);
    const took = now() - started;
    const lag = 1000 * (await app.metric('muster_event_loop_lag_seconds_p99'));
    const answers = await load.stop();
    return [
      {
        promise: 'event-loop lag p99 ≤ 100 ms while 10 pictures of 20 megapixels are processed',
        result: `${(file.length / 2 ** 20).toFixed(1)} MB each: ${[...new Set(statuses)].join(', ')} in ${ms(took)}; lag p99 ${ms(lag)}; others p95 ${ms(slowest(answers, 0.95))}`,
        held: lag <= 100 && statuses.every((status) => status === 200),
      },
    ];
  } finally {
    await app.close();
  }
}

/** Adds all users to a club, and events with ten attendees each, half of them upcoming. */
async function fillClub(app: App, { id, club }: TestUser, events: number): Promise<void> {
  await app.sql(`
    insert into members (club_id, user_id, calendar_secret, joined_at)
    select '${club}', id, gen_random_uuid(), now() from users on conflict do nothing`);
  await app.sql(`
    insert into events (id, slug, owner_club_id, name, description, location_name, start_time, end_time,
      entry_until_time, time_zone, created_at, updated_at)
    select gen_random_uuid(), 'event-' || n, '${club}', 'Event ' || n, repeat('All about this event. ', 10), 'Pier ' || n % 9,
      start, start + interval '2 hours', start, 'Europe/Berlin', now(), now()
    from generate_series(0, ${events - 1}) n, lateral (select date_trunc('hour', now()) + (n - ${events / 2}) * interval '1 hour') times (start)`);
  await app.sql(`
    insert into attendances (event_id, user_id, attendee_role, attended_at)
    select e.id, u.id, case when u.id = '${id}' then 'organiser' else 'attendee' end, now()
    from events e cross join lateral (
      select '${id}'::uuid as id union (select id from users where id > e.id order by id limit 9)) u`);
  await app.sql('vacuum analyze');
}

/** Reads a club far larger than any real one: its page, changed before each read, and its lists to the last page. */
export async function longLists(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const people = await createUsers(app, 5000);
    const [admin, ...members] = people as [TestUser, ...TestUser[]];
    await fillClub(app, admin, 20_000);
    const get = async ({ token }: TestUser, path: string) => {
      const started = now();
      const answer = await fetch(`${app.origin}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} returned ${answer.status}`);
      return { took: now() - started, bytes: Buffer.byteLength(text), data: JSON.parse(text).data };
    };
    const page = `clubs/${admin.club}`;
    const reads: { took: number; bytes: number }[] = [];
    for (const member of members.slice(0, 100)) {
      await app.sql('update clubs set club_description = gen_random_uuid()::text where id = $1', [
        admin.club,
      ]);
      reads.push(await get(member, page));
    }
    const p95 = quantile(
      reads.map(({ took }) => took),
      0.95,
    );
    const largest = Math.max(...reads.map(({ bytes }) => bytes));
    const homes: number[] = [];
    for (const member of members.slice(0, 100)) homes.push((await get(member, 'users/clubs/events')).took);
    const { took: organised } = await get(admin, 'users/events');
    return [
      {
        promise: 'the page of a club of 5,000 members and 20,000 events: p95 ≤ 200 ms, ≤ 1 MiB',
        result: `changed before each read: p95 ${ms(p95)}, ${(largest / 2 ** 20).toFixed(2)} MiB; upcoming events at home: p95 ${ms(quantile(homes, 0.95))}, for the host of all events ${ms(organised)}`,
        held: p95 <= 200 && largest <= 2 ** 20 && organised <= 1000,
      },
      ...(await comparePages(`${page}/events?phase=previous`, (path) => get(admin, path))),
      ...(await comparePages(`${page}/events?phase=upcoming`, (path) => get(admin, path))),
      ...(await comparePages(`${page}/members?`, (path) => get(admin, path))),
      ...(await comparePages(`clubs/admin/${admin.club}/members?`, (path) => get(admin, path))),
    ];
  } finally {
    await app.close();
  }
}

/** Compares the first and the last page of a list. */
async function comparePages(
  list: string,
  get: (path: string) => Promise<{ took: number; data: { more: string | null } }>,
): Promise<Verdict[]> {
  let [last, pages] = [list, 1];
  for (let at = await get(list); at.data.more; pages++) {
    last = `${list}&after=${at.data.more}`;
    at = await get(last);
  }
  const [first, deep]: [number[], number[]] = [[], []];
  for (let round = 0; round < 15; round++) {
    first.push((await get(list)).took);
    deep.push((await get(last)).took);
  }
  const [one, other] = [quantile(first, 0.5), quantile(deep, 0.5)];
  return [
    {
      promise: `${list.replace(/[\da-f-]{36}/, '…')}: the last page ≤ 2 × the first`,
      result: `page 1 ${ms(one)}, page ${pages} ${ms(other)}`,
      held: other <= 2 * one,
    },
  ];
}

const notRun = (promise: string, why: string) => async (): Promise<Verdict[]> => [
  { promise, result: why, held: undefined },
];

export const clockJumps = notRun(
  'nobody is logged out, nothing expires early',
  'the clock of a machine affects all its processes; test/clock.test.ts moves the clock of the app, src/platform/http/rate-limit.test.ts that of the database',
);
