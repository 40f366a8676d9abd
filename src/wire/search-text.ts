/** Letters that have no decomposition into a base letter and a mark, in upper case. */
const plainLetters: Record<string, string> = {
  Æ: 'AE',
  Œ: 'OE',
  Ø: 'O',
  Đ: 'D',
  Ð: 'D',
  Þ: 'TH',
  Ł: 'L',
  Ħ: 'H',
  Ŧ: 'T',
  ẞ: 'SS',
};

/**
 * The form of a text in which searches compare it: without differences of case, accents, width, apostrophes and hyphens.
 * Upper case, because that also turns `ß` into `SS`. Stored beside the text, so a change of this function needs a
 * migration that sets the stored values to null.
 */
export const searchText = (text: string): string =>
  text
    // NFKD would turn an acute accent that stands alone, which some type as an apostrophe, into a space.
    .normalize('NFC')
    .replaceAll('´', "'")
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[‘’‛`ʼ′]/g, "'")
    .toUpperCase()
    .replaceAll(/[ÆŒØĐÐÞŁĦŦẞ]/g, (letter) => plainLetters[letter] as string)
    .replaceAll(/[\p{Dash_Punctuation}\u2212]/gu, ' ');

/** The words of a search, all of which a text must contain. */
export const searchWords = (q: string): string[] => searchText(q).split(/\s+/).filter(Boolean);
