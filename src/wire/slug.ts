/** Letters that Unicode does not take apart into an ASCII letter and a mark. */
const whole: Record<string, string> = {
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

/** The readable part of a name: ASCII letters and digits with single hyphens, 40 characters at most; may be empty. */
export function slugFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđðþłħı]/g, (mail) => whole[mail] ?? '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 40).replaceAll(/^-+|-+$/g, '');
}
