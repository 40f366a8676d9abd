import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  arrange,
  changesOf,
  foldedName,
  isFor,
  whyIsForNobody,
  withoutRemoved,
  type NamedSection,
} from './rules.ts';

const [tenor, bass, alto] = ['Tenor', 'Bass', 'Alto'].map((name) => ({ id: `id of ${name}`, name })) as [
  NamedSection,
  NamedSection,
  NamedSection,
];
const newId = () => 'new id';
const arranged = (request: Partial<Parameters<typeof arrange>[1]>) =>
  arrange([tenor, bass, alto], { sections: [], remove: [], ...request }, newId);

test('sections: are in the order that was sent, with new names, and those that are not sent stay behind [SECT-01]', () => {
  expect(
    arranged({ sections: [{ id: alto.id }, { name: 'Soprano' }, { id: tenor.id, name: 'Tenors' }] }),
  ).toEqual([alto, { id: 'new id', name: 'Soprano' }, { id: tenor.id, name: 'Tenors' }, bass]);
  expect(arranged({ remove: [tenor.id, alto.id] })).toEqual([bass]);
  expect(arranged({})).toEqual([tenor, bass, alto]);
});

test('sections: may swap their names, and take the name of one that is removed in the same request [SECT-01]', () => {
  const swapped = [
    { id: tenor.id, name: 'Bass' },
    { id: bass.id, name: 'Tenor' },
  ];
  expect(arranged({ sections: swapped })).toEqual([...swapped, alto]);
  expect(arranged({ sections: [{ name: 'ALTO' }], remove: [alto.id] })).toEqual([
    { id: 'new id', name: 'ALTO' },
    tenor,
    bass,
  ]);
});

test.each<[string, Partial<Parameters<typeof arrange>[1]>]>([
  ['an unknown section', { sections: [{ id: 'other' }] }],
  ['removing an unknown section', { remove: ['other'] }],
  ['a section twice', { sections: [{ id: tenor.id }, { id: tenor.id }] }],
  ['a section that is removed, too', { sections: [{ id: tenor.id }], remove: [tenor.id] }],
  ['the name of another section', { sections: [{ name: 'bAss' }] }],
  ['a name in two forms of Unicode', { sections: [{ name: 'Sextett Ｂ' }, { name: 'sextett b' }] }],
])('sections: %s is bad input [SECT-01]', (_, request) => {
  expect(arranged(request)).toBe('bad_input');
});

const boats = (count: number) => Array.from({ length: count }, (_, nth) => ({ name: `Boat ${nth}` }));

test('sections: thirty are possible, and one more is not [SECT-01]', () => {
  expect(arranged({ sections: boats(27) })).toHaveLength(30);
  expect(arranged({ sections: boats(28) })).toBe('too_many_sections');
  expect(arranged({ sections: boats(28), remove: [alto.id] })).toHaveLength(30);
});

test('sections: what changed is named without names [SECT-01 LOG-02]', () => {
  const before = [tenor, bass, alto];
  expect(changesOf(before, before)).toEqual([]);
  expect(changesOf(before, [...before, { id: 'new', name: 'Soprano' }])).toEqual(['added']);
  expect(changesOf(before, [{ ...tenor, name: 'Tenors' }, bass, alto])).toEqual(['renamed']);
  expect(changesOf(before, [bass, tenor, alto])).toEqual(['ordered']);
  expect(changesOf(before, [bass, alto])).toEqual(['removed']);
  expect(changesOf(before, [{ id: 'new', name: 'Soprano' }, alto, { ...bass, name: 'Basses' }])).toEqual([
    'added',
    'renamed',
    'ordered',
    'removed',
  ]);
});

test('names of sections: are compared without differences of case, and no other names are equal [SECT-01]', () => {
  expect(foldedName('Straße')).toBe(foldedName('STRASSE'));
  expect(foldedName('Chöre')).not.toBe(foldedName('Chore'));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(foldedName(name.toUpperCase())).toBe(foldedName(foldedName(name).toLowerCase().toUpperCase()));
    }),
  );
});

test.each([
  [[], [], true],
  [[], ['tenor'], true],
  [['tenor'], [], false],
  [['tenor', 'bass'], ['bass', 'alto'], true],
  [['tenor'], ['bass'], false],
])('is for: an event for %j is for a member of %j: %s [SECT-04]', (ofEvent, ofMember, expected) => {
  expect(isFor(ofEvent, ofMember)).toBe(expected);
});

test('removed sections: go with their numbers, and numbers stay for sections that the event is for [SECT-01 SECT-07]', () => {
  const needed = { all: 9, tenor: 2, bass: 1 };
  expect(withoutRemoved({ section_ids: ['tenor', 'bass'], needed }, ['bass', 'alto'])).toEqual({
    section_ids: ['bass'],
    needed: { all: 9, bass: 1 },
  });
  expect(withoutRemoved({ section_ids: [], needed }, ['tenor', 'bass'])).toEqual({ section_ids: [], needed });
  expect(withoutRemoved({ section_ids: ['bass'], needed }, ['tenor', 'bass']).needed).toEqual({
    all: 9,
    bass: 1,
  });
});

test.each([
  [['tenor'], { all: 1, tenor: 2 }, undefined],
  [[], { bass: 2 }, undefined],
  [['alto'], {}, 'bad_input'],
  [['tenor', 'tenor'], {}, 'bad_input'],
  [['tenor'], { bass: 2 }, 'bad_input'],
  [[], { other: 2 }, 'bad_input'],
])('sections and numbers: %j with %j gives %s [SECT-04 SECT-07]', (section_ids, needed, expected) => {
  expect(whyIsForNobody({ section_ids, needed: needed as Record<string, number> }, ['tenor', 'bass'])).toBe(
    expected,
  );
});
