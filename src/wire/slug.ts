/** Characters that NFKD does not decompose into an ASCII base character. */
const transliterations: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
};

/** The slug of a name: `a-z`, `0-9` and single hyphens, at most 40 characters. May be empty. */
export function slugFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđðþłħı]/g, (character) => transliterations[character] ?? '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 40).replaceAll(/^-+|-+$/g, '');
}
