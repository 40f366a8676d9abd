// Says how much JavaScript each screen starts with, compressed, and fails where that is more than was agreed.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from './prepare.mjs';

interface Chunk {
  file: string;
  imports?: string[];
}

const home = 'dist/web';
const inApp = ['index.html', 'layout/AppLayout.tsx'];
const features = '../../features';

/** What is loaded before a screen can be used, and the most that it may be, in kB. */
const screens: [path: string, parts: string[], most?: number][] = [
  ['/', ['landing.html'], 20],
  ['/login', ['index.html', `${features}/auth/web/LoginPage.tsx`]],
  ['/app', [...inApp, 'pages/HomePage.tsx'], 150],
  ['/app/clubs/…', [...inApp, `${features}/clubs/web/ClubPage.tsx`]],
  ['/app/events/…', [...inApp, `${features}/events/web/EventPage.tsx`]],
];

await build();
const chunks = JSON.parse(await readFile(`${home}/.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;

function collect(name: string, found: Set<string>): Set<string> {
  const chunk = chunks[name];
  if (!chunk) throw new Error(`The build has no ${name}.`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) collect(imported, found);
  return found;
}

async function sizeOf(parts: string[]): Promise<number> {
  const files = new Set<string>();
  for (const part of parts) collect(part, files);
  const sizes = [...files].map(
    async (file) => gzipSync(await readFile(`${home}/${file}`), { level: 9 }).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

for (const [path, parts, most] of screens) {
  const size = await sizeOf(parts);
  const isOver = most !== undefined && size > most;
  if (isOver) process.exitCode = 1;
  console.log(
    `${isOver ? '✗' : '✓'} ${path.padEnd(14)} ${size.toFixed(1).padStart(6)} kB${most ? ` of ${most}` : ''}`,
  );
}
