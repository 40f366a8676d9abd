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
  ['/login'],
  ['/app', 190],
  ['/app/clubs/…'],
  ['/app/events/…'],
];

await build();
const { screenAt } = (await import(
  new URL('../dist/server/prerender.js', import.meta.url).href
)) as Prerender;
const chunks = JSON.parse(await readFile(`${home}/.vite/manifest.json`, 'utf8')) as Chunks;

for (const [path, max = Infinity] of screens) {
  let size = 0;
  for (const file of scriptsOf(path, chunks, screenAt(path)?.file))
    size += gzipSync(await readFile(`${home}/${file}`), { level: 9 }).length / 1000;
  if (size > max) process.exitCode = 1;
  const limit = max === Infinity ? '' : ` of ${max}`;
  console.log(`${size > max ? '✗' : '✓'} ${path.padEnd(14)} ${size.toFixed(1).padStart(6)} kB${limit}`);
}
