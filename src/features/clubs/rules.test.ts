import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monthsBetween, websiteFrom, websiteHref, websiteText } from '#features/clubs/rules.ts';

test.each([
  ['chess.example', 'https://chess.example'],
  ['https://chess.example/', 'https://chess.example'],
  ['http://chess.example', 'http://chess.example'],
  ['HTTPS://Chess.Example/Play?a=b#c', 'https://chess.example/Play?a=b#c'],
  ['chess.example:8080/play', 'https://chess.example:8080/play'],
  ['httpclub.example', 'https://httpclub.example'],
  ['bücher.example', 'https://xn--bcher-kva.example'],
])('website: %j is stored as %j', (input, stored) => {
  expect(websiteFrom(input)).toBe(stored);
});

test.each([
  'javascript:',
  'javascript:alert(1)',
  '\tjava\nscript:',
  '\tjava\nscript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:',
  'data:text/html,<script>alert(1)</script>',
  'http:javascript',
  'httpx:',
  'httpx://chess.example',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://chess.example',
  'https://bank.example@evil.example',
  'https://user:word@evil.example',
  'localhost',
  'https://',
  ' ',
  'a b',
])('website: rejects %j [T24]', (input) => {
  expect(websiteFrom(input)).toBeUndefined();
});

test('website: any accepted input is normalised to a web URL, idempotently [T24]', () => {
  const inputs = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(fc.constantFrom('javascript:', 'data:', 'http:', 'https:', '//', '\\\\'), fc.string())
      .map((p) => p.join('')),
  );
  fc.assert(
    fc.property(inputs, (text) => {
      const stored = websiteFrom(text);
      if (stored === undefined) return;
      expect(stored).toMatch(/^https?:\/\/[^/@]+/);
      expect(websiteFrom(stored)).toBe(stored);
      expect(websiteHref(stored)).toBe(stored);
    }),
  );
});

test('websiteHref: adds https when the scheme is missing [CLUB-18]', () => {
  expect(websiteHref('chess.example')).toBe('https://chess.example');
  expect(websiteHref('http://chess.example')).toBe('http://chess.example');
  expect(websiteHref('https://chess.example/play')).toBe('https://chess.example/play');
});

test('websiteText: omits the scheme [CLUB-19]', () => {
  expect(websiteText('https://chess.example/play')).toBe('chess.example/play');
  expect(websiteText('http://chess.example')).toBe('chess.example');
  expect(websiteText('chess.example')).toBe('chess.example');
});

test('monthsBetween: contains both ends, over the end of a year [CLUBUX-03]', () => {
  expect(monthsBetween('2026-11', '2027-02')).toEqual(['2026-11', '2026-12', '2027-01', '2027-02']);
  expect(monthsBetween('2026-11', '2026-11')).toEqual(['2026-11']);
});
