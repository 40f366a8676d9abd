import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkify } from './linkify.ts';

const links = (text: string) =>
  linkify(text).flatMap(({ text: shown, href }) => (href ? [[shown, href]] : []));
const same = (...found: string[]) => found.map((address) => [address, address]);

test.each([
  ['See https://a.example/x?y=1#z now', same('https://a.example/x?y=1#z')],
  ['http://a.example', same('http://a.example')],
  ['Two: https://a.example, https://b.example.', same('https://a.example', 'https://b.example')],
  ['(https://a.example/x)', same('https://a.example/x')],
  ['https://a.example/Boat_(song)', same('https://a.example/Boat_(song)')],
  ['(see https://a.example/Boat_(song))', same('https://a.example/Boat_(song)')],
  ['“https://a.example”!', same('https://a.example')],
  ['line\nhttps://a.example/\nline', same('https://a.example/')],
  ['Mail ada@club.example.', [['ada@club.example', 'mailto:ada@club.example']]],
  ['mailto:ada@club.example?', same('mailto:ada@club.example')],
  ['HTTPS://A.example', same('HTTPS://A.example')],
])('linkify: finds the addresses in %j [UX-12]', (text, expected) => {
  expect(links(text)).toEqual(expected);
});

test.each([
  'javascript:alert(1)',
  'javascript://a.example/%0aalert(1)',
  'data:text/html,<b>x</b>',
  'data:https://a.example',
  'xhttps://a.example',
  'wordhttp://a.example',
  'https://',
  'http:// a',
  'a@b',
  '@ada',
  'ftp://a.example',
])('linkify: leaves %j as text [UX-12]', (text) => {
  expect(links(text)).toEqual([]);
});

test('linkify: joining the parts gives the text, and every link is http, https or mailto [UX-12]', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'https://',
      'http://',
      'mailto:',
      'javascript:',
      'data:',
      '@',
      '.',
      '(',
      ')',
      '<a href="',
      '">',
      ' ',
      '\n',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const parts = linkify(text);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      for (const { text: shown, href = 'mailto:' } of parts) {
        expect(shown).not.toBe('');
        expect(href).toMatch(/^(https?:\/\/|mailto:)/i);
        expect(href).not.toMatch(/[\s<>"]/);
      }
    }),
    { numRuns: 2000 },
  );
});
