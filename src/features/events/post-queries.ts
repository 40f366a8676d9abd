import { asJson, isoTimestamp, sql } from '#platform/db/client.ts';
import type { Answer } from '#features/events/choice-contract.ts';

/**
 * The columns of an `Update`, from a row of `posts` and its creator, if any. They are not in `updates/`, because events
 * are read together with the messages about them.
 */
export function postColumns({ post, creator }: Record<'post' | 'creator', string>) {
  const [p, u] = [sql.ref(post), sql.ref(creator)];
  return sql`
    ${p}.id, ${p}.content, ${isoTimestamp(`${post}.created_at`)} as created_at,
    ${isoTimestamp(`${post}.edited_at`)} as edited_at, ${p}.version, ${p}.creator_id, ${p}.important,
    ${u}.first_name as creator_first_name, ${u}.last_name as creator_last_name,
    coalesce((
      select json_agg(json_build_object('name', f.name, 'width', f.width, 'height', f.height) order by f.position)
      from pictures f where f.update_id = ${p}.id), '[]') as pictures`;
}

/** The number of messages on the page of an event. */
const maxMessages = 20;

/** Whether there are messages about an event. Most events have none. */
export const hasMessages = (event: string) =>
  sql`exists (select from posts p where p.event_id = ${sql.ref(event)}.id)`;

interface Reader {
  viewer: string;
  runs: boolean;
  my_answer: Answer | null;
  is_for_me: boolean;
}

/**
 * The newest messages about an event that a member may read, as JSON: those to members with the same answer, and their
 * own. Runners read all. Only runners and the author read to whom a message is.
 */
export function messagesFor(event: string, { viewer, runs, my_answer, is_for_me }: Reader) {
  const isMine = sql`${runs}::boolean or p.creator_id = ${viewer}::uuid`;
  return asJson(sql`
    select ${postColumns({ post: 'p', creator: 'u' })}, case when ${isMine} then p.audience end as "to"
    from posts p left join users u on u.id = p.creator_id
    where p.event_id = ${sql.ref(event)}.id and (${isMine} or ${my_answer ?? (is_for_me ? 'silent' : null)}::text = any(p.audience))
    order by p.created_at desc, p.id limit ${sql.lit(maxMessages)}`);
}
