import { all, sql, type Db } from '#platform/db/client.ts';
import type { Recipient } from '#platform/notices/notice.ts';
import { going, hashOfNote } from '#features/events/answer-queries.ts';
import type { StateOfAnswer } from '#features/events/answers/rules.ts';

/** The current answer of a member, whose note is a hash. */
export interface AnswerNow extends StateOfAnswer {
  event_id: string;
  user_id: string;
  first_name: string;
  last_name: string;
  via: string;
}

/** The current answers of members to events, by name. Leaves out members without an answer, and former members. */
export const answersNow = (
  db: Db,
  asked: readonly { event_id: string; user_id: string }[],
): Promise<AnswerNow[]> =>
  all(
    db,
    sql<AnswerNow>`
      select distinct a.event_id, a.user_id, u.first_name, u.last_name, a.answer, a.guests,
        ${hashOfNote({ answer: 'a', member: 'm' })} as note, a.via
      from unnest(${asked.map(({ event_id }) => event_id)}::uuid[], ${asked.map(({ user_id }) => user_id)}::uuid[])
        as asked (event_id, user_id)
      join answers a on a.event_id = asked.event_id and a.user_id = asked.user_id
      join events e on e.id = a.event_id join members m on m.club_id = e.owner_club_id and m.user_id = a.user_id
      join users u on u.id = a.user_id order by u.first_name, u.last_name, a.user_id`,
  );

/** How many members gave each answer to an event, and how many guests those who are going bring. */
export interface CountsOfAnswers {
  going: number;
  guests: number;
  maybe: number;
  no: number;
}

export async function countsOfAnswers(
  db: Db,
  recipients: readonly Pick<Recipient<{ event_id: string }>, 'facts'>[],
): Promise<Map<string, CountsOfAnswers>> {
  const rows = await all(
    db,
    sql<CountsOfAnswers & { event_id: string }>`
      select e.id as event_id, (select count(*)::int from ${going} a where a.event_id = e.id) as going,
        (select coalesce(sum(guests), 0)::int from ${going} a where a.event_id = e.id) as guests,
        (select count(*)::int from answers a where a.event_id = e.id and a.answer = 'maybe') as maybe,
        (select count(*)::int from answers a where a.event_id = e.id and a.answer = 'no') as no
      from events e where e.id = any(${recipients.map(({ facts }) => facts.event_id)}::uuid[])`,
  );
  return new Map(rows.map(({ event_id, ...counts }) => [event_id, counts]));
}

/** An answer with its note, and the hash of the note. */
export interface LateAnswer extends StateOfAnswer {
  event_id: string;
  note_hash: string;
}
