import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { freePort } from '#e2e/server.ts';
import { createClient, type AuthData, type Client } from '#wire/client.ts';
import { contracts } from '#features/contracts.ts';
import { opened, until } from '../app.ts';
import { root } from '../prepare.mjs';
import type { Engine } from './engine.ts';

/** The images that the trial starts. */
export interface Images {
  /** The image that this checkout builds. */
  muster: string;
  /** The image of the last release, which the trial builds and removes. */
  release: string;
  /** The base of the image. */
  node: string;
  postgres: string;
}

export interface Trial {
  engine: Engine;
  images: Images;
  /** A folder of this machine for files that containers exchange. */
  folder: string;
  /** The network of the containers. Their names, and those of their volumes, begin with its name. */
  network: string;
}

export interface App {
  container: string;
  origin: string;
}

/** An admin of a club with a picture: the data that has to survive. */
export interface Admin {
  auth: AuthData;
  club: string;
}

/** Creates the network, and removes at the end all that was started in it. */
export async function openNetwork({ engine, images, network }: Trial): Promise<void> {
  const named = ['--quiet', '--filter', `name=${network}`];
  const remove = async (list: string[], command: string[]) => {
    const ids = (await engine.run(...list, ...named)).split('\n').filter(Boolean);
    if (ids.length > 0) await engine.run(...command, ...ids);
  };
  opened.defer(async () => {
    await remove(['ps', '--all'], ['rm', '--force', '--volumes']);
    await remove(['volume', 'ls'], ['volume', 'rm']);
    await engine.run('network', 'rm', network);
    // It is missing if its build has failed.
    await engine.run('image', 'rm', images.release).catch(() => {});
  });
  await engine.run('network', 'create', network);
}

const mailServer = ({ network }: Trial) => `${network}-mail`;

/** The settings that lead to the mail server of the trial. */
export const mailSettings = (trial: Trial) => ({
  SMTP_URL: `smtp://${mailServer(trial)}:2525`,
  MAIL_FROM: 'Muster <muster@example.org>',
});

/** Starts the mail server. It is a program of this checkout, whose packages it needs. */
export async function openMailSink(trial: Trial): Promise<void> {
  const { engine, images, network } = trial;
  const mounted = ['--volume', `${root}:/checkout:ro`, '--workdir', '/checkout'];
  const options = ['--user', '0:0', '--security-opt', 'label=disable', '--network', network];
  const command = [images.node, 'node', 'scripts/image/mail-sink.ts'];
  await engine.run('run', '--detach', '--name', mailServer(trial), ...options, ...mounted, ...command);
}

async function codesTo(trial: Trial, email: string): Promise<string[]> {
  const lines = (await trial.engine.run('logs', mailServer(trial))).split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as { to: string[]; text?: string })
    .filter(({ to }) => to.includes(email))
    .flatMap(({ text = '' }) => /^ {4}([A-Z0-9]{6})$/m.exec(text)?.[1] ?? []);
}

interface Container {
  name: string;
  image?: string;
  /** By default the container has a volume of its own name. */
  volume?: string;
  settings?: Record<string, string>;
  options?: readonly string[];
}

export const variables = (settings: Record<string, string>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);

export const volumeOf = ({ network }: Trial, name: string): string[] => [
  '--volume',
  `${network}-${name}:/data`,
];

/** Starts a container of the app and waits until it is ready. */
export async function openApp(trial: Trial, container: Container): Promise<App> {
  const { engine, images, network } = trial;
  const { name, image = images.muster, volume = name, settings = {}, options = [] } = container;
  const port = await freePort();
  const app = { container: `${network}-${name}`, origin: `http://localhost:${port}` };
  const all = { PUBLIC_URL: app.origin, ...mailSettings(trial), ...settings };
  const published = ['--network', network, '--publish', `127.0.0.1:${port}:3000`];
  const stored = volumeOf(trial, volume);
  const named = ['--detach', '--name', app.container];
  await engine.run('run', ...named, ...published, ...stored, ...variables(all), ...options, image);
  await waitUntilReady(trial, app);
  return app;
}

/** Fails with the last lines of the log if the container ends. */
export async function waitUntilReady({ engine }: Trial, { container, origin }: App): Promise<void> {
  const isReady = async () => {
    if ((await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) return true;
    if ((await engine.run('inspect', '--format', '{{.State.Running}}', container)) === 'true') {
      await sleep(200);
      return false;
    }
    throw new Error(`It has ended: ${await engine.run('logs', '--tail', '5', container)}`);
  };
  await until(`${container} is ready`, isReady, 120_000);
}

/** Stops a container as the engine does by default, ten seconds before it kills it. */
export async function stop({ engine }: Trial, { container }: App): Promise<string> {
  const started = performance.now();
  await engine.run('stop', container);
  const code = await engine.run('inspect', '--format', '{{.State.ExitCode}}', container);
  if (code !== '0') throw new Error(`The exit code is ${code}`);
  return `exit code 0 after ${((performance.now() - started) / 1000).toFixed(1)} s`;
}

export async function restart(trial: Trial, app: App): Promise<void> {
  await trial.engine.run('start', app.container);
  await waitUntilReady(trial, app);
}

/** Runs a command in the container of an app. */
export const within = ({ engine }: Trial, { container }: App, ...command: string[]): Promise<string> =>
  engine.run('exec', container, ...command);

function clientOf({ origin }: App, admin: Pick<Admin, 'auth'>): Client<typeof contracts> {
  const session = {
    read: () => admin.auth,
    write: (auth: AuthData) => void (admin.auth = auth),
    lost: () => {},
    alone: <T>(work: () => Promise<T>) => work(),
  };
  return createClient(contracts, { origin, session });
}

/** Logs in with the code of the email, and creates a club with a picture. */
export async function createAdmin(trial: Trial, app: App, email: string): Promise<Admin> {
  const admin = { auth: { AccessToken: { Token: '' }, RefreshToken: { Token: '' } }, club: '' };
  const api = clientOf(app, admin);
  await api.auth.login({ email });
  let code = '';
  await until(`an email to ${email} arrives`, async () => {
    [code = ''] = await codesTo(trial, email);
    return code !== '';
  });
  admin.auth = await api.auth.confirm({ email, code });
  admin.club = (await api.clubs.create({ club_name: 'Harbour Rowers' })).id;
  const file = await sharp({ create: { width: 2000, height: 2000, channels: 3, background: '#0b7285' } })
    .png()
    .toBuffer();
  await api.media.setAvatar({
    club: admin.club,
    file: new Blob([new Uint8Array(file)], { type: 'image/png' }),
  });
  await expectData(app, admin);
  return admin;
}

/** Fails unless the session is valid, and the club and its picture are there. */
export async function expectData(app: App, admin: Admin): Promise<void> {
  const club = await clientOf(app, admin).clubs.get({ club: admin.club });
  if (club.club_name !== 'Harbour Rowers' || !club.profile_picture_url)
    throw new Error('The club is incomplete');
  const picture = await fetch(new URL(new URL(club.profile_picture_url, app.origin).pathname, app.origin));
  if (!picture.ok) throw new Error(`The status of the picture is ${picture.status}`);
}
