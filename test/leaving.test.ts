import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { codeFor } from '#test/races/people.ts';
import { newSeries } from '#test/new-series.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());
beforeEach(async () => {
  [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
  club = await w.club([ada, bob, cyd]);
});

/** Describes each answer, standing answer, vote and claim that is stored for a user. */
const storedBy = async ({ id }: Person) =>
  (
    await all(
      w.db,
      sql<{ stored: string }>`
        select 'answer to ' || e.name as stored from answers a join events e on e.id = a.event_id where user_id = ${id}
        union all select 'standing answer' from standing_answers where user_id = ${id}
        union all select 'vote' from time_votes where user_id = ${id}
        union all select 'claim' from slot_claims where user_id = ${id} order by 1`,
    )
  ).map(({ stored }) => stored);

const ways: [string, () => Promise<unknown>, left: string[]][] = [
  ['leaves', () => bob.api.members.leave({ club: club.slug }), ['answer to Past']],
  ['is removed', () => ada.api.members.eject({ club: club.slug, member: bob.id }), ['answer to Past']],
  [
    'deletes the account',
    async () =>
      bob.api.account.remove({ code: await codeFor(w, bob.email, 'ABCDEF', 'deletion'), choices: [] }),
    [],
  ],
];

test.each(ways)(
  'a member who %s has no answers, votes or claims left on events that have not ended, and the waitlist gets the seat [ANSWER-19]',
  async (_, go, left) => {
    const past = await w.event(club, ada, { name: 'Past' });
    const full = await w.event(club, ada, { name: 'Full', capacity: 2 });
    const poll = await w.poll(club, ada);
    const series = await ada.api.series.plan({
      ...newSeries,
      club: club.id,
      starts_on: addSeconds(w.now(), 86_400).slice(0, 10),
      count: 1,
    });
    for (const { id } of [past, full]) await bob.api.answers.attend({ event: id });
    await cyd.api.answers.attend({ event: full.id });
    await bob.api.series.standing({ series: series.id, answer: 'going' });
    await bob.api.polls.vote({ event: poll.id, votes: poll.times.map((time) => ({ time, vote: 'yes' })) });
    const { slots } = await ada.api.slots.create({
      event: full.id,
      kind: 'bring',
      title: 'Salad',
      places: 2,
    });
    await bob.api.slots.claim({ slot: slots[0]?.id ?? '' });
    await run(
      w.db,
      sql`update events set start_time = start_time - interval '9 days', end_time = end_time - interval '9 days',
            entry_until_time = entry_until_time - interval '9 days' where id = ${past.id}`,
    );
    expect(new Set(await storedBy(bob))).toEqual(
      new Set([
        'answer to Full',
        'answer to Past',
        `answer to ${newSeries.name}`,
        'claim',
        'standing answer',
        'vote',
      ]),
    );
    await go();
    expect(await storedBy(bob)).toEqual(left);
    expect((await cyd.api.events.get({ event: full.id })).my_answer).toBe('going');
  },
);
