import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { answerToken } from '#features/events/mail.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, eventsOf, manyPeople, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

let w: World;
let people: [Person, Person];
beforeAll(async () => {
  w = await world();
  people = (await manyPeople(w, 2)) as [Person, Person];
});
afterAll(() => w[Symbol.asyncDispose]());

const pause = () => sleep(Math.random() * 8);

async function tokenOf({ id: user_id }: Person, event_id: string): Promise<string> {
  const row = await first(
    w.db,
    sql<{ answer_key: string }>`
      select m.answer_key from members m join events e on e.owner_club_id = m.club_id
      where e.id = ${event_id} and m.user_id = ${user_id}`,
  );
  return answerToken(w.config, { user_id, event_id, answer_key: row?.answer_key ?? '' });
}

const answer = (token: string) => outcomeOf(w.anyone.answers.answerByLink({ token, answer: 'going' }));

/** The rounds of a race, each with a club, an event of it and the second person's token. */
async function* roundsOf() {
  const [host, member] = people;
  const clubs = await clubsOf(w, [host], [member]);
  const events = await eventsOf(w, clubs, host);
  for (const [nth, event] of events.entries())
    yield { event, club: clubs[nth] as string, token: await tokenOf(member, event), isOdd: nth % 2 === 1 };
}

test(
  'answer link: twenty concurrent answers leave one row and one email',
  async () => {
    for await (const { event, token } of roundsOf()) {
      await run(w.db, sql`delete from rate_limits`);
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => answer(token)));
      expect(outcomes.toSorted()).toEqual([
        ...Array.from({ length: 10 }, () => '429 too_often'),
        ...Array.from({ length: 10 }, () => 'ok'),
      ]);
      const rows = sql`select answer, via from answers where event_id = ${event} and user_id = ${people[1].id}`;
      expect(await all(w.db, rows)).toEqual([{ answer: 'going', via: 'link' }]);
      const mails = sql`select from notice_emails where facts ->> 'event_id' = ${event} and kind = 'attending'`;
      expect(await all(w.db, mails)).toHaveLength(1);
    }
  },
  timeout,
);

test.each([
  ['leaving the club', (club: string) => people[1].api.members.leave({ club })],
  ['an ejection', (club: string) => people[0].api.members.eject({ club, member: people[1].id })],
])(
  'answer link: an answer given concurrently with %s is refused or removed',
  async (_what, end) => {
    for await (const { club, token, isOdd } of roundsOf()) {
      const [answered, ended] = await Promise.all([
        (isOdd ? pause() : Promise.resolve()).then(() => answer(token)),
        (isOdd ? Promise.resolve() : pause()).then(() => outcomeOf(end(club))),
      ]);
      expect(['ok', '404 not_found']).toContain(answered);
      expect(ended).toBe('ok');
      expect(await answer(token)).toBe('404 not_found');
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);
