import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { openApp, type App } from './app.ts';
import { createUsers, type TestUser } from './crowd.ts';
import { ms, until, type Verdict } from './fault.ts';
import { brokenInvariants } from './invariants.ts';
import { unexpectedFailures, startReads, slowest, startWrites } from './load.ts';

const exec = promisify(execFile);
const megabytes = 256;

/** Keeps the disk full until the returned function frees the space. */
function fill(folder: string) {
  const ballast = join(folder, 'ballast');
  const stopping = new AbortController();
  const filling = (async () => {
    for (let size = 2 ** 20; !stopping.signal.aborted; size = Math.max(4096, size / 2)) {
      const write = () =>
        appendFile(ballast, Buffer.alloc(size, 1)).then(
          () => true,
          () => false,
        );
      while (!stopping.signal.aborted && (await write()));
      if (size === 4096) await sleep(50, undefined, stopping).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await filling;
    await rm(ballast);
  };
}

async function sendPicture(app: App, { token }: TestUser): Promise<number> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const picture = sharp({ create: { width: 1200, height: 1200, channels: 3, background: '#888', noise } });
  const { status } = await fetch(`${app.origin}/api/v1/users/picture`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: new Uint8Array(await picture.png().toBuffer()),
    signal: AbortSignal.timeout(20_000),
  });
  return status;
}

async function onFullDisk(app: App): Promise<Verdict[]> {
  const people = await createUsers(app, 100);
  const [writes, reads] = [startWrites(app, people, 30), startReads(app, people)];
  const refused = () => writes.answers.filter(({ status }) => status === 503);
  await sleep(3000);
  const freeSpace = fill(app.dataDir);
  const filled = reads.answers.length;
  // The database still fills its preallocated files.
  await until('writes are refused', () => refused().length > 50, 300_000);
  const used = await app.metric('muster_disk_used_ratio');
  const picture = await sendPicture(app, people[0] as TestUser);
  await sleep(5000);
  const meanwhile = reads.answers.slice(filled);
  await freeSpace();
  const freed = performance.now();
  const recovered = await until(
    'a write succeeds',
    () => writes.answers.some(({ at, status }) => at > freed && status === 200),
    60_000,
  );
  await sleep(2000);
  await Promise.all([writes.stop(), reads.stop()]);
  const unexpected = unexpectedFailures([...writes.answers, ...reads.answers]);
  const served = meanwhile.filter(({ status }) => status === 200).length;
  const [lost, broken] = [await writes.lost(), await brokenInvariants(app)];
  return [
    {
      promise: 'writes return 503, a picture 507 or 503, reads continue',
      result: `${megabytes} MB: ${refused().length} × 503 (p95 ${ms(slowest(refused(), 0.95))}), a picture ${picture}, ${served} of ${meanwhile.length} reads served, ${unexpected.length} others failed`,
      held: unexpected.length === 0 && [503, 507].includes(picture) && served > 0 && app.isAlive(),
    },
    {
      promise: 'writes succeed within 30 s after space is freed, nothing acknowledged is lost',
      result: `${ms(recovered)}; ${writes.acknowledged()} acknowledged, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}`,
      held: recovered <= 30_000 && lost === 0 && broken.length === 0,
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
    const app = await openApp({ DATA_DIR: home });
    return await onFullDisk(app).finally(() => app.close());
  } finally {
    await exec('umount', ['--lazy', home]);
    await rm(home, { recursive: true });
  }
}
