import { all, sql, type Db } from '#platform/db/client.ts';

/** A question as notices quote it. */
export interface QuotedQuestion {
  id: string;
  author_id: string;
  first_name: string;
  last_name: string;
  question: string;
  answer: string;
}

/** Those of these questions that still exist, by their id. */
export async function quoted(db: Db, ids: readonly string[]): Promise<Map<string, QuotedQuestion>> {
  const rows = await all(
    db,
    sql<QuotedQuestion>`
      select q.id, q.author_id, u.first_name, u.last_name, q.question, q.answer
      from questions q join users u on u.id = q.author_id where q.id = any(${ids}::uuid[]) order by q.asked_at, q.id`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
