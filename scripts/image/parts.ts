import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#e2e/server.ts';
import { until } from '../app.ts';
import { root } from '../prepare.mjs';
import { buildRelease } from './contents.ts';
import { execute } from './engine.ts';
import { NotTried, type Step } from './steps.ts';
import {
  createAdmin,
  expectData,
  mailSettings,
  openApp,
  restart,
  stop,
  variables,
  volumeOf,
  waitUntilReady,
  within,
  type Admin,
  type App,
  type Trial,
} from './trial.ts';

/** What a backup of the first part is restored from. */
export interface Backup {
  file: string;
  secretKey: string;
  admin: Admin;
}

/** The last steps of most parts. */
const stopAndRestart = (trial: Trial, app: () => App, admin: () => Admin): Step[] => [
  ['it stops within ten seconds', () => stop(trial, app())],
  [
    'it starts again with its data, and the session is still valid',
    async () => {
      await restart(trial, app());
      await expectData(app(), admin());
    },
  ],
];

/** With the bundled database and the defaults. Fills `backup`, which other parts restore. */
export function bundledSteps(trial: Trial, backup: Backup): Step[] {
  let app: App;
  return [
    [
      'it starts with the bundled database, without copying it',
      async () => {
        app = await openApp(trial, { name: 'bundled' });
        const [line = ''] = (await trial.engine.run('logs', app.container)).split('\n');
        const files = await within(trial, app, 'ls', '/data');
        if (!line.includes('bundled') || files.includes('postgresql-')) throw new Error(`${line} ${files}`);
        return line.split(',', 1)[0] as string;
      },
    ],
    ['its health check passes', () => waitUntilHealthy(trial, app)],
    [
      'a person logs in by email and creates a club with a picture',
      async () => {
        backup.admin = await createAdmin(trial, app, 'ada@example.org');
      },
    ],
    [
      '`muster admin` finds the account',
      async () => {
        const users = await within(trial, app, 'muster', 'admin', 'users', '--json');
        if (!users.includes('ada@example.org')) throw new Error(users);
      },
    ],
    [
      '`muster backup` writes a backup while it runs',
      async () => {
        const summary = await within(trial, app, 'muster', 'backup', '/data/trial.backup');
        await trial.engine.run('cp', `${app.container}:/data/trial.backup`, backup.file);
        // Another account restores it.
        await chmod(backup.file, 0o644);
        backup.secretKey = await within(trial, app, 'cat', '/data/secret.key');
        return summary.split('. ', 1)[0] as string;
      },
    ],
    ...stopAndRestart(
      trial,
      () => app,
      () => backup.admin,
    ),
  ];
}

async function waitUntilHealthy({ engine }: Trial, { container }: App): Promise<string> {
  // Podman leaves the repeated check to systemd, which a machine may not have.
  if (engine.name === 'podman') return engine.run('healthcheck', 'run', container);
  const status = () => engine.run('inspect', '--format', '{{.State.Health.Status}}', container);
  const took = await until('it is healthy', async () => (await status()) === 'healthy', 60_000);
  return `after ${Math.round(took / 1000)} s`;
}

/** The user id of no account in the image, with the group that Docker and OpenShift give it. */
const foreignUser = '12345:0';
const limits = ['--read-only', '--user', foreignUser, '--memory', '512m', '--memory-swap', '512m'];

/** Restores the backup in a container with every restriction, and runs it so. */
export function restrictedSteps(
  trial: Trial,
  { name, settings: own, backup }: { name: string; settings: Record<string, string>; backup: Backup },
): Step[] {
  let app: App;
  const settings = () => ({ ...own, SECRET_KEY: backup.secretKey });
  const options = [...limits, '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  return [
    [
      'the backup is restored, with a read-only root, a foreign user id and 512 MB',
      async () => {
        if (!backup.secretKey) throw new NotTried('there is no backup');
        const given = ['--volume', `${backup.file}:/trial.backup:ro,z`, '--network', trial.network];
        const command = [trial.images.muster, 'muster', 'restore', '/trial.backup'];
        const all = [...options, ...volumeOf(trial, name), ...given, ...variables(settings())];
        return (await trial.engine.run('run', '--rm', ...all, ...command)).split('. ', 1)[0] as string;
      },
    ],
    [
      'it starts with the restored data, and the session is still valid',
      async () => {
        app = await openApp(trial, { name, options, settings: settings() });
        await expectData(app, backup.admin);
      },
    ],
    ['the restrictions are in force', () => checkRestrictions(trial, app)],
    [
      'another person logs in by email and creates a club with a picture',
      async () => {
        await createAdmin(trial, app, `${name}@example.org`);
      },
    ],
    ['1,000 pages are served within the memory', () => servePages(trial, app)],
    ...stopAndRestart(
      trial,
      () => app,
      () => backup.admin,
    ),
  ];
}

async function checkRestrictions(trial: Trial, app: App): Promise<void> {
  const shell = (command: string) => within(trial, app, 'sh', '-c', command);
  if ((await shell('id -u')) !== '12345') throw new Error('The user id is another one');
  if ((await shell('touch /app/written 2>&1 || true')) === '') throw new Error('The root is not read-only');
  const memory = await shell(
    'cat /sys/fs/cgroup/memory.max 2>/dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes',
  );
  if (memory !== String(512 * 2 ** 20)) throw new NotTried(`the engine does not limit the memory: ${memory}`);
}

/** A network gets at most 1,200 responses a minute. */
async function servePages({ engine }: Trial, { container, origin }: App): Promise<string> {
  const pages = ['/', '/login', '/app', '/privacy-policy'];
  const request = async (path: string) => {
    const response = await fetch(origin + path);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`The status of ${path} is ${response.status}`);
  };
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 25 }, () => pages.map(request)).flat());
  const format = '{{.State.OOMKilled}}';
  if ((await engine.run('inspect', '--format', format, container)) !== 'false')
    throw new Error('It ran out of memory');
  return engine.run('stats', '--no-stream', '--format', '{{.MemUsage}}', container);
}

const postgres = ({ network }: Trial) => `${network}-postgres`;

export const externalSettings = (trial: Trial) => ({
  DATABASE_URL: `postgresql://muster:trial@${postgres(trial)}:5432/muster`,
});

export const externalStep = (trial: Trial): Step => [
  'a PostgreSQL server starts in a container',
  async () => {
    const account = variables({ POSTGRES_USER: 'muster', POSTGRES_PASSWORD: 'trial', POSTGRES_DB: 'muster' });
    const options = ['--detach', '--name', postgres(trial), '--network', trial.network];
    await trial.engine.run('run', ...options, ...account, trial.images.postgres);
    return trial.engine.run('exec', postgres(trial), 'postgres', '--version');
  },
];

/**
 * Writes a project with the compose.yaml of this checkout and the settings that the README names. It uses the images and
 * the network of the trial.
 */
async function openProject({ images, network, folder }: Trial, settings: Record<string, string>) {
  const services = { muster: { image: images.muster }, postgres: { image: images.postgres } };
  const networks = { default: { name: network, external: true } };
  await writeFile(join(folder, 'trial.yaml'), JSON.stringify({ services, networks }));
  await writeFile(join(folder, 'compose.yaml'), await readFile(join(root, 'compose.yaml')));
  const lines = Object.entries(settings).map((pair) => pair.join('='));
  await writeFile(join(folder, '.env'), lines.join('\n'));
}

export function composeSteps(trial: Trial, backup: Backup): Step[] {
  const { engine, network, folder } = trial;
  const project = ['--project-name', `${network}-compose`, '--file', 'compose.yaml', '--file', 'trial.yaml'];
  const compose = (...args: string[]) => execute(engine.name, ['compose', ...project, ...args], folder);
  const app = { origin: '', container: '' };
  const up = async () => {
    await compose('up', '--detach', '--no-build');
    app.container = await compose('ps', '--quiet', 'muster');
    await waitUntilReady(trial, app);
  };
  let admin: Admin;
  return [
    [
      'compose.yaml starts the app and PostgreSQL',
      async () => {
        if (!engine.hasCompose) throw new NotTried(`${engine.name} compose is not installed`);
        const port = String(await freePort());
        app.origin = `http://localhost:${port}`;
        const settings = { PUBLIC_URL: app.origin, PORT: port, POSTGRES_PASSWORD: 'trial' };
        await openProject(trial, { ...settings, ...mailSettings(trial) });
        await up();
        return `Compose ${await compose('version', '--short')}`;
      },
    ],
    [
      'a person logs in by email and creates a club with a picture',
      async () => {
        admin = await createAdmin(trial, app, 'compose@example.org');
      },
    ],
    [
      'it stops and starts again with its data',
      async () => {
        await compose('stop');
        const code = await engine.run('inspect', '--format', '{{.State.ExitCode}}', app.container);
        if (code !== '0') throw new Error(`The exit code is ${code}`);
        await compose('start');
        await waitUntilReady(trial, app);
        await expectData(app, admin);
      },
    ],
    [
      'a backup is restored into an empty project',
      async () => {
        await compose('down', '--volumes');
        const given = ['--volume', `${backup.file}:/trial.backup:ro,z`];
        const key = variables({ SECRET_KEY: backup.secretKey });
        await compose('run', '--rm', ...key, ...given, 'muster', 'muster', 'restore', '/trial.backup');
        await up();
        await expectData(app, backup.admin);
        await compose('down', '--volumes');
      },
    ],
  ];
}

/** From the image of the last release to this one, and back. */
export function upgradeSteps(trial: Trial): Step[] {
  const { muster, release } = trial.images;
  let admin: Admin;
  let app: App;
  const change = async (name: string, image: string) => {
    await stop(trial, app);
    app = await openApp(trial, { name, image, volume: 'upgrade' });
    await expectData(app, admin);
  };
  return [
    ['the image of the last release builds', () => buildRelease(trial)],
    [
      'the last release starts and gets data',
      async () => {
        app = await openApp(trial, { name: 'upgrade-old', image: release, volume: 'upgrade' });
        admin = await createAdmin(trial, app, 'upgrade@example.org');
      },
    ],
    ['this image starts with these data', () => change('upgrade-new', muster)],
    ['the last release starts again with these data', () => change('upgrade-back', release)],
  ];
}
