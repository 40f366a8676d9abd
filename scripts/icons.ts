// Renders the icons for phones and browsers from the SVG icon of the web app.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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

const render = (source: string, size: number) =>
  sharp(Buffer.from(source), { density: (72 * size) / 32 })
    .resize(size, size)
    .png({ palette: true });

await mkdir(`${folder}/icons`, { recursive: true });
for (const [name, size, source] of icons) await render(source, size).toFile(`${folder}/icons/${name}.png`);
await writeFile(`${folder}/favicon.ico`, icoOf(await render(icon, 32).toBuffer(), 32));

/** A Windows icon file that contains one PNG: a header of six bytes, an entry of sixteen, and the picture. */
function icoOf(picture: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // The type: icon.
  head.writeUInt16LE(1, 4); // The number of pictures.
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10); // Colour planes.
  head.writeUInt16LE(32, 12); // Bits per pixel.
  head.writeUInt32LE(picture.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, picture]);
}
