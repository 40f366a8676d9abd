// Runs on the installed Node, which may be older than the app needs: plain JavaScript without dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Node's defaults on a machine with 4 GB. With more memory, Node would use large semi-spaces and collect the heap late.
 */
export const flags = ['--max-semi-space-size=16', '--max-old-space-size=1024'];

/** Makes malloc return large blocks to the system and share one arena, so that freed memory is not retained per thread. */
export const memory = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '1' };

/** The environment of the app. The compile cache saves stripping types and compiling at the start. */
export const environment = { ...memory, NODE_COMPILE_CACHE: join(root, 'dist', 'compiled') };

/** Imports after `process.exit()` are compiled into the cache but not executed. */
const compileAll = `
  import '#app/server.ts';
  import '#platform/postgres/supervisor.ts';
  import './dist/server/prerender.js';
  import 'data:text/javascript,process.exit()';
  import './src/app/main.ts';
`;

/** Runs a command and resolves with its exit code. Forwards the signals in `passOn`. */
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

/** Installs the packages when package-lock.json has changed since the last installation. */
export async function install() {
  const stamp = join(root, 'node_modules', '.installed');
  const hash = hashOf([join(root, 'package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Installing …');
  // The build needs the development packages even where NODE_ENV is production.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  if ((await run('npm', args)) !== 0) throw new Error('The installation failed: see above.');
  writeFileSync(stamp, hash);
}

/** Builds the web app when a source has changed since the last build, and fills the compile cache of the server. */
export async function build() {
  const stamp = join(root, 'dist', 'built');
  const sources = ['src/languages', 'src/ui', 'src/wire', 'src/web', 'src/app', 'src/features'].flatMap(
    (folder) => filesIn(join(root, folder)),
  );
  const hash = hashOf([...sources, join(root, 'package-lock.json'), join(root, 'vite.config.ts')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.log('Building the web app …');
  // A test runner sets another NODE_ENV, for which vite would build the development version of React.
  const env = { NODE_ENV: 'production' };
  if ((await run(node(), [bin('vite'), 'build', '--logLevel', 'warn'], { env })) !== 0)
    throw new Error('The build failed: see above.');
  await run(node(), [...flags, '--input-type=module', '--eval', compileAll], { env: environment });
  writeFileSync(stamp, hash);
}

/**
 * Chooses the Node that runs the app. The system's Node is preferred because the system patches it: the first in the
 * search path that is 24.22 or newer of the line 24, or 26 or newer. Otherwise it is the packaged one, or any that can
 * run the app.
 */
export function chooseNode(searchPath, packaged) {
  // npm puts the folder of the packaged Node first.
  const system = searchPath
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((file) => existsSync(file) && realOf(file) !== realOf(packaged));
  return (
    system.find((file) => isPreferred(versionOf(file))) ??
    [packaged, ...system].find((file) => versionOf(file)[0] >= 24)
  );
}

const isPreferred = ([major, minor]) => (major === 24 && minor >= 22) || major >= 26;

const realOf = (file) => (existsSync(file) ? realpathSync(file) : undefined);

/** The major and the minor version of a Node, or nothing if it does not run. */
function versionOf(file) {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return /^v(\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number) ?? [];
}

let chosen;

/** The path of the Node that runs the app. Call it after `install()`, which installs the packaged one. */
export function node() {
  chosen ??= chooseNode([dirname(process.execPath), process.env.PATH].join(delimiter), bin('node'));
  if (chosen) return chosen;
  throw new Error(
    `Node 24 or newer is needed here, and this is ${process.version}. Get it at https://nodejs.org.`,
  );
}

/** The path of an installed package's command, to be run with `node()`. */
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
