/** Splits a text that a user wrote into its paragraphs. */
export const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n+/)
    .map((line) => line.trim())
    .filter(Boolean);

/** The text on one line, cut to `max` characters. */
export function brief(text: string, max: number): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()];
  return characters.length > max
    ? `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}
