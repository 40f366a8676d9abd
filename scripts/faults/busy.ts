// F9, F10, F14, F15: too much of something.
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { createUsers, openApp, type App, type TestUser } from './app.ts';
import { ms, now, quantile, until, type Verdict } from './fault.ts';
import { send, slowest, startReads, startWrites, unexpected, withStatus } from './load.ts';

const exec = promisify(execFile);
const megabytes = 256;

/** Keeps the disk full until the returned function frees the space. */
function fill(folder: string) {
  const ballast = join(folder, 'ballast');
  const stopping = new AbortController();
  const write = (size: number) =>
    appendFile(ballast, Buffer.alloc(size, 1)).then(
      () => true,
      () => false,
    );
  const filling = (async () => {
    for (let size = 2 ** 20; !stopping.signal.aborted; size = Math.max(4096, size / 2)) {
      while (!stopping.signal.aborted && (await write(size)));
      if (size === 4096) await sleep(50, undefined, stopping).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await filling;
    await rm(ballast);
  };
}

async function sendPicture(app: App, user: TestUser): Promise<number> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const picture = sharp({ create: { width: 1200, height: 1200, channels: 3, background: '#888', noise } });
  const body = new Uint8Array(await picture.png().toBuffer());
  return (await send(app, user, '/api/v1/users/picture', { body, type: 'image/png' })).status;
}

async function onFullDisk(dataDir: string): Promise<Verdict[]> {
  await using app = await openApp({ DATA_DIR: dataDir });
  const users = await createUsers(app, 100);
  const [writes, reads] = [startWrites(app, users), startReads(app, users)];
  const refused = () => withStatus(writes.answers, 503);
  await sleep(3000);
  const freeSpace = fill(dataDir);
  const filled = reads.answers.length;
  // The database still fills its preallocated files.
  await until('writes are refused', () => refused().length > 50, 300_000);
  const used = await app.metric('muster_disk_used_ratio');
  const picture = await sendPicture(app, users[0]);
  await sleep(5000);
  const meanwhile = reads.answers.slice(filled);
  await freeSpace();
  const recovered = await writes.untilSuccess(60_000);
  await sleep(2000);
  const kept = await writes.end();
  const failed = unexpected(writes.answers, await reads.end());
  const served = withStatus(meanwhile, 200).length;
  return [
    {
      promise: 'writes return 503, a picture 507 or 503, reads continue',
      result: `${megabytes} MB: ${refused().length} × 503 (p95 ${ms(slowest(refused(), 0.95))}), a picture ${picture}, ${served} of ${meanwhile.length} reads served, ${failed} others failed`,
      held: failed === 0 && [503, 507].includes(picture) && served > 0 && app.isAlive(),
    },
    {
      promise: 'writes succeed within 30 s after space is freed, nothing acknowledged is lost',
      result: `${ms(recovered)}; ${kept.result}`,
      held: recovered <= 30_000 && kept.held,
    },
    {
      promise: '/metrics reports it',
      result: `muster_disk_used_ratio ${used.toFixed(2)}`,
      held: used > 0.99,
    },
  ];
}

/** The disk of the app's own database, its log, the pictures and the app's log is full. */
export async function diskFull(): Promise<Verdict[]> {
  const home = await mkdtemp(join(tmpdir(), 'muster-faults-full-'));
  try {
    await exec('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', home]);
  } catch (error) {
    await rm(home, { recursive: true });
    const result = `a small file system could not be mounted: ${(error as Error).message.split('\n')[1]}`;
    return [{ promise: 'a full disk is reported and survived', result, held: undefined }];
  }
  try {
    return await onFullDisk(home);
  } finally {
    await exec('umount', ['--lazy', home]);
    await rm(home, { recursive: true });
  }
}

/** Sends one byte per second and returns the milliseconds until the connection is closed. */
async function trickle(port: number, timeout: number): Promise<number> {
  const head = 'GET /api/v1/users HTTP/1.1\r\nHost: muster.test\r\nX-Slow: ';
  const started = now();
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let sent = 0;
  const timer = setInterval(() => socket.writable && socket.write(head[sent++ % head.length] ?? 'x'), 1000);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.resume();
  await Promise.race([closed, sleep(timeout)]);
  clearInterval(timer);
  socket.destroy();
  return now() - started;
}

/** A thousand connections that never finish their request. */
export async function slowClients(): Promise<Verdict[]> {
  await using app = await openApp();
  const users = await createUsers(app, 50);
  const baseline = startReads(app, users, 50);
  await sleep(5000);
  const usual = slowest(await baseline.end(), 0.95);
  const port = Number(new URL(app.origin).port);
  const load = startReads(app, users, 50);
  const longest = Math.max(...(await Promise.all(Array.from({ length: 1000 }, () => trickle(port, 40_000)))));
  const meanwhile = await load.end();
  const [failed, p95] = [meanwhile.length - withStatus(meanwhile, 200).length, slowest(meanwhile, 0.95)];
  return [
    {
      promise: '1,000 sockets at 1 B/s are reaped within 20 s, others take at most twice as long',
      result: `reaped after ${ms(longest)}; p95 ${ms(usual)} before, ${ms(p95)} meanwhile, ${failed} of ${meanwhile.length} failed`,
      // Below 20 ms a factor of two is noise.
      held: longest <= 20_500 && failed === 0 && p95 <= Math.max(2 * usual, 20),
    },
  ];
}

/** Calendar apps poll many feeds while people use the app. */
export async function feedPolling(): Promise<Verdict[]> {
  await using app = await openApp();
  const users = await createUsers(app, 1000);
  await app.sql('update users set calendar_secret = id::text');
  const load = startReads(app, users, 30);
  const feeds = startReads(app, users, 167, ({ id }) => `/api/v1/users/${id}/ical/calendar.ics`);
  await sleep(60_000);
  const [fetched, answers] = [await feeds.end(), await load.end()];
  const [p95, failed] = [slowest(answers, 0.95), unexpected(fetched, answers)];
  return [
    {
      promise: '10,000 subscribers in 60 s: p95 of the others ≤ 300 ms',
      result: `${fetched.length} calendars, p95 ${ms(slowest(fetched, 0.95))}; others p95 ${ms(p95)}, ${failed} failed`,
      held: p95 <= 300 && failed === 0 && withStatus(fetched, 200).length > 9000,
    },
  ];
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
  await using app = await openApp();
  const [admin, ...members] = await createUsers(app, 5000);
  await fillClub(app, admin, 20_000);
  const get = async (user: TestUser, path: string) => {
    const answer = await send(app, user, `/api/v1/${path}`);
    if (answer.status !== 200) throw new Error(`${path} returned ${answer.status}`);
    return answer;
  };
  const page = `clubs/${admin.club}`;
  const [reads, homes]: Awaited<ReturnType<typeof get>>[][] = [[], []];
  for (const member of members.slice(0, 100)) {
    const change = 'update clubs set club_description = gen_random_uuid()::text where id = $1';
    await app.sql(change, [admin.club]);
    reads?.push(await get(member, page));
  }
  for (const member of members.slice(0, 100)) homes?.push(await get(member, 'users/clubs/events'));
  const { took: organised } = await get(admin, 'users/events');
  const [p95, home] = [slowest(reads ?? [], 0.95), slowest(homes ?? [], 0.95)];
  const largest = Math.max(...(reads ?? []).map(({ text }) => Buffer.byteLength(text)));
  const verdicts: Verdict[] = [
    {
      promise: 'the page of a club of 5,000 members and 20,000 events: p95 ≤ 200 ms, ≤ 1 MiB',
      result: `changed before each read: p95 ${ms(p95)}, ${(largest / 2 ** 20).toFixed(2)} MiB; upcoming events at home: p95 ${ms(home)}, for the host of all events ${ms(organised)}`,
      held: p95 <= 200 && largest <= 2 ** 20 && organised <= 1000,
    },
  ];
  const lists = ['events?phase=previous', 'events?phase=upcoming', 'members?'].map(
    (list) => `${page}/${list}`,
  );
  for (const list of [...lists, `clubs/admin/${admin.club}/members?`]) {
    const { first, last, pages } = await comparePages(list, (path) => get(admin, path));
    verdicts.push({
      promise: `${list.replace(admin.club, '…')}: the last page ≤ 2 × the first`,
      result: `page 1 ${ms(first)}, page ${pages} ${ms(last)}`,
      held: last <= 2 * first,
    });
  }
  return verdicts;
}

/** The medians of the first and the last page of a list. */
async function comparePages(list: string, get: (path: string) => Promise<{ took: number; text: string }>) {
  let [end, pages] = [list, 1];
  for (;;) {
    const { data } = JSON.parse((await get(end)).text) as { data: { more: string | null } };
    if (!data.more) break;
    end = `${list}&after=${data.more}`;
    pages++;
  }
  const [first, last]: [number[], number[]] = [[], []];
  for (let round = 0; round < 15; round++) {
    first.push((await get(list)).took);
    last.push((await get(end)).took);
  }
  return { first: quantile(first, 0.5), last: quantile(last, 0.5), pages };
}
