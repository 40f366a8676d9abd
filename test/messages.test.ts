import { glob, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';

/** The attributes and properties whose texts people read. */
const readable =
  /^(title|text|label|placeholder|aria-label|alt|hint|description|caption|notSaved|(busy|confirm|cancel|close|copy)Label)$/;

interface Node {
  type?: string;
  name?: { name?: string };
  key?: { name?: string; value?: string };
  value?: Node | string;
}

/** The texts in a source file that are not in a catalogue. */
function textsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(textsIn);
  const { type, name, key, value } = node as Node;
  if (type?.startsWith('TS')) return [];
  if (type === 'JSXText') return wordsIn(value as string);
  const isReadable =
    (type === 'JSXAttribute' && readable.test(name?.name ?? '')) ||
    (type === 'Property' && readable.test(key?.name ?? key?.value ?? ''));
  if (isReadable && typeof value === 'object' && value.type === 'Literal')
    return wordsIn(String(value.value));
  return Object.values(node).flatMap(textsIn);
}

const wordsIn = (text: string) => (/[A-Za-z]{2}/.test(text) ? [text.trim()] : []);

const sources = async (pattern: string) =>
  Promise.all(
    (await Array.fromAsync(glob(pattern)))
      .filter((file) => !file.includes('.test.'))
      .map(async (file) => ({ file, source: await readFile(file, 'utf8') })),
  );

test('screens: show no text that is not in a catalogue', async () => {
  const found = (await sources('src/**/*.tsx')).flatMap(({ file, source }) =>
    textsIn(parseAst(source, { lang: 'tsx' })).map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

test('catalogues: every message is used, and no text occurs twice', async () => {
  const all = await sources('src/**/*.{ts,tsx}');
  for (const { file, source } of all.filter((each) => each.file.endsWith('messages.ts'))) {
    const messages = [...source.matchAll(/^ {2}(\w+):\s+(['"`].*['"`]),$/gm)].map(([, key, text]) => ({
      key,
      text,
    }));
    const users = all.filter(
      (each) =>
        each.source.includes(`'#${file.slice('src/'.length)}'`) ||
        (dirname(each.file) === dirname(file) && each.source.includes(`'./${basename(file)}'`)),
    );
    const used = users.map((each) => each.source).join('\n');
    expect(
      messages.filter(({ key }) => !used.includes(`'${key}'`)),
      file,
    ).toEqual([]);
    const texts = messages.map(({ text }) => text);
    expect(
      texts.filter((text, at) => texts.indexOf(text) < at),
      file,
    ).toEqual([]);
  }
});
