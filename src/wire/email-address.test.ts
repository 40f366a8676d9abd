import { expect, test } from 'vitest';
import { Email } from '#wire/text.ts';

test.each([
  ['Ada@Example.ORG', 'ada@example.org'],
  ['anna@müller.de', 'anna@xn--mller-kva.de'],
  ['anna@mu\u0308ller.de', 'anna@xn--mller-kva.de'],
  ['anna@MÜLLER.de', 'anna@xn--mller-kva.de'],
  ['anna@XN--mller-KVA.de', 'anna@xn--mller-kva.de'],
  ['anna@straße.de', 'anna@xn--strae-oqa.de'],
  ['anna@例え.テスト', 'anna@xn--r8jz45g.xn--zckzah'],
  ['anna@例え。テスト', 'anna@xn--r8jz45g.xn--zckzah'],
  ["o'brien!#$%&*+-/=?^_`{|}~@example.org", "o'brien!#$%&*+-/=?^_`{|}~@example.org"],
  ['a/b.c=d@example.org', 'a/b.c=d@example.org'],
])('email: %s is the address %s [ROBUST-12]', (address, canonical) => {
  expect(Email.parse(address)).toBe(canonical);
  expect(Email.parse(canonical)).toBe(canonical);
});

test.each([
  '',
  'ada',
  '@example.org',
  'ada@example',
  'ada@',
  '.ada@example.org',
  'ada.@example.org',
  'a..da@example.org',
  '"ada lee"@example.org',
  'ada lee@example.org',
  'ada@exam ple.org',
  'ada@bob@example.org',
  'ada@example.org,bob@example.org',
  'ada@example.org\r\nBcc: eve@example.org',
  'ada@[127.0.0.1]',
  'ada@１２７.0.0.1',
  'ada@example.org/ä',
  'ada@ä:80',
  'jürgen@example.org',
  '\u212Aim@example.org',
])('email: %j is invalid [ROBUST-12]', (address) => {
  expect(Email.safeParse(address).success).toBe(false);
});

test('email: longer than 254 characters, also in ASCII only, is invalid [ROBUST-12]', () => {
  expect(Email.safeParse(`ada@${'muller.'.repeat(20)}de`).success).toBe(true);
  expect(Email.safeParse(`ada@${'müller.'.repeat(20)}de`).success).toBe(false);
});
