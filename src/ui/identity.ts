/**
 * One grapheme that is a letter, a number or an emoji. A regular expression, because the oldest supported Firefox has no
 * `Intl.Segmenter`, and the server and all browsers have to agree on the initials.
 */
const letter = (() => {
  const emoji = String.raw`\p{ExtPict}[\p{M}\p{EMod}\u{e0020}-\u{e007f}]*`;
  // A virama joins the next letter to the one before it.
  const joined = String.raw`(?<=[\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d]\u200d?)\p{L}`;
  return new RegExp(
    String.raw`\p{RI}{2}|${emoji}(?:\u200d${emoji})*|[\p{L}\p{N}](?:[\p{M}\u200c\u200d]|${joined})*`,
    'u',
  );
})();

/** The first letters of the first and the last word that have one. Empty if the name has no letters. */
export function initials(name: string): string {
  const letters = name
    .normalize('NFC')
    .split(/\s+/)
    .flatMap((word) => letter.exec(word)?.[0] ?? []);
  const ends = letters.length > 1 ? [letters[0], letters.at(-1)] : letters;
  return ends.map((each = '') => upperCase(each)).join('');
}

/** In upper case, unless that is more than one letter, like 'SS' for 'ß'. */
function upperCase(text: string): string {
  const upper = text.toUpperCase();
  return upper.length === text.length ? upper : text;
}
