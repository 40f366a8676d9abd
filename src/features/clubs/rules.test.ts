import fc from 'fast-check';
import { expect, test } from 'vitest';
import { websiteFrom, websiteHref, websiteText } from '#features/clubs/rules.ts';

test.each([
  ['chess.example', 'https://chess.example'],
  ['https://chess.example/', 'https://chess.example'],
  ['http://chess.example', 'http://chess.example'],
  ['HTTPS://Chess.Example/Play?a=b#c', 'https://chess.example/Play?a=b#c'],
  ['chess.example:8080/play', 'https://chess.example:8080/play'],
  ['httpclub.example', 'https://httpclub.example'],
  ['bücher.example', 'https://xn--bcher-kva.example'],
])('the website %j is kept as %j', (typed, kept) => {
  expect(websiteFrom(typed)).toBe(kept);
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
])('%j is no website', (typed) => {
  expect(websiteFrom(typed)).toBeUndefined();
});

test('whatever is typed, what is kept is a web address and stays the same when it is saved again', () => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(fc.constantFrom('javascript:', 'data:', 'http:', 'https:', '//', '\\\\'), fc.string())
      .map((p) => p.join('')),
  );
  fc.assert(
    fc.property(typed, (text) => {
      const kept = websiteFrom(text);
      if (kept === undefined) return;
      expect(kept).toMatch(/^https?:\/\/[^/@]+/);
      expect(websiteFrom(kept)).toBe(kept);
      expect(websiteHref(kept)).toBe(kept);
    }),
  );
});

test('a link to a website without a scheme is a secure one [CLUB-18]', () => {
  expect(websiteHref('chess.example')).toBe('https://chess.example');
  expect(websiteHref('http://chess.example')).toBe('http://chess.example');
  expect(websiteHref('https://chess.example/play')).toBe('https://chess.example/play');
});

test('a website is shown without its scheme [CLUB-19]', () => {
  expect(websiteText('https://chess.example/play')).toBe('chess.example/play');
  expect(websiteText('http://chess.example')).toBe('chess.example');
  expect(websiteText('chess.example')).toBe('chess.example');
});
