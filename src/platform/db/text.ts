import { sql, type RawBuilder } from 'kysely';

/**
 * A text without differences of case. The collation makes the result independent of the locale of the database, which may
 * know only ASCII.
 */
export const foldCase = (text: RawBuilder<unknown>): RawBuilder<string> =>
  sql`upper(${text} collate "und-x-icu")`;

/** The order of texts by code points, ignoring case: the same in every database. */
export const byText = (text: RawBuilder<unknown>): RawBuilder<string> => sql`${foldCase(text)} collate "C"`;

/** Whether a text contains every word, ignoring case. `strpos` needs no escaping: there are no wildcards. */
export const containsAll = (text: RawBuilder<unknown>, words: readonly string[]): RawBuilder<boolean> =>
  sql`not exists (
    select from unnest(${words}::text[]) as word where strpos(${foldCase(text)}, ${foldCase(sql`word`)}) = 0)`;
