import { expect, test } from 'vitest';
import { slugFrom } from './slug.ts';

test.each([
  ['Harbour Rowers', 'harbour-rowers'],
  ['  Über-Läufer & Co. ', 'uber-laufer-co'],
  ['Ｆｕｌｌ　ｗｉｄｔｈ', 'full-width'],
  ['Straßenläufer Łódź', 'strassenlaufer-lodz'],
  ['Ærø Sejlklub', 'aero-sejlklub'],
  ['日本', ''],
  ['../../etc/passwd', 'etc-passwd'],
  ['x'.repeat(60), 'x'.repeat(40)],
  [`${'x'.repeat(39)} y`, 'x'.repeat(39)],
])('slug: %s becomes "%s"', (name, slug) => {
  expect(slugFrom(name)).toBe(slug);
});
