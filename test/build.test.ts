import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { languages } from '#languages/languages.ts';
import { contracts } from '#features/contracts.ts';

const built = new URL('../dist/web/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, built));
const files = readdirSync(new URL('assets', built)).map((name) => `assets/${name}`);
const scripts = files.filter((name) => name.endsWith('.js'));
const textOf = new Map(scripts.map((name) => [name, read(name).toString()]));

/** The chunks that each chunk imports before it runs. */
const imported = new Map(
  [...textOf].map(([name, text]) => [
    name,
    [...text.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+)["']/g)].map(([, file]) => `assets/${file}`),
  ]),
);

/** The import cycle that starts and ends at the chunk `name`, if there is one. */
function circleFrom(name: string): string[] | undefined {
  const paths = [[name]];
  const seen = new Set<string>();
  for (const path of paths)
    for (const next of imported.get(path.at(-1) as string) ?? []) {
      if (next === name) return [...path, next];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  return undefined;
}

test('build: no chunks import each other in a cycle, which would run code before its dependencies', () => {
  const count = [...imported.values()].flat();
  expect(count.length).toBeGreaterThan(scripts.length);
  expect(count.filter((name) => !imported.has(name))).toEqual([]);
  expect(scripts.map(circleFrom).filter(Boolean)).toEqual([]);
});

test('build: every script, style and text has a compressed copy in both encodings', () => {
  const originals = [...files.filter((name) => /\.(js|css)$/.test(name)), 'sw.js', 'licenses.txt'];
  for (const name of originals) {
    expect([name, brotliDecompressSync(read(`${name}.br`)).equals(read(name))]).toEqual([name, true]);
    expect([name, gunzipSync(read(`${name}.gz`)).equals(read(name))]).toEqual([name, true]);
  }
});

test('build: the browser gets no schema library', () => {
  const all = [...textOf.values()].join('\n');
  expect(/ZodError|invalid_union|_zod\b/.test(all)).toBe(false);
  // The stub that replaces the library contains this text.
  expect(all.includes('Schemas are validated on the server only.')).toBe(true);
});

test('build: the browser gets only those parts of a contract that the client reads', () => {
  const all = [...textOf.values()].join('\n');
  for (const contract of Object.values(contracts))
    for (const { path, summary } of Object.values(contract)) {
      expect([path, all.includes(path)]).toEqual([path, true]);
      expect([path, all.includes(summary)]).toEqual([path, false]);
    }
});

test('build: the service worker stores every script and style at once, except the texts of languages [LANG-19]', () => {
  const worker = read('sw.js').toString();
  const [, json = ''] = /^const build = (.*);\n/.exec(worker) ?? [];
  const build = JSON.parse(json) as { version: string; files: string[]; texts: string[] };
  expect(build.version).toMatch(/^[0-9a-f]{12}$/);
  const stored = files.filter((name) => /\.(js|css)$/.test(name)).map((name) => `/${name}`);
  expect([...build.files, ...build.texts].toSorted()).toEqual(['/icon.svg', ...stored].toSorted());
  const codes = Object.keys(languages).filter((code) => code !== 'en');
  // The landing page and the privacy policy have a file of their own.
  expect(build.texts.map((file) => /^\/assets\/([a-z]+)-/.exec(file)?.[1])).toEqual(
    codes.flatMap((code) => [code, code]),
  );
});

test('build: the texts of a language that the first screen loads are at most 20 kB compressed [LANG-19]', () => {
  const codes = Object.keys(languages).filter((code) => code !== 'en');
  const texts = files.filter(
    (name) =>
      codes.some((code) => name.startsWith(`assets/${code}-`) && name.endsWith('.js')) &&
      textOf.get(name)?.includes('attendEvent'),
  );
  expect(texts).toHaveLength(codes.length);
  for (const name of texts) expect(read(`${name}.br`).length).toBeLessThanOrEqual(20_000);
});

test('build: the font of headings has at most 16 kB, and its licence is among the licences [LOOKUX-01]', () => {
  const fonts = files.filter((name) => name.endsWith('.woff2'));
  expect(fonts.length).toBeGreaterThan(0);
  for (const name of fonts) expect([name, read(name).length <= 16_000]).toEqual([name, true]);
  expect(read('licenses.txt').toString()).toContain('SIL OPEN FONT LICENSE');
});

test('build: rendering waits for the first script of a page', () => {
  for (const name of ['index.html', 'landing.html'])
    expect([
      name,
      read(name)
        .toString()
        .match(/<script [^>]*>/g),
    ]).toEqual([name, [expect.stringContaining('blocking="render" type="module"')]]);
});

test('build: the script that runs before the first paint is small', () => {
  for (const page of ['index.html', 'landing.html']) {
    const [, entry = ''] = /src="\/([^"]+)"/.exec(read(page).toString()) ?? [];
    const loaded = new Set([entry]);
    for (const name of loaded) for (const next of imported.get(name) ?? []) loaded.add(next);
    const size = [...loaded].reduce((sum, name) => sum + read(`${name}.gz`).length, 0);
    expect(size, `${page} ${[...loaded].join(' ')}`).toBeLessThan(10_000);
  }
});

test('build: styles are compiled for the oldest supported browsers', () => {
  const styles = files.filter((name) => name.endsWith('.css')).map((name) => read(name).toString());
  expect(styles.length).toBeGreaterThan(0);
  // Chrome supports `light-dark()` since version 123 and nesting since version 120.
  for (const newer of [/light-dark\(/, /[{;]&/]) expect(styles.some((text) => newer.test(text))).toBe(false);
});

test('build: every screen that the server renders, except the members page, is an entry, so that it loads few files', () => {
  const entries = JSON.parse(read('.vite/manifest.json').toString()) as Record<string, { isEntry?: boolean }>;
  const source = readFileSync(new URL('../src/app/web/screens.ts', import.meta.url), 'utf8');
  const screens = [...source.matchAll(/file: '([^']+)'/g)].map(([, file = '']) => file);
  expect(screens.length).toBeGreaterThan(2);
  expect(screens.filter((file) => !entries[file]?.isEntry)).toEqual([
    '../../features/members/web/MembersPage.tsx',
  ]);
});
