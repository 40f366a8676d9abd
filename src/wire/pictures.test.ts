import { expect, test } from 'vitest';
import { fileName, filesOf, pictureOf, sourceSet, sourcesOf, pictureUrl } from '#wire/pictures.ts';

const name = 'AbCdEfGhIjKlMnOpQrSt-_';

test('pictureOf: accepts file names of pictures only', () => {
  for (const file of filesOf(name)) expect(pictureOf(file)).toBe(name);
  const others = [name, `${name}-100.webp`, `${name}-96.png`, `/${name}-96.webp`, `${name}x-96.webp`, ''];
  for (const other of others) expect(pictureOf(other)).toBeUndefined();
});

test('filesOf: includes every size of the source set', () => {
  for (const kind of ['person', 'avatar', 'banner'] as const)
    for (const [, width] of (sourceSet(pictureUrl(name, kind), kind) ?? '').matchAll(/ (\d+)w/g))
      expect(filesOf(name)).toContain(fileName(name, Number(width)));
});

test('sourceSet: lists the sizes of stored pictures only', () => {
  expect(sourceSet(`/api/v1/media/${name}-1600.webp`, 'banner')).toBe(
    `/api/v1/media/${name}-800.webp 800w, /api/v1/media/${name}-1600.webp 1600w`,
  );
  expect(sourceSet(null, 'person')).toBeUndefined();
  expect(sourceSet('https://elsewhere.example/a-96.webp', 'person')).toBeUndefined();
});

test.each([
  [1600, 900, '800w', '1600w'],
  [900, 1600, '450w', '900w'],
  [300, 200, '300w', '300w'],
])('sourcesOf: names the widths of a picture of %i by %i pixels', (width, height, small, large) => {
  expect(sourcesOf({ name, width, height })).toEqual({
    src: `/api/v1/media/${name}-1600.webp`,
    srcSet: `/api/v1/media/${name}-800.webp ${small}, /api/v1/media/${name}-1600.webp ${large}`,
  });
});
