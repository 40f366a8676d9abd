import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { singleLine, text } from '#wire/text.ts';

const name = singleLine(60);

/** Strings with many of the characters that the schemas handle. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200F\uFFFE\uFDD0\n\t\0'),
      fc.string({ unit: 'grapheme', maxLength: 2 }),
      fc.constantFrom('\u{1FFFE}', '\ud800'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

/** Whether the bidi controls are paired as in UAX #9. */
function isBalanced(value: string): boolean {
  const open: string[] = [];
  for (const character of value) {
    if (/[\u202A\u202B\u202D\u202E]/.test(character)) open.push('\u202C');
    else if (/[\u2066-\u2068]/.test(character)) open.push('\u2069');
    else if (/[\u202C\u2069]/.test(character) && open.pop() !== character) return false;
  }
  return open.length === 0;
}

describe('singleLine', () => {
  test.each(['a\nb', 'a\r\nb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\u001Bb', 'a\u007Fb'])(
    '%j is invalid',
    (value) => expect(name.safeParse(value).success).toBe(false),
  );

  test.each([
    ['  Ada \n', 'Ada'],
    ['Ada\tLovelace\v\fB', 'Ada Lovelace  B'],
    ['\tAda\v', 'Ada'],
    ['Ada\u202E', 'Ada'],
    ['\u202EadA', 'adA'],
    ['a\u2069b\u202Cc', 'abc'],
    ['\u2067עברית\u2069 x', '\u2067עברית\u2069 x'],
    ['\u202Bעברית\u202C x', '\u202Bעברית\u202C x'],
    ['\u2066a\u202Eb\u2069c', '\u2066ab\u2069c'],
    ['\u202Ea\u2066b\u202Cc\u2069d', 'a\u2066bc\u2069d'],
    ['a\uFFFEb\u{1FFFF}c\uFDD0', 'abc'],
    ['مرحبا\u200F!', 'مرحبا\u200F!'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('%j is normalised to %j', (value, read) => expect(name.parse(value)).toBe(read));

  test('output is one line with balanced bidi controls, without noncharacters, and idempotent', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const { data, success } = name.safeParse(value);
        if (!success) return;
        expect(data).not.toMatch(/[\p{Cc}\p{Noncharacter_Code_Point}\u2028\u2029]/u);
        expect(isBalanced(data)).toBe(true);
        expect(name.parse(data)).toBe(data);
      }),
      { numRuns: 2000 },
    );
  });

  test('min(1) applies after control characters are removed', () => {
    expect(name.min(1).safeParse('\u202E \uFFFE').success).toBe(false);
  });
});

test.each(['\u200B', '\u2060\uFEFF', '\u2800', '\u3164\uFFA0', '\u0301', '\u200F', '\uFFF9', '\u{E0041}'])(
  'texts: %j is invisible and therefore invalid [ROBUST-07]',
  (value) => {
    for (const schema of [name, text(60)]) {
      expect(schema.safeParse(value).error?.issues[0]?.message).toBe('has no visible character');
      expect(schema.parse(`${value}.`)).toContain('.');
    }
  },
);

test.each(['', '  ', '\n'])(
  'texts: %j is empty and therefore valid where a text may be empty [ROBUST-07]',
  (value) => {
    expect(text(60).parse(value)).toBe('');
  },
);

test('text: keeps line breaks and removes noncharacters', () => {
  expect(text(60).parse(' first\n\nsecond\uFFFF\ttab ')).toBe('first\n\nsecond\ttab');
});
