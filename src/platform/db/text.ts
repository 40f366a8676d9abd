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

/**
 * Whether a text in the form of `searchText` contains each of the `searchWords`. For one condition per word, the planner
 * assumes enough rows. For `like all`, it would assume that a single row matches, and scan other tables once per row.
 */
export const containsAll = (text: RawBuilder<unknown>, words: readonly string[]): RawBuilder<boolean> =>
  words.length === 0
    ? sql`true`
    : sql`(${sql.join(
        words.map((word) => sql`strpos(${text}, ${word}) > 0`),
        sql` and `,
      )})`;
