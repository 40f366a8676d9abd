// Runs on the Node of the machine, which may be older than the one the app needs: plain JavaScript, nothing installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = 24;

/**
 * How Node runs the app. Where there is memory it takes 128 MB for what is newest in a process: a quarter will do. And
 * the more it may take in all, the longer it lets garbage lie: this is what a machine of 4 GB would give it.
 */
export const flags = ['--max-semi-space-size=16', '--max-old-space-size=1024'];

/** What is as large as a page goes back to the system when it is done with; no thread hoards what it has freed. */
export const memory = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '1' };

/** What the app finds when it is started: code without types, compiled, so that it loads nothing that makes it so. */
export const environment = { ...memory, NODE_COMPILE_CACHE: join(root, 'dist', 'compiled') };

/** Nothing of what comes after the end is run, but all of it is compiled. */
const toCompile = `
  import '#app/server.ts';
  import '#platform/postgres/supervisor.ts';
  import './dist/server/prerender.js';
  import 'data:text/javascript,process.exit()';
  import './src/app/main.ts';
`;

/** Runs a command to its end; resolves with its exit code. The signals of `passOn` reach it through this process. */
export function run(command, args, { env = {}, stdio = 'inherit', passOn = ['SIGTERM'] } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio, env: { ...process.env, ...env } });
    const pass = (signal) => child.kill(signal);
    for (const signal of passOn) process.on(signal, pass);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const passed of passOn) process.off(passed, pass);
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}

/** Installs what package-lock.json names, when it is not there yet or names something else now. */
export async function install() {
  const stamp = join(root, 'node_modules', '.installed');
  const hash = hashOf([join(root, 'package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Installing …');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  if ((await run('npm', args)) !== 0) throw new Error('The installation failed: see above.');
  writeFileSync(stamp, hash);
}

/** Builds the web app when one of its sources has changed since, and compiles the server for its first start. */
export async function build() {
  const stamp = join(root, 'dist', 'built');
  const sources = ['src/ui', 'src/wire', 'src/web', 'src/app', 'src/features'].flatMap((folder) =>
    filesIn(join(root, folder)),
  );
  const hash = hashOf([...sources, join(root, 'package-lock.json'), join(root, 'vite.config.ts')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Building the web app …');
  if ((await run(node(), [bin('vite'), 'build', '--logLevel', 'warn'])) !== 0)
    throw new Error('The build failed: see above.');
  await run(node(), [...flags, '--input-type=module', '--eval', toCompile], { env: environment });
  writeFileSync(stamp, hash);
}

/** The Node that runs the app: this one when it is new enough, otherwise the one that was installed with the packages. */
export function node() {
  if (Number(process.versions.node.split('.')[0]) >= wanted) return process.execPath;
  const installed = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(installed)) return installed;
  throw new Error(
    `Node ${wanted} or newer is needed here, and this is ${process.version}. Get it at https://nodejs.org.`,
  );
}

/** A command of an installed package, to be run by `node()`. */
export const bin = (name) => join(root, 'node_modules', '.bin', name);

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.\w+$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}
