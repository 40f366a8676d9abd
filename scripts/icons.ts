// Renders the PNG icons for phones and browsers from the SVG icon of the web app.
import { mkdir, readFile } from 'node:fs/promises';
import sharp from 'sharp';

const folder = 'src/app/web/public';
const icon = await readFile(`${folder}/icon.svg`, 'utf8');
// Platforms that crop icons get square corners, and a margin for maskable icons.
const square = icon.replace('rx="9"', '');
const maskable = square
  .replace('viewBox="0 0 32 32"', 'viewBox="-5 -5 42 42"')
  .replace('<rect width="32" height="32"', '<rect x="-5" y="-5" width="42" height="42"');

const icons: [name: string, size: number, source: string][] = [
  ['icon-192', 192, icon],
  ['icon-512', 512, icon],
  ['maskable-512', 512, maskable],
  ['apple-touch-180', 180, square],
];

await mkdir(`${folder}/icons`, { recursive: true });
for (const [name, size, source] of icons) {
  const rendered = sharp(Buffer.from(source), { density: (72 * size) / 32 }).resize(size, size);
  await rendered.png({ palette: true }).toFile(`${folder}/icons/${name}.png`);
}
