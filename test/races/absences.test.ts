import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { newSeries } from '#test/new-series.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, eachRound, manyPeople, rounds, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

const dayOf = (w: World, days: number) => addSeconds(w.now(), days * 86_400).slice(0, 10);
const away = (w: World, from: number, to: number) => ({ first_on: dayOf(w, from), last_on: dayOf(w, to) });

test(
  'two saves of absences at once, and a save against a move, a join and a standing answer: all succeed, and the answers follow [AWAY-07]',
  async () => {
    await using w = await world();
    const [ada, bob, cyd] = (await manyPeople(w, 3)) as [Person, Person, Person];
    for (const _ of eachRound) {
      const [club = ''] = await clubsOf(w, [ada], [bob], 1);
      for (const table of ['rate_limits', 'absences']) await run(w.db, sql`delete from ${sql.table(table)}`);
      const { id: event } = await w.event({ id: club, slug: club, club_name: 'Race' }, ada, {
        startsIn: 24 * 3,
      });
      const rule = { starts_on: dayOf(w, 1), weekdays: [new Date(dayOf(w, 1)).getUTCDay() || 7], count: 3 };
      const series = await ada.api.series.plan({ ...newSeries, club, ...rule });
      const { invite_link: invite } = await ada.api.invites.create({ club_id: club });
      const start = addSeconds(w.now(), 6 * 86_400);
      const outcomes = await Promise.all([
        outcomeOf(bob.api.absences.add(away(w, 0, 4))),
        outcomeOf(bob.api.absences.add(away(w, 5, 7))),
        outcomeOf(cyd.api.absences.add(away(w, 0, 30))),
        outcomeOf(cyd.api.invites.join({ invite })),
        outcomeOf(bob.api.series.standing({ series: series.id, answer: 'going' })),
        outcomeOf(
          ada.api.events.edit({
            event,
            club,
            start_time: start,
            end_time: addSeconds(start, 3600),
            announce: true,
          }),
        ),
      ]);
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      expect(await faultsIn(w, club)).toEqual([]);
      // A save answers the events of all clubs of a person.
      for (const { api } of [bob, cyd]) await api.members.leave({ club });
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

interface Found {
  event: string;
  person: string;
  day: string;
  waitlist: boolean;
  is_for: boolean;
  is_own: boolean;
  answer: string | null;
  via: string | null;
  standing: 'going' | 'no' | null;
  away: { first_on: string; last_on: string }[];
}

/** The answers that the rule allows, computed without the code of the product. Null stands for no answer. */
function allowed({ day, waitlist, is_for, answer, standing, away: absences }: Found): (string | null)[] {
  const isAway = absences.some(({ first_on, last_on }) => first_on <= day && day <= last_on);
  if (isAway) return is_for ? ['no by away'] : ['no by away', null];
  if (standing === null) return [null];
  if (!is_for) return standing === 'going' && answer !== 'no' ? [`${answer} by standing`, null] : [null];
  if (standing === 'no') return ['no by standing'];
  return ['going by standing', 'waiting by standing', ...(waitlist ? [] : [null])];
}

/** The given answers of a club that the rule does not allow. All its events are in UTC. */
async function faultsIn(w: World, club: string): Promise<string[]> {
  const found = await all(
    w.db,
    sql<Found>`
      select e.id as event, m.user_id as person, to_char(e.start_time, 'YYYY-MM-DD') as day, e.waitlist,
        e.section_ids = '{}' or e.section_ids && m.section_ids as is_for,
        a.host_no is not null or a.via in ('app', 'link', 'runner') as is_own, a.answer, a.via, s.answer as standing,
        coalesce((select json_agg(json_build_object('first_on', d.first_on, 'last_on', d.last_on))
          from absences d where d.user_id = m.user_id), '[]') as away
      from events e join members m on m.club_id = e.owner_club_id
      left join answers a on a.event_id = e.id and a.user_id = m.user_id
      left join standing_answers s on s.series_id = e.series_id and s.user_id = m.user_id
      where e.owner_club_id = ${club} and e.deleted_at is null and e.start_time > now()`,
  );
  return found
    .filter((row) => !row.is_own && !allowed(row).includes(row.answer && `${row.answer} by ${row.via}`))
    .map(
      (row) => `${row.answer} by ${row.via} instead of ${allowed(row).join(' or ')}: ${JSON.stringify(row)}`,
    );
}

/** Random numbers that are the same in each run with the same seed. */
function random(seed: number) {
  let state = seed;
  return (max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

/** What a member asked for: the waitlist gives seats by itself. */
const wish = (answer: string | null) => (answer === 'waiting' ? 'going' : answer);

const steps = Math.min(10_000, rounds * 100);

test(
  `given answers: after ${steps} random changes by twenty members each equals the rule computed anew, own answers stay, and no seat is given twice [AWAY-07 STAND-02]`,
  async () => {
    await using w = await world();
    const people = await manyPeople(w, 21);
    const [ada, ...members] = people as [Person, ...Person[]];
    const [club = ''] = await clubsOf(w, [ada], members, 1);
    const seed = Number(process.env['SEED'] ?? Date.now() % 100_000);
    const upTo = random(seed);
    const one = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
    const sections = (
      await ada.api.sections.save({ club, sections: [{ name: 'Tenor' }, { name: 'Bass' }] })
    ).map(({ id }) => id);
    const someSections = () => one([[], [], [sections[0] ?? ''], [sections[1] ?? ''], sections]);
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club });
    const rule = () => ({ starts_on: dayOf(w, 1 + upTo(7)), weekdays: [1 + upTo(7)], count: 6 });
    const series = await Promise.all(
      [{}, { capacity: 4 }, { capacity: 4, waitlist: false }, { section_ids: sections.slice(0, 1) }].map(
        async (more) => (await ada.api.series.plan({ ...newSeries, club, ...rule(), ...more })).id,
      ),
    );
    const { id: single } = await w.event({ id: club, slug: club, club_name: 'Race' }, ada, {
      startsIn: 24 * 5,
      capacity: 5,
    });
    const events = [single];
    for (const id of series)
      events.push(...(await ada.api.series.get({ series: id })).events.map((each) => each.id));
    /** The answers that people gave themselves, by event and person. */
    const own = new Map<string, string>();
    const changes: (() => Promise<unknown>)[] = [
      () => one(members).api.absences.add(away(w, upTo(30), 30 + upTo(10))),
      () => {
        const from = upTo(40);
        return one(members).api.absences.add(away(w, from, from + upTo(4)));
      },
      async () => {
        const { api } = one(members);
        const { id } = one(await api.absences.list({}));
        const from = upTo(40);
        await (upTo(2)
          ? api.absences.remove({ away: id })
          : api.absences.change({ away: id, ...away(w, from, from + 3) }));
      },
      async () => {
        const { api } = one(members);
        for (const { id } of await api.absences.list({})) await api.absences.remove({ away: id });
      },
      () =>
        one(members).api.series.standing({
          series: one(series),
          answer: one(['going', 'going', 'no', null]),
        }),
      async () => {
        const [{ api, id }, event, answer] = [
          one(members),
          one(events),
          one(['going', 'maybe', 'no'] as const),
        ];
        const saved = await api.answers.answer({ event, answer });
        own.set(`${event} ${id}`, wish(saved.my_answer) ?? '');
      },
      async () => {
        const [{ id: user }, event, answer] = [one(members), one(events), one(['maybe', 'no'] as const)];
        await ada.api.answers.answerFor({ event, user, answer });
        own.set(`${event} ${user}`, answer);
      },
      () => {
        const start = addSeconds(w.now(), (1 + upTo(40)) * 86_400);
        const times = { start_time: start, end_time: addSeconds(start, 3600) };
        return ada.api.events.edit({ event: one(events), club, ...times, announce: true });
      },
      () => ada.api.events.edit({ event: one(events), club, section_ids: someSections() }),
      () => ada.api.events.edit({ event: single, club, capacity: 5 + upTo(6) }),
      () =>
        ada.api.sections.changeMembers({
          club,
          section: one(sections),
          [one(['add', 'remove'])]: [one(members).id, one(members).id],
        }),
      async () => {
        const member = one(members);
        await member.api.members.leave({ club });
        for (const key of own.keys()) if (key.endsWith(member.id)) own.delete(key);
      },
      () => one(members).api.invites.join({ invite }),
      () => one(members).api.invites.join({ invite }),
    ];
    let succeeded = 0;
    for (let step = 1; step <= steps; step++) {
      if (step % 5 === 0) await run(w.db, sql`delete from rate_limits`);
      const outcome = await outcomeOf(one(changes)());
      expect([seed, step, outcome.startsWith('5')]).toEqual([seed, step, false]);
      if (outcome === 'ok') succeeded++;
      if (step % 50 > 0) continue;
      expect([seed, step, await faultsIn(w, club)]).toEqual([seed, step, []]);
      expect([seed, step, await broken(w)]).toEqual([seed, step, []]);
      const answers = await all(
        w.db,
        sql<{ key: string; answer: string }>`
          select a.event_id || ' ' || a.user_id as key, a.answer from answers a
          where a.via in ('app', 'link', 'runner') and a.host_no is null and a.event_id = any(${events}::uuid[])`,
      );
      const kept = answers.map(({ key, answer }) => [key, wish(answer) ?? '']);
      expect([seed, step, new Map(kept as [string, string][])]).toEqual([seed, step, own]);
    }
    expect(succeeded).toBeGreaterThan(steps / 3);
  },
  timeout + steps * 100,
);
