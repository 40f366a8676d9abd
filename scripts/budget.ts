// Prints the compressed JavaScript that each screen loads first, and fails when a screen exceeds its budget.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type Chunks, scriptsOf } from '#app/page-scripts.ts';
import type { Prerender } from '#app/ssr.ts';
import { build } from './prepare.mjs';

const home = 'dist/web';

/** The budget in kB of what a screen loads before it is usable. */
const screens: [path: string, max?: number][] = [
  ['/', 20],
  ['/answer/…', 12],
  ['/login'],
  ['/app', 150],
  ['/app/clubs/…'],
  ['/app/events/…'],
];

await build();
const { screenAt } = (await import(
  new URL('../dist/server/prerender.js', import.meta.url).href
)) as Prerender;
const chunks = JSON.parse(await readFile(`${home}/.vite/manifest.json`, 'utf8')) as Chunks;

async function sizeOf(path: string): Promise<number> {
  const sizes = scriptsOf(path, chunks, screenAt(path)?.file).map(
    async (file) => gzipSync(await readFile(`${home}/${file}`), { level: 9 }).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

for (const [path, max] of screens) {
  const size = await sizeOf(path);
  const isOver = max !== undefined && size > max;
  if (isOver) process.exitCode = 1;
  console.log(
    `${isOver ? '✗' : '✓'} ${path.padEnd(14)} ${size.toFixed(1).padStart(6)} kB${max ? ` of ${max}` : ''}`,
  );
}
