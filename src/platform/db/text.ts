import { sql, type RawBuilder } from 'kysely';

/**
 * A text without differences of case. The collation makes the result independent of the locale of the database, which may
 * know only ASCII.
 */
export const foldCase = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql`upper(${text} collate "und-x-icu")`;

/**
 * The alphabetical order of texts, ignoring case: 'Émile' stands beside 'Emil'. It is the order of Unicode, which English
 * and German share, in every database.
 */
export const byText = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql`${foldCase(text)} collate "und-x-icu"`;

/** Whether a text in the form of `searchText` contains each of the `searchWords`. */
export const containsAll = (text: RawBuilder<unknown>, words: readonly string[]): RawBuilder<boolean> =>
  sql`${text} like all (${words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`)}::text[])`;
