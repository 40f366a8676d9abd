// F9, F10: the disk is full, or clients are slow.
import { execFile } from 'node:child_process';
import { appendFile, mkdtempDisposable, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { until } from '../app.ts';
import { createUsers, openApp, type App, type TestUser } from './app.ts';
import { ms, type Verdict } from './fault.ts';
import { send, slowest, startReads, startWrites, unexpected, withStatus } from './load.ts';

const exec = promisify(execFile);
const megabytes = 256;

/** Keeps the disk full until the returned function frees the space. */
function fill(folder: string) {
  const ballast = join(folder, 'ballast');
  const stopping = new AbortController();
  const write = async (size: number) => {
    while (!stopping.signal.aborted) await appendFile(ballast, Buffer.alloc(size, 1));
  };
  const filling = (async () => {
    for (let size = 2 ** 20; !stopping.signal.aborted; size = Math.max(4096, size / 2)) {
      await write(size).catch(() => {});
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
  // Writes succeed until the database has filled its preallocated files.
  await until('writes are refused', () => refused().length > 50, 300_000);
  const used = await app.metric('muster_disk_used_ratio');
  const picture = await sendPicture(app, users[0]);
  await sleep(5000);
  const meanwhile = reads.answers.slice(filled);
  await freeSpace();
  const recovered = await writes.untilSuccess(60_000);
  await sleep(2000);
  const kept = await writes.end();
  const { failed, statuses } = unexpected(writes.answers, await reads.end());
  const served = withStatus(meanwhile, 200).length;
  return [
    {
      promise: 'writes return 503, a picture 507 or 503, reads continue',
      result: `${megabytes} MB: ${refused().length} × 503 (p95 ${ms(slowest(refused(), 0.95))}), a picture ${picture}, ${served} of ${meanwhile.length} reads served, ${statuses} others failed`,
      held: failed === 0 && [503, 507].includes(picture) && served > 0 && app.isAlive(),
    },
    {
      promise: 'writes succeed within 30 s after space is freed, nothing acknowledged is lost',
      result: `${ms(recovered)}; ${kept.result}`,
      held: recovered <= 30_000 && kept.held,
    },
    { promise: '/metrics reports the full disk', result: `disk used: ${used.toFixed(2)}`, held: used > 0.99 },
  ];
}

/** Fills the disk of the app's own database, its log, the pictures and the app's log. */
export async function diskFull(): Promise<Verdict[]> {
  await using stack = new AsyncDisposableStack();
  const { path: home } = stack.use(await mkdtempDisposable(join(tmpdir(), 'muster-faults-full-')));
  try {
    await exec('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', home]);
  } catch (error) {
    const result = `a small file system could not be mounted: ${(error as Error).message.split('\n')[1]}`;
    return [{ promise: 'a full disk is reported and survived', result, held: undefined }];
  }
  stack.defer(async () => void (await exec('umount', ['--lazy', home])));
  return await onFullDisk(home);
}

/** Sends one byte per second and returns the milliseconds until the connection is closed. */
async function trickle(port: number, timeout: number): Promise<number> {
  const head = 'GET /api/v1/users HTTP/1.1\r\nHost: muster.test\r\nX-Slow: ';
  const started = performance.now();
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let sent = 0;
  const timer = setInterval(() => socket.writable && socket.write(head[sent++ % head.length] ?? 'x'), 1000);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.resume();
  await Promise.race([closed, sleep(timeout)]);
  clearInterval(timer);
  socket.destroy();
  return performance.now() - started;
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
