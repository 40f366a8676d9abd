import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { inLook } from '#wire/look.ts';
import { addTranslations, defineMessages, formatMessage, listOf } from '#wire/messages.ts';

const events = '{n, plural, =0 {No events} one {# event} other {# events}}';

test.each([
  ['Members', {}, 'Members'],
  ['Leave {club}?', { club: 'Harbour Rowers' }, 'Leave Harbour Rowers?'],
  ["{name}'s clubs", { name: 'Ada' }, "Ada's clubs"],
  [events, { n: 0 }, 'No events'],
  [events, { n: 1 }, '1 event'],
  [events, { n: 1200 }, '1,200 events'],
  [
    '{n, plural, one {{name} is} other {{name} and # others are}} going',
    { n: 3, name: 'Bob' },
    'Bob and 3 others are going',
  ],
  ['Item #1 of {n}', { n: 12_000 }, 'Item #1 of 12,000'],
])('message %j with %j: reads %j', (message, values, text) => {
  expect(formatMessage(message, values)).toBe(text);
});

test.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [11, '11th'],
  [22, '22nd'],
  [112, '112th'],
])('message: the ordinal of %i is %s', (n, text) => {
  expect(formatMessage('{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}', { n })).toBe(text);
});

test.each([
  ['admin', 'Ada is an admin'],
  ['member', 'Ada is a member'],
  ['unknown', 'Ada is in'],
])('message: selects the form for %s', (role, text) => {
  const message = '{name} is {role, select, admin {an admin} member {a member} other {in}}';
  expect(formatMessage(message, { name: 'Ada', role })).toBe(text);
});

test('messages: are in the language of the look, with its numbers, plurals and lists, and in English without a text [LANG-13]', () => {
  const t = defineMessages('test', {
    events: '{n, plural, one {# event} other {# events}}',
    members: 'Members',
  });
  addTranslations('de', { 'test.events': '{n, plural, one {# Termin} other {# Termine}}' });
  const texts = () => [
    t('events', { n: 1 }),
    t('events', { n: 1200 }),
    t('members'),
    listOf(['Ada', 'Bob', 'Cyd']),
    listOf(['a', 'b'], 'or'),
  ];
  expect(inLook({ language: 'de', clock: 'auto' }, texts)).toEqual([
    '1 Termin',
    '1.200 Termine',
    'Members',
    'Ada, Bob und Cyd',
    'a oder b',
  ]);
  expect(texts()).toEqual(['1 event', '1,200 events', 'Members', 'Ada, Bob and Cyd', 'a or b']);
});

test('message: isolates values that are written from right to left, and no others [LANG-17]', () => {
  const message = 'Moved: {before} → {after}';
  expect(formatMessage(message, { before: 'מועדון', after: 'نادي 7' })).toBe(
    'Moved: \u2068מועדון\u2069 → \u2068نادي 7\u2069',
  );
  expect(formatMessage(message, { before: 'Café', after: '跑步' })).toBe('Moved: Café → 跑步');
});

test('message: throws when a value is missing or a brace is not closed', () => {
  expect(() => formatMessage('Hi {name}', {})).toThrow('No value for {name}');
  expect(() => formatMessage('Hi {name', { name: 'Ada' })).toThrow('not closed');
});

const plain = (text: string) => text.replaceAll(/[{}]/g, '');

test('message: inserts any value as it is', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (before, value, after) => {
      expect(formatMessage(`${plain(before)}{value}${plain(after)}`, { value })).toBe(
        plain(before) + value + plain(after),
      );
    }),
  );
});

test('messages: the compiler demands the values of a message, and no others', () => {
  const t = defineMessages('test', {
    title: 'Members',
    leave: 'Leave {club}?',
    going: '{n, plural, one {time} other {{name} and # others}} of {all}',
    reason: '{reason, select, rain {Rain: {words}} other {{words} by {actor}.}} {club}',
  });
  expect(t('title')).toBe('Members');
  expect(t('leave', { club: 'Chess' })).toBe('Leave Chess?');
  expect(t('going', { n: 2, name: 'Ada', all: 7 })).toBe('Ada and 2 others of 7');
  // @ts-expect-error: unknown key
  expect(() => t('leaves')).toThrow();
  // @ts-expect-error: no values
  expect(() => t('leave')).toThrow();
  expectTypeOf<Parameters<typeof t<'going'>>[1]>().toEqualTypeOf<{
    n: string | number;
    name: string | number;
    all: string | number;
  }>();
  expectTypeOf<keyof Parameters<typeof t<'reason'>>[1]>().toEqualTypeOf<
    'reason' | 'words' | 'actor' | 'club'
  >();
});
