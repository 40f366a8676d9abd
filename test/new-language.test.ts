import { execFile, spawn } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { contracts } from '#features/contracts.ts';
import { createClient } from '#wire/client.ts';
import { freePort, ready } from '#e2e/server.ts';
import { bareEnvironment } from '#test/bare-environment.ts';
import { directory, end, undo, undoAll, usedDirectory } from '#test/postgres.ts';
import { codeIn, emailIn, memorySession } from '#test/world.ts';

afterEach(undoAll);

/** Everything that the build and the server read. */
const files = ['src', 'migrations', 'package.json', 'package-lock.json', 'vite.config.ts'];

/** A copy of the app with one more language, which has the texts of German. */
async function appWithLanguage(code: string): Promise<string> {
  const tree = await directory();
  for (const file of files) await cp(file, join(tree, file), { recursive: true });
  await symlink(resolve('node_modules'), join(tree, 'node_modules'));
  const folder = join(tree, 'src', 'languages');
  await cp(join(folder, 'de.json'), join(folder, `${code}.json`));
  const list = join(folder, 'languages.ts');
  const source = await readFile(list, 'utf8');
  const line = `  ${code}: { name: 'Example', notLoaded: 'The texts are missing.' },\n`;
  await writeFile(list, source.replace('} as const;', `${line}} as const;`));
  return tree;
}

test('a new language: one file and one line in the list of languages make the server and the browser use it [LANG-22]', async () => {
  const tree = await appWithLanguage('xx');
  const vite = join('node_modules', '.bin', 'vite');
  // Not the environment of the test runner, with which vite would build for tests.
  const env = { ...bareEnvironment, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: tree, env });
  const scripts = await readdir(join(tree, 'dist', 'web', 'assets'));
  // The landing page and the privacy policy have a file of their own.
  expect(scripts.filter((name) => /^xx-[\w-]+\.js$/.test(name))).toHaveLength(2);

  const [port, dataDir] = [await freePort(), await usedDirectory()];
  const origin = `http://127.0.0.1:${port}`;
  const app = spawn(process.execPath, ['src/app/main.ts'], {
    cwd: tree,
    env: { ...bareEnvironment, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  undo.push(() => end(app, 'SIGINT'));
  await ready(origin);

  const session = memorySession();
  const api = createClient(contracts, { origin, session });
  const email = 'ada@example.org';
  await api.auth.login({ email });
  session.write(await api.auth.confirm({ email, code: codeIn(await emailIn(dataDir, email)) }));
  await api.users.update({ language: 'xx' as 'en' });
  expect((await api.users.me({})).language).toBe('xx');

  const query = new URLSearchParams({
    path: '/app',
    zone: 'UTC',
    rows: '10',
    wide: 'true',
  });
  const headers = { authorization: `Bearer ${session.read()?.AccessToken.Token}` };
  const screen = await fetch(`${origin}/api/screen?${query}`, { headers });
  expect(await screen.text()).toContain(
    (JSON.parse(await readFile('src/languages/de.json', 'utf8')) as Record<string, string>)['app.noClubsYet'],
  );
});
