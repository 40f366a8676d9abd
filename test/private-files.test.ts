import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '#wire/client.ts';
import { contracts } from '#features/contracts.ts';
import { freePort, ready } from '#e2e/server.ts';
import { end, isRoot, needsRoot, nobody, undo, undoAll, usedDirectory } from '#test/postgres.ts';
import { codeIn, emailIn, memorySession } from '#test/world.ts';

afterEach(undoAll);

/** Of all paths below a folder, those that another account can read, write or enter. */
async function reachable(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  const found = await Promise.all(
    paths.map(async (path) => {
      const stats = await lstat(path);
      const isOpen = !stats.isSymbolicLink() && !stats.isSocket() && (stats.mode & 0o077) !== 0;
      return isOpen ? [`${path.slice(folder.length)} ${(stats.mode & 0o777).toString(8)}`] : [];
    }),
  );
  return found.flat();
}

const accounts = [['root', undefined] as const, ['an account without rights', nobody] as const];

test.skipIf(!isRoot).each(accounts)(
  `DATA_DIR of %s: nothing in it is open to other accounts (${needsRoot}) [T20]`,
  async (_name, account) => {
    const dataDir = await usedDirectory();
    // The modes of a mounted volume or a copied backup.
    await chmod(dataDir, 0o755);
    await writeFile(join(dataDir, 'secret.key'), 'a key that was copied here, with a mode for all', {
      mode: 0o644,
    });
    if (account) await promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, dataDir]);

    const port = String(await freePort());
    const origin = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: join(dataDir, 'compiled'),
      DATA_DIR: dataDir,
      PORT: port,
      HOST: '127.0.0.1',
      PUBLIC_URL: origin,
      LOG_LEVEL: 'warn',
    };
    const run = (file: string, ...args: string[]) =>
      spawn('/bin/sh', ['-c', `umask 022; exec "$0" "$@"`, process.execPath, file, ...args], {
        ...account,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const app = run('src/app/main.ts');
    undo.push(() => end(app, 'SIGKILL'));
    await ready(origin);

    const session = memorySession();
    const api = createClient(contracts, { origin, session });
    const email = 'ada@example.org';
    await api.auth.login({ email });
    session.write(await api.auth.confirm({ email, code: codeIn(await emailIn(dataDir, email)) }));
    const club = await api.clubs.create({ club_name: 'Rowers' });
    const square = sharp({ create: { width: 600, height: 600, channels: 3, background: 'teal' } });
    const file = new Blob([new Uint8Array(await square.png().toBuffer())], { type: 'image/png' });
    await api.media.setAvatar({ club: club.id, file });
    const [status] = await once(run('src/app/backup.ts', join(dataDir, 'sunday.backup')), 'exit');
    expect(status).toBe(0);
    await end(app, 'SIGINT');

    const names = (await readdir(dataDir)).toSorted();
    expect(names).toEqual(
      expect.arrayContaining(['compiled', 'media', 'outbox', 'postgres', 'secret.key', 'sunday.backup']),
    );
    expect(await reachable(dataDir)).toEqual([]);
  },
);
