import { asJson, isoTimestamp, sql } from '#platform/db/client.ts';

/** Whether there are questions about an event. Most events have none. */
export const hasQuestions = (event: string) =>
  sql`exists (select from questions q where q.event_id = ${sql.ref(event)}.id)`;

interface Reader {
  viewer: string;
  runs: boolean;
}

/** The columns of a `Question`, from a row of `questions` and its author. Only runners read who asked. */
export function questionColumns(
  { question, author }: Record<'question' | 'author', string>,
  { viewer, runs }: Reader,
) {
  const [q, u] = [sql.ref(question), sql.ref(author)];
  return sql`
    ${q}.id, ${q}.question, ${isoTimestamp(`${question}.asked_at`)} as asked_at, ${q}.answer,
    ${isoTimestamp(`${question}.answered_at`)} as answered_at, ${q}.shared, ${q}.version,
    ${q}.author_id = ${viewer}::uuid as is_mine,
    case when ${runs}::boolean then json_build_object('first_name', ${u}.first_name, 'last_name', ${u}.last_name) end as author`;
}

/** The number of questions on the page of an event, and of open questions about it. */
export const maxQuestions = 50;

/** The questions about an event that a member may read, as JSON: open ones first, then the newest. Runners read all. */
export const questionsFor = (event: string, { viewer, runs }: Reader) =>
  asJson(sql`
    select ${questionColumns({ question: 'q', author: 'u' }, { viewer, runs })}
    from questions q join users u on u.id = q.author_id
    where q.event_id = ${sql.ref(event)}.id and (${runs}::boolean or q.author_id = ${viewer}::uuid or q.shared)
    order by q.answered_at is not null, q.asked_at desc, q.id limit ${sql.lit(maxQuestions)}`);
