// Prints the compressed JavaScript that each screen loads first, and fails when a screen exceeds its budget.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type Chunks, scriptsOf } from '#app/page-scripts.ts';
import type { Prerender } from '#app/ssr.ts';
import { build } from './prepare.mjs';

const home = 'dist/web';

/** What a screen may load before it is usable: kB of compressed scripts, and the number of files. */
const screens: [path: string, maxSize: number, maxFiles: number][] = [
  ['/', 20, 22],
  ['/login', 190, 22],
  ['/app', 190, 22],
  ['/app/clubs/…', 190, 22],
  ['/app/clubs/…/members', 190, 22],
  ['/app/events/…', 190, 22],
];

await build();
const { screenAt } = (await import(
  new URL('../dist/server/prerender.js', import.meta.url).href
)) as Prerender;
const chunks = JSON.parse(await readFile(`${home}/.vite/manifest.json`, 'utf8')) as Chunks;

for (const [path, maxSize, maxFiles] of screens) {
  const screen = screenAt(path);
  const files = scriptsOf(path, chunks, screen ? [screen.file] : []);
  let size = 0;
  for (const file of files) size += gzipSync(await readFile(`${home}/${file}`), { level: 9 }).length / 1000;
  const isOver = size > maxSize || files.length > maxFiles;
  if (isOver) process.exitCode = 1;
  console.log(
    `${isOver ? '✗' : '✓'} ${path.padEnd(22)} ${size.toFixed(1).padStart(6)} kB of ${maxSize}, ${files.length} files of ${maxFiles}`,
  );
}
