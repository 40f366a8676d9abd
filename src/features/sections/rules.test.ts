import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrange, changesOf, foldedName, type NamedSection } from './rules.ts';

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
