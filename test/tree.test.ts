import { readdirSync, readFileSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { contracts } from '#features/contracts.ts';
import { newerBuiltIns } from '#test/newer-built-ins.ts';
import { declarationsWithForeignAliases, linesOfTemplates } from '#test/sql-templates.ts';
import { zonesInSql } from '#test/zones-in-sql.ts';
import { flags, memory } from '../scripts/prepare.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const features = join(root, 'src/features');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const imported = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import)\s*\(?['"]([^'"]+)['"]/g)].map(
    (match) => match[1] as string,
  );

const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** The parts of events, each of which may import events and the parts before it. */
const partsOfEvents = [
  'checkins',
  'answers',
  'absences',
  'hosts',
  'questions',
  'polls',
  'series',
  'slots',
  'reach',
  'pages',
  'weekly',
].map((name) => `events/${name}`);

/** Parts without calls of their own, and so without a contract. */
const withoutCalls = new Set(['events/pages', 'events/reach', 'events/weekly']);

/** The feature that a file belongs to, such as 'clubs', or the part of events, such as 'events/answers'. */
function featureOf(path: string): string | undefined {
  const [, feature, folder] = /^(?:src\/|#)features\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  const part = `${feature}/${folder}`;
  return partsOfEvents.includes(part) ? part : feature;
}

const sources = filesBelow(join(root, 'src')).filter((file) => /\.tsx?$/.test(file));
const folderOf = new Map(
  [
    ...readFileSync(join(features, 'contracts.ts'), 'utf8').matchAll(
      /import \{ (\w+) \} from '#features\/([\w/]+)\/contract\.ts'/g,
    ),
  ].map(([, name, folder]) => [name, folder as string]),
);
const order = Object.keys(contracts).map((name) => folderOf.get(name));

/** The permitted files of a feature; see ARCHITECTURE.md. */
const permitted =
  /^(([a-z]+-)?contract|((form|mail|repeat)-)?rules|access|store|([a-z]+-)?queries|handlers|notices|jobs|([a-z]+-)?mail|gateway|ics|csv|([a-z]+-)*messages)(\.test)?\.ts$|^web\/([A-Z]\w+(\.test)?\.tsx|use[A-Z]\w+(\.test)?\.tsx?)$/;

test('features: contain only files named after their layer', () => {
  const unexpected = filesBelow(features).filter(
    (file) =>
      file !== 'src/features/contracts.ts' &&
      !permitted.test(file.slice(`src/features/${featureOf(file)}/`.length)),
  );
  expect(unexpected).toEqual([]);
});

test('features: each has a contract and a place in the order of features', () => {
  const parts = foldersIn(join(features, 'events')).filter((name) => name !== 'web');
  expect(parts.map((name) => `events/${name}`).toSorted()).toEqual(partsOfEvents.toSorted());
  const folders = [...foldersIn(features), ...partsOfEvents.filter((part) => !withoutCalls.has(part))];
  expect(folders.toSorted()).toEqual(order.toSorted());
});

/** The place of a file's feature in the order. Parts without calls come last. */
const placeOf = (file: string, feature = featureOf(file) ?? '') =>
  withoutCalls.has(feature) ? Infinity : order.indexOf(feature);

test('features: server code imports only earlier features, and contracts of all features', () => {
  const serverSide = sources.filter((file) => featureOf(file) && !/\/web\/|\.test\./.test(file));
  const wrong = serverSide.flatMap((file) =>
    imported(file)
      .filter((path) => !path.endsWith('contract.ts'))
      .filter((path) => placeOf(path) > placeOf(file))
      .map((path) => `${file} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('events: the feature imports none of its parts, and a part imports only the feature and earlier parts', () => {
  const inEvents = sources.filter(
    (file) => file.startsWith('src/features/events/') && !file.includes('.test.'),
  );
  const wrong = inEvents.flatMap((file) =>
    imported(file)
      .filter(
        (path) => partsOfEvents.indexOf(featureOf(path) ?? '') > partsOfEvents.indexOf(featureOf(file) ?? ''),
      )
      .map((path) => `${file} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

const top = (path: string) => featureOf(path)?.split('/', 1)[0];

/** The features with a file that imports `feature`. */
const importers = (feature: string) =>
  new Set(
    sources
      .filter((file) => top(file) && top(file) !== feature && !file.includes('.test.'))
      .filter((file) => imported(file).some((path) => top(path) === feature))
      .map(top),
  );

test('features: only users, members and events are imported by more than half of the others', () => {
  const names = foldersIn(features);
  const many = names.filter((name) => importers(name).size > (names.length - 1) / 2);
  expect(many.filter((name) => !['users', 'members', 'events'].includes(name))).toEqual([]);
  expect(many).toContain('members');
});

/**
 * The layers that each layer may import; `app` may import all. Unlike the linter, this sees dynamic and relative
 * imports.
 */
const layers: Record<string, string[]> = {
  languages: [],
  wire: ['languages'],
  platform: ['wire', 'languages'],
  ui: ['wire'],
  web: ['features', 'ui', 'wire', 'languages'],
  features: ['web', 'ui', 'platform', 'wire', 'languages'],
};
const layerOf = (path: string) => /^(?:src\/|#)(\w+)\//.exec(path)?.[1] ?? '';

test('layers: each imports only layers below it', () => {
  const wrong = sources.flatMap((file) => {
    const allowed = layers[layerOf(file)];
    if (!allowed || file.includes('.test.')) return [];
    return imported(file)
      .map((path) => (path.startsWith('.') ? join(dirname(file), path) : path))
      .filter((path) => layerOf(path) && ![layerOf(file), ...allowed].includes(layerOf(path)))
      .map((path) => `${file} → ${path}`);
  });
  expect(wrong).toEqual([]);
});

test('notices: the platform part mentions neither clubs nor events, and only the feature `notifications` imports its internals', () => {
  const platform = sources.filter((file) => file.startsWith('src/platform/notices/'));
  const texts = platform.map((file) => readFileSync(join(root, file), 'utf8')).join('');
  expect(texts.match(/\b\w*(club|event|member|series|lift|poll)\w*\b/gi)).toBeNull();
  const inside = sources.flatMap((file) =>
    imported(file)
      .filter((path) => /^#features\/notifications\/(store|queries|rules)\.ts$/.test(path))
      .filter(() => featureOf(file) !== 'notifications' && !file.includes('.test.'))
      .map((path) => `${file} → ${path}`),
  );
  expect(inside).toEqual([]);
});

test('notices: their modules import no store, access, handler, job, gateway, web or app module', () => {
  const files = sources.filter((file) => /\/features\/[\w/]+\/notices\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(8);
  const wrong = files.flatMap((file) =>
    imported(file)
      .filter((path) => /^#features\/.*\/(store|access|handlers|jobs|gateway)\.ts$|\/web\/|^#app/.test(path))
      .map((path) => `${file} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('SQL: occurs only in stores and in the platform', () => {
  const wrong = sources.filter(
    (file) =>
      /\bsql[<`]/.test(readFileSync(join(root, file), 'utf8')) &&
      !/\/(access|store|([a-z]+-)?queries)\.ts$|\.test\.|^src\/(platform|app)\//.test(file),
  );
  expect(wrong).toEqual([]);
});

/** The result of a check for each module with SQL. */
const inModulesWithSql = <Found>(check: (source: string, lang: 'ts' | 'tsx') => Found[]) =>
  sources
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      if (!/\bsql[<`]/.test(source)) return [];
      return check(source, file.endsWith('x') ? 'tsx' : 'ts').map((found) => ({ file, found }));
    });

test('SQL: no statement or fragment is longer than 40 lines', () => {
  const lines = inModulesWithSql(linesOfTemplates);
  expect(lines.length).toBeGreaterThan(400);
  expect(lines.filter(({ found }) => found > 40)).toEqual([]);
});

test('SQL: a fragment takes every alias that it does not introduce as a parameter', () => {
  expect(inModulesWithSql(declarationsWithForeignAliases)).toEqual([]);
});

test('SQL: reads no time zone, since PostgreSQL and Node know different ones [T45]', () => {
  const wrong = sources.filter(
    (file) => !file.includes('.test.') && zonesInSql.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(wrong).toEqual([]);
});

test('database connections: opened only by one module, which finds the server', () => {
  const opening = sources.filter((file) =>
    /(new|extends) pg\.(Client|Pool)\b|\{[^}]*\b(Client|Pool)\b[^}]*\} from 'pg'/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  );
  expect(opening.filter((file) => !file.includes('.test.'))).toEqual(['src/platform/db/connection.ts']);
});

test('container and service: start the app with the settings of npm start', () => {
  const [container, service] = ['Dockerfile', 'deploy/muster.service'].map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  expect(container).toContain(
    `CMD ["node", ${flags.map((flag) => `"${flag}"`).join(', ')}, "src/app/main.ts"]`,
  );
  for (const [name, value] of Object.entries(memory)) {
    expect(container).toContain(` ${name}=${value}`);
    expect(service).toContain(`Environment=${name}=${value}`);
  }
  expect(service).toContain(`bin/node ${flags.join(' ')} --env-file=.env src/app/main.ts`);
});

describe('file names', () => {
  test('are specific', () => {
    expect(sources.filter((file) => /(^|\/)(utils?|helpers?|common|misc|index)\.tsx?$/.test(file))).toEqual(
      [],
    );
  });

  test('are in PascalCase for components and in kebab-case otherwise', () => {
    const wrong = sources.filter((file) => {
      const name = file.split('/').at(-1) as string;
      return !/^([A-Z][A-Za-z0-9]*(\.test)?\.tsx|use[A-Z]\w*(\.test)?\.tsx?|[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?)$/.test(
        name,
      );
    });
    expect(wrong).toEqual([]);
  });
});

test('screens: use no function of a contract, because browsers get only its data', async () => {
  const contracts = await Array.fromAsync(glob('src/features/**/*contract.ts'));
  const functions = await Promise.all(
    contracts.map(async (file) => {
      const values = Object.entries((await import(join(root, file))) as Record<string, unknown>);
      return values.flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
    }),
  );
  const names = functions.flat();
  expect(names).toContain('fieldText');
  const found = [];
  for await (const file of glob('src/**/web/**/*.{ts,tsx}')) {
    const source = await readFile(file, 'utf8');
    const imports = [...source.matchAll(/import \{([^}]*)\} from '#features\/[\w/]+\/contract\.ts'/g)].join();
    found.push(
      ...names.filter((name) => new RegExp(`\\b${name}\\b`).test(imports)).map((name) => `${file}: ${name}`),
    );
  }
  expect(found).toEqual([]);
});

test('lint: rejects each built-in that the oldest supported browsers lack [ROBUST-01]', () => {
  interface Rules {
    'no-restricted-globals'?: string[];
    'no-restricted-properties'?: (string | { object?: string; property: string })[];
  }
  const { overrides } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as {
    overrides: { rules: Rules }[];
  };
  const { rules } = overrides.find((each) => 'no-restricted-globals' in each.rules) ?? { rules: {} };
  const { 'no-restricted-globals': globals = [], 'no-restricted-properties': properties = [] }: Rules = rules;
  const isRejected = (owner: string, name: string) =>
    owner === 'window'
      ? globals.includes(name)
      : properties.some(
          (each) =>
            typeof each === 'object' && each.property === name && [undefined, owner].includes(each.object),
        );
  // Lists, maps and sets of all browsers have properties with these names.
  const ambiguous = new Set(['size', 'values']);
  const accepted = Object.entries(newerBuiltIns).flatMap(([owner, names]) =>
    names
      .split(' ')
      .filter((name) => !isRejected(owner, name) && !ambiguous.has(name))
      .map((name) => `${owner}.${name}`),
  );
  expect(accepted).toEqual([]);
});

test('screens: take the time from the server, because the clock of a device may be wrong [ROBUST-10]', () => {
  const inBrowser = sources.filter(
    (file) => /^src\/(wire|ui|web)\/|\/web\//.test(file) && !file.includes('.test.'),
  );
  expect(inBrowser.length).toBeGreaterThan(200);
  // The linter rejects `Date.now()`.
  const wrong = inBrowser.filter((file) => /new Date\(\)/.test(readFileSync(join(root, file), 'utf8')));
  expect(wrong).toEqual([]);
});

test.each([
  // Access to the storage can throw.
  [/\b(local|session)Storage\b/, 'src/web/first/storage.ts'],
  // Outside of it, a file that cannot be loaded would replace the page by an error.
  [/\blazy\(/, 'src/ui/LazyPart.tsx'],
])('browser: %s occurs only in %s [ROBUST-03 ROBUST-04]', (pattern, only) => {
  const inBrowser = sources.filter(
    (file) => /^src\/(ui|web)\/|\/web\//.test(file) && !file.includes('.test.'),
  );
  const files = inBrowser.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  expect(files).toEqual([only]);
});

test('decisions: the index lists every record once', () => {
  const folder = join(root, 'docs/decisions');
  const records = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name));
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const indexed = [...index.matchAll(/^- \[\d{4}\]\(([^)]+)\)/gm)].map(([, name]) => name);
  expect(indexed.toSorted()).toEqual(records.toSorted());
});
