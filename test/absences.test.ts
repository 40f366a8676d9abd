import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { outcomeOf } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
});
beforeEach(async () => {
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
});
afterAll(() => w[Symbol.asyncDispose]());

/** The day of this many days from now, in UTC. */
const day = (days: number) => addSeconds(w.now(), days * 86_400).slice(0, 10);
const away = (from: number, to = from) => ({ first_on: day(from), last_on: day(to) });
const planned = async (days: number, input: Parameters<World['event']>[2] = {}) =>
  (await w.event(club, ada, { startsIn: 24 * days, ...input })).id;
const answer = ({ api }: Person, event: string, to: 'going' | 'maybe' | 'no') =>
  api.answers.answer({ event, answer: to });
const weekdayOf = (on: string) => new Date(on).getUTCDay() || 7;
/** The answer of a person to an event, and how it was given. */
async function answered({ id }: Person, event: string): Promise<string> {
  const [row] = await all(
    w.db,
    sql<{ answer: string; via: string }>`
      select answer, via from answers where event_id = ${event} and user_id = ${id}`,
  );
  return row ? `${row.answer} by ${row.via}` : 'none';
}
async function series(input: object = {}): Promise<{ id: string; dates: string[] }> {
  const rule = { freq: 'weekly' as const, weekdays: [weekdayOf(day(1))], starts_on: day(1) };
  const { id } = await ada.api.series.plan({ ...newSeries, club: club.id, ...rule, ...input });
  return { id, dates: (await bob.api.series.get({ series: id })).events.map((event) => event.id) };
}
const standing = ({ api }: Person, { id }: { id: string }, to: 'going' | 'no' | null) =>
  api.series.standing({ series: id, answer: to });
const join = async (person: Person, { id }: ClubHandle) => {
  const { invite_link: invite } = await ada.api.invites.create({ club_id: id });
  await person.api.invites.join({ invite });
};

describe('saving an absence', () => {
  test("answers can't go to the coming events of all clubs on its days that have no own answer, and says how many [AWAY-01]", async () => {
    const other = await w.club([ada, bob], 'Hill Walkers');
    const [before, inside, inOther, later] = [
      await planned(1),
      await planned(3),
      (await w.event(other, ada, { startsIn: 24 * 4 })).id,
      await planned(6),
    ];
    const saved = await bob.api.absences.add(away(3, 5));
    expect(saved).toEqual({ away: { id: expect.any(String), ...away(3, 5) }, answered: 2, going: [] });
    expect(await Promise.all([before, inside, inOther, later].map((event) => answered(bob, event)))).toEqual([
      'none',
      'no by away',
      'no by away',
      'none',
    ]);
    expect((await bob.api.events.get({ event: inside })).away_until).toBe(day(5));
    expect((await ada.api.events.get({ event: inside })).away_until).toBeNull();
  });

  test('reads its days in the time zone of each event [AWAY-01]', async () => {
    const on = day(4);
    const times = { start_time: `${on}T20:00:00.000Z`, end_time: `${on}T21:00:00.000Z` };
    const lateInTokyo = await ada.api.events.create({
      club: club.id,
      name: 'Tokyo run',
      location_name: 'Pier',
      ...times,
      time_zone: 'Asia/Tokyo',
    });
    const inUtc = await ada.api.events.create({
      club: club.id,
      name: 'Run',
      location_name: 'Pier',
      ...times,
      time_zone: 'UTC',
    });
    await bob.api.absences.add(away(5));
    expect(await answered(bob, lateInTokyo.id)).toBe('no by away');
    expect(await answered(bob, inUtc.id)).toBe('none');
  });

  test('leaves out polls, cancelled and past events, events for other sections and clubs that one has left [AWAY-01]', async () => {
    const [tenor] = await ada.api.sections.save({ club: club.id, sections: [{ name: 'Tenor' }] });
    const forTenors = await planned(3, { section_ids: [tenor?.id ?? ''] });
    const poll = await w.poll(club, ada, { at: [72, 73] });
    const cancelled = await planned(3);
    await ada.api.events.cancel({ event: cancelled });
    expect((await bob.api.absences.add(away(0, 9))).answered).toBe(0);
    for (const event of [forTenors, poll.id, cancelled]) expect(await answered(bob, event)).toBe('none');
  });

  test('never changes answers by app, by link, by a runner and of hosts, and lists the events that one said going to [AWAY-02]', async () => {
    const [going, maybe, byRunner, hosted] = [
      await planned(3),
      await planned(3),
      await planned(4),
      await planned(5),
    ];
    await answer(bob, going, 'going');
    await answer(bob, maybe, 'maybe');
    await ada.api.answers.answerFor({ event: byRunner, user: bob.id, answer: 'going' });
    await ada.api.hosts.add({ event: hosted, user: bob.id });
    const saved = await bob.api.absences.add(away(2, 6));
    expect(saved.answered).toBe(0);
    expect(saved.going.map(({ is_host }) => is_host)).toEqual([false, false, true]);
    expect(saved.going[0]).toMatchObject({ club_name: 'Harbour Rowers', time_zone: 'UTC' });
    expect(await Promise.all([going, maybe, byRunner, hosted].map((event) => answered(bob, event)))).toEqual([
      'going by app',
      'maybe by app',
      'going by runner',
      'going by app',
    ]);
  });

  test('gives no notice to the member, and withdraws the calendar file of an event that a standing answer had answered [AWAY-01 ANSWER-23]', async () => {
    const run1 = await series();
    await standing(bob, run1, 'going');
    const [first = ''] = run1.dates;
    await run(
      w.db,
      sql`insert into calendar_files (user_id, event_id, setting) values (${bob.id}, ${first}, 'always')`,
    );
    await run(w.db, sql`delete from notices`);
    await run(w.db, sql`delete from notice_emails`);
    await bob.api.absences.add(away(1));
    expect(await answered(bob, first)).toBe('no by away');
    expect(await bob.api.notifications.list({})).toEqual([]);
    const emails = await all(
      w.db,
      sql<{ kind: string }>`select kind from notice_emails where user_id = ${bob.id}`,
    );
    expect(emails).toEqual([{ kind: 'unattended' }]);
  });

  test('tells the hosts about an event that starts within a day [LATE-01 AWAY-01]', async () => {
    const soon = addSeconds(w.now(), 3 * 3600);
    const on = soon.slice(0, 10);
    const time = { starts_on: on, weekdays: [weekdayOf(on)], local_time: soon.slice(11, 16) };
    const { id, dates } = await series(time);
    await standing(bob, { id }, 'going');
    await bob.api.absences.add(away(0, 20));
    expect(await answered(bob, dates[0] ?? '')).toBe('no by away');
    const notices = (await ada.api.notifications.list({})).filter(({ message }) =>
      message.includes("can't come"),
    );
    expect(notices).toHaveLength(1);
  });

  test('is answered in each club by a job, if the process ends before it is [AWAY-01]', async () => {
    const event = await planned(3);
    await run(
      w.db,
      sql`insert into absences (id, user_id, first_on, last_on) values (gen_random_uuid(), ${bob.id}, ${day(3)}, ${day(3)})`,
    );
    await run(w.db, sql`select enqueue_job('answer_absence', jsonb_build_object('user', ${bob.id}::text))`);
    await expect.poll(() => answered(bob, event), { timeout: 10_000 }).toBe('no by away');
  });
});

describe('an absence', () => {
  test('answers events and dates that are made later, also against a standing answer, and those fixed after a poll [AWAY-03]', async () => {
    await bob.api.absences.add(away(1, 7));
    expect(await answered(bob, await planned(3))).toBe('no by away');
    const { id, dates } = await series();
    expect(await answered(bob, dates[0] ?? '')).toBe('no by away');
    expect(await answered(bob, dates[1] ?? '')).toBe('none');
    await standing(bob, { id }, 'going');
    expect(await Promise.all(dates.slice(0, 2).map((event) => answered(bob, event)))).toEqual([
      'no by away',
      'going by standing',
    ]);
    const poll = await w.poll(club, ada, { at: [48, 24 * 9] });
    await ada.api.polls.decide({ event: poll.id, time: poll.times[0] });
    expect(await answered(bob, poll.id)).toBe('no by away');
  });

  test('answers an event that moves into its days, and gives the earlier state back when it moves out, also by an undo [AWAY-03]', async () => {
    const event = await planned(2);
    const { id, dates } = await series();
    await standing(bob, { id }, 'going');
    await bob.api.absences.add(away(11, 13));
    const moveTo = (ref: string, days: number) => {
      const start = addSeconds(w.now(), days * 86_400);
      return ada.api.events.edit({
        event: ref,
        club: club.id,
        start_time: start,
        end_time: addSeconds(start, 3600),
        announce: true,
      });
    };
    const [first = ''] = dates;
    for (const ref of [event, first]) await moveTo(ref, 12);
    expect([await answered(bob, event), await answered(bob, first)]).toEqual(['no by away', 'no by away']);
    const [{ id: change = '' } = {}] = (await ada.api.events.get({ event })).changes;
    await ada.api.events.undo({ event, change });
    await moveTo(first, 15);
    expect([await answered(bob, event), await answered(bob, first)]).toEqual(['none', 'going by standing']);
  });

  test('answers all dates of a series that an edit moves into its days [AWAY-03]', async () => {
    const { id, dates } = await series();
    await standing(bob, { id }, 'going');
    await bob.api.absences.add(away(2));
    await ada.api.series.edit({
      series: id,
      weekdays: [weekdayOf(day(2))],
      announce: true,
      ask_again: false,
    });
    expect(await Promise.all(dates.slice(0, 2).map((event) => answered(bob, event)))).toEqual([
      'no by away',
      'going by standing',
    ]);
  });

  test('answers the events of a club that one joins later, and the series that everyone attends [AWAY-03]', async () => {
    const cyd = await w.person('Cyd');
    await cyd.api.absences.add(away(1, 4));
    const event = await planned(3);
    const { dates } = await series({ everybody: true });
    await join(cyd, club);
    expect(await answered(cyd, event)).toBe('no by away');
    expect(await Promise.all(dates.slice(0, 2).map((each) => answered(cyd, each)))).toEqual([
      'no by away',
      'going by standing',
    ]);
  });

  test('answers events for a section that one is added to later; a change of sections takes no seat away [AWAY-03 STAND-06]', async () => {
    const sections = await ada.api.sections.save({ club: club.id, sections: [{ name: 'Tenor' }] });
    const tenor = sections[0]?.id ?? '';
    const event = await planned(3, { section_ids: [tenor] });
    const run1 = await series({ section_ids: [tenor] });
    await standing(bob, run1, 'going');
    await bob.api.absences.add(away(3, 4));
    const [first = ''] = run1.dates;
    expect([await answered(bob, event), await answered(bob, first)]).toEqual(['none', 'none']);
    const tick = (change: object) =>
      ada.api.sections.changeMembers({ club: club.id, section: tenor, ...change });
    await tick({ add: [bob.id] });
    expect([await answered(bob, event), await answered(bob, first)]).toEqual([
      'no by away',
      'going by standing',
    ]);
    await tick({ remove: [bob.id] });
    expect(await answered(bob, first)).toBe('going by standing');
    await standing(bob, run1, null);
    expect(await answered(bob, first)).toBe('none');
  });

  test('is taken back when it is shortened or deleted: a standing answer applies again, at the end of a full waitlist, or not at all without one [AWAY-04 AWAY-03]', async () => {
    const [cyd, dan] = [await w.person('Cyd'), await w.person('Dan')];
    for (const person of [cyd, dan]) await join(person, club);
    const single = await planned(3);
    const full = await series({ capacity: 2 });
    const fullWithout = await series({ capacity: 2, waitlist: false });
    for (const each of [full, fullWithout]) await standing(bob, each, 'going');
    await standing(cyd, full, 'going');
    const [date = '', other = ''] = [full.dates[0], fullWithout.dates[0]];
    expect(await answered(cyd, date)).toBe('waiting by standing');
    const { away: saved } = await bob.api.absences.add(away(0, 6));
    expect(await answered(bob, single)).toBe('no by away');
    // The freed seat goes to Cyd at once, with a notice.
    expect(await answered(cyd, date)).toBe('going by standing');
    await standing(dan, full, 'going');
    await answer(dan, other, 'going');
    await bob.api.absences.change({ away: saved.id, ...away(0, 2) });
    expect(await answered(bob, single)).toBe('none');
    await bob.api.absences.remove({ away: saved.id });
    expect(await answered(bob, date)).toBe('waiting by standing');
    expect((await bob.api.events.get({ event: date })).my_place).toBe(2);
    expect(await answered(bob, other)).toBe('none');
  });

  test("does not touch an answer of one's own: pressing “I'll come anyway”, or “Can't go” oneself [AWAY-04 ANSWER-11]", async () => {
    const [comes, stays] = [await planned(3), await planned(4)];
    const { away: saved } = await bob.api.absences.add(away(3, 4));
    await answer(bob, comes, 'going');
    await answer(bob, stays, 'no');
    expect(await answered(bob, stays)).toBe('no by app');
    expect((await bob.api.events.get({ event: stays })).away_until).toBeNull();
    await bob.api.absences.change({ away: saved.id, ...away(2, 5) });
    expect(await answered(bob, comes)).toBe('going by app');
    await bob.api.absences.remove({ away: saved.id });
    expect(await answered(bob, stays)).toBe('no by app');
  });

  test('after the cut-off only makes given answers no [AWAY-03 SEATS-08]', async () => {
    const { id, dates } = await series({ cutoff_minutes: 60 * 24 * 5 });
    const [, date = ''] = dates;
    await standing(bob, { id }, 'going');
    expect(await answered(bob, date)).toBe('going by standing');
    w.later('5 days');
    const { away: saved } = await bob.api.absences.add(away(2, 4));
    expect(await answered(bob, date)).toBe('no by away');
    await bob.api.absences.remove({ away: saved.id });
    expect(await answered(bob, date)).toBe('no by away');
    w.clockOffset.seconds = 0;
  });

  test('is named to nobody: runners read can’t go by app [AWAY-05]', async () => {
    const event = await planned(3);
    const { away: saved } = await bob.api.absences.add(away(3, 5));
    const { answers } = await ada.api.answers.list({ event, state: 'no' });
    expect(answers).toMatchObject([{ id: bob.id, via: 'app' }]);
    const seen = JSON.stringify([
      answers,
      await ada.api.events.get({ event }),
      await ada.api.members.ofClub({ club: club.id }),
      await ada.api.clubs.get({ club: club.id }),
      await ada.api.answers.export({ event }),
      await ada.api.members.log({ club: club.id }),
    ]);
    expect(seen).not.toContain(saved.id);
    expect(seen).not.toMatch(/"away"|away_until":"/);
  });
});

describe('the calls', () => {
  test('list the own absences in their order; those of others are not found [AWAY-06]', async () => {
    const second = await bob.api.absences.add(away(9, 10));
    const first = await bob.api.absences.add(away(2));
    expect(await bob.api.absences.list({})).toEqual([first.away, second.away]);
    expect(await ada.api.absences.list({})).toEqual([]);
    expect(await bob.api.absences.add(away(2))).toEqual(first);
    const ref = { away: first.away.id };
    expect(await outcomeOf(ada.api.absences.change({ ...ref, ...away(3) }))).toBe('404 not_found');
    expect(await outcomeOf(ada.api.absences.remove(ref))).toBe('404 not_found');
    expect(await bob.api.absences.list({})).toHaveLength(2);
    await bob.api.absences.change({ ...ref, ...away(20) });
    expect(await bob.api.absences.list({})).toEqual([second.away, { id: ref.away, ...away(20) }]);
    expect(await outcomeOf(bob.api.absences.remove(ref))).toBe('ok');
    expect(await outcomeOf(bob.api.absences.remove(ref))).toBe('404 not_found');
    expect(await outcomeOf(bob.api.absences.change({ ...ref, ...away(3) }))).toBe('404 not_found');
  });

  test('refuse impossible days, a 21st absence and a 31st save in an hour [AWAY-06]', async () => {
    const save = (days: object) => outcomeOf(bob.api.absences.add(days as ReturnType<typeof away>));
    for (const days of [
      away(3, 2),
      away(0, 367),
      away(-400, -390),
      away(720, 740),
      { first_on: '2027-02-30', last_on: '2027-03-01' },
      { first_on: day(1) },
      { first_on: 'tomorrow', last_on: day(2) },
    ])
      expect([days, await save(days)]).toEqual([days, '400 bad_input']);
    expect(await save(away(0, 366))).toBe('ok');
    for (let n = 1; n < 20; n++) expect(await save(away(n))).toBe('ok');
    expect(await save(away(40))).toBe('409 too_many_absences');
    expect(await save(away(1))).toBe('ok');
    const [first] = await bob.api.absences.list({});
    for (let n = 0; n < 9; n++) await bob.api.absences.change({ away: first?.id ?? '', ...away(50 + n) });
    expect(await save(away(2))).toBe('429 too_often');
  });

  test('delete absences 30 days after their last day [AWAY-06]', async () => {
    await bob.api.absences.add(away(-40, -31));
    const kept = await bob.api.absences.add(away(-40, -29));
    await deleteExpired(w.db, w.now());
    expect(await bob.api.absences.list({})).toEqual([kept.away]);
  });
});
