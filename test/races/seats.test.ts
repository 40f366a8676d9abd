import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import { outcomeOf } from '#test/calls.ts';
import { broken, clubsOf, eventsOf, manyPeople, recordChanges, rounds, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

/** A short pause, or a long one that outlasts a request, so that each side comes first in some rounds. */
const pause = (isLong = false) => sleep(Math.random() * 8 + (isLong ? 250 : 0));

/** Creates one event of the host for each club, with this many seats besides the host's. */
async function seatedEvents(w: World, clubs: string[], host: Person, seats: number): Promise<string[]> {
  const events = await eventsOf(w, clubs, host);
  await run(
    w.db,
    sql`update events set capacity = ${seats + 1}, guests_max = 3 where id = any(${events}::uuid[])`,
  );
  return events;
}

const answersTo = ({ db }: World, event: string) =>
  all(
    db,
    sql<{ user_id: string; answer: Answer; guests: number; place: number | null; over: boolean }>`
      select user_id, answer, guests, place, over from answers
      where event_id = ${event} and attendee_role = 'attendee' order by place, user_id`,
  );

const countOf = (rows: Awaited<ReturnType<typeof answersTo>>, answer: Answer) =>
  rows.filter((row) => row.answer === answer).length;

/** How many 'You have a seat' notices each user got. */
async function seatsGiven({ db }: World): Promise<Record<string, number>> {
  const rows = await all(
    db,
    sql<{ user_id: string; count: number }>`
      select user_id, count(*) from notices where kind = 'seat_given' group by user_id`,
  );
  return Object.fromEntries(rows.map(({ user_id, count }) => [user_id, count]));
}

test(
  'last places: when 200 members concurrently sign up for 20 seats, 20 are going and 180 waiting, without an error [SEATS-03]',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 201)) as [Person, ...Person[]];
    const clubs = await clubsOf(w, [ada], people, Math.ceil(rounds / 20));
    for (const event of await seatedEvents(w, clubs, ada, 20)) {
      const results = await Promise.all(people.map(({ api }) => api.answers.attend({ event })));
      const rows = await answersTo(w, event);
      expect([countOf(rows, 'going'), countOf(rows, 'waiting')]).toEqual([20, 180]);
      expect(rows.flatMap(({ place }) => place ?? [])).toEqual(
        Array.from({ length: 180 }, (_, nth) => nth + 1),
      );
      // The response to each member has the rank that they got under the lock.
      const ranks = new Map(people.map(({ id }, who) => [id, results[who]?.my_place ?? null]));
      for (const { user_id, place } of rows) expect(ranks.get(user_id)).toBe(place);
    }
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'last places: a party never gets only part of its seats',
  async () => {
    await using w = await world();
    const [ada, party, ...singles] = (await manyPeople(w, 5)) as [Person, Person, ...Person[]];
    const seen = new Set<Answer>();
    const clubs = await clubsOf(w, [ada], [party, ...singles]);
    for (const [nth, event] of (await seatedEvents(w, clubs, ada, 3)).entries()) {
      const results = await Promise.all([
        pause(nth % 3 === 1).then(() =>
          outcomeOf(party.api.answers.answer({ event, answer: 'going', guests: 2 })),
        ),
        ...singles.map(async ({ api }) => {
          await pause(nth % 3 === 2);
          return outcomeOf(api.answers.attend({ event }));
        }),
      ]);
      expect(new Set(results)).toEqual(new Set(['ok']));
      const rows = await answersTo(w, event);
      const partys = rows.find(({ user_id }) => user_id === party.id)?.answer as Answer;
      // A single member behind the waiting party waits too, although a seat is free.
      if (partys === 'going') expect(countOf(rows, 'going')).toBe(1);
      else expect(countOf(rows, 'going')).toBeGreaterThan(0);
      seen.add(partys);
    }
    expect(seen.size).toBeGreaterThan(1);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'waitlist: a member who moves up and stops waiting concurrently has no seat, and the next member gets it',
  async () => {
    await using w = await world();
    const [ada, first, second, third] = (await manyPeople(w, 4)) as [Person, Person, Person, Person];
    const seen = new Set<number | undefined>();
    const clubs = await clubsOf(w, [ada], [first, second, third]);
    for (const [nth, event] of (await seatedEvents(w, clubs, ada, 1)).entries()) {
      for (const { api } of [first, second, third]) await api.answers.attend({ event });
      await run(w.db, sql`delete from notices`);
      const leave = async ({ api }: Person, which: number) =>
        outcomeOf(pause(nth % 3 === which + 1).then(() => api.answers.unattend({ event })));
      expect(await Promise.all([first, second].map(leave))).toEqual(['ok', 'ok']);
      expect((await answersTo(w, event)).map(({ user_id, answer }) => [user_id, answer])).toEqual(
        [first, second, third]
          .map(({ id }) => [id, id === third.id ? 'going' : 'no'])
          .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      );
      const recipients = await seatsGiven(w);
      expect(recipients[third.id]).toBe(1);
      seen.add(recipients[second.id]);
    }
    expect(seen.size).toBeGreaterThan(1);
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

test(
  'capacity: when it is lowered concurrently with answers, no answer takes a seat beyond the current capacity',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 9)) as [Person, ...Person[]];
    const clubs = await clubsOf(w, [ada], people);
    const takeChanges = await recordChanges(w, 'events', 'answers');
    const seen = new Set<number>();
    for (const [nth, event] of (await seatedEvents(w, clubs, ada, 6)).entries()) {
      await takeChanges();
      const results = await Promise.all([
        pause(nth % 3 === 1).then(() =>
          outcomeOf(ada.api.events.edit({ event, club: clubs[nth] as string, capacity: 4 })),
        ),
        ...people.map(async ({ api }) => {
          await pause(nth % 3 === 2);
          return outcomeOf(api.answers.attend({ event }));
        }),
      ]);
      expect(new Set(results)).toEqual(new Set(['ok']));
      let [capacity, taken] = [7, 1];
      for (const { operation, row } of await takeChanges()) {
        if ('capacity' in row) capacity = row['capacity'] as number;
        else if (operation === 'INSERT answers' && row['answer'] === 'going')
          expect(++taken).toBeLessThanOrEqual(capacity);
      }
      seen.add(taken);
    }
    expect(seen.size).toBeGreaterThan(1);
  },
  timeout,
);

test(
  'waitlist: when a hundred seats come free in random order, each member who moves up gets exactly one notice [SEATS-07]',
  async () => {
    await using w = await world();
    const [ada, ...people] = (await manyPeople(w, 201)) as [Person, ...Person[]];
    const [event = ''] = await seatedEvents(w, await clubsOf(w, [ada], people, 1), ada, 100);
    for (const { api } of people) await api.answers.attend({ event });
    const [seated, waiting] = [people.slice(0, 100), people.slice(100)];
    await Promise.all(seated.map(({ api }) => pause().then(() => api.answers.unattend({ event }))));
    expect(await seatsGiven(w)).toEqual(Object.fromEntries(waiting.map(({ id }) => [id, 1])));
    expect(await broken(w)).toEqual([]);
  },
  timeout,
);

interface Party {
  who: number;
  guests: number;
}

/** A model of the rules of the waitlist as specified, for one event and the members 0 to 29. */
class Model {
  capacity: number | null = 12;
  hasWaitlist = true;
  /** In the order of the waitlist. */
  waiting: (Party & { letsPass: boolean })[] = [];
  going = new Map<number, { guests: number; over: boolean }>();
  outside = new Set<number>();
  recipients = new Map<number, number>();

  /** The number of free seats. The host takes one. */
  get free(): number {
    let free = (this.capacity ?? Infinity) - 1;
    for (const { guests } of this.going.values()) free -= 1 + guests;
    return free;
  }

  leaves(who: number): void {
    this.going.delete(who);
    this.waiting = this.waiting.filter((each) => each.who !== who);
  }

  asks({ who, guests }: Party, letsPass?: boolean): string {
    const [mine, place] = [this.going.get(who), this.waiting.findIndex((each) => each.who === who)];
    if (mine) {
      const more = guests - mine.guests;
      if (more > 0 && (more > this.free || this.waiting.length > 0)) return '409 no_seats_left';
      mine.guests = guests;
    } else if (place >= 0) {
      const waiting = this.waiting[place] as Model['waiting'][number];
      if (guests > waiting.guests) this.waiting.push(...this.waiting.splice(place, 1));
      Object.assign(waiting, { guests, letsPass: letsPass ?? waiting.letsPass });
    } else if (this.waiting.length === 0 && 1 + guests <= this.free)
      this.going.set(who, { guests, over: false });
    else if (this.hasWaitlist) this.waiting.push({ who, guests, letsPass: letsPass ?? false });
    else return '409 event_full';
    return 'ok';
  }

  isGiven({ who, guests }: Party, over: boolean): string {
    const mine = this.going.get(who);
    const more = guests - (mine?.guests ?? -1);
    const isExtra = more > 0 && more > this.free;
    if (isExtra && !over) return '409 event_full';
    if (this.waiting.some((each) => each.who === who)) this.tell(who);
    this.leaves(who);
    this.going.set(who, { guests, over: isExtra || (mine?.over ?? false) });
    return 'ok';
  }

  movesUp(): void {
    // Iterates over a copy, because `leaves` changes the list.
    for (const party of this.waiting.slice()) {
      if (1 + party.guests <= this.free) {
        this.leaves(party.who);
        this.going.set(party.who, { guests: party.guests, over: false });
        this.tell(party.who);
      } else if (!party.letsPass) return;
    }
  }

  tell(who: number): void {
    this.recipients.set(who, (this.recipients.get(who) ?? 0) + 1);
  }
}

const who = fc.nat({ max: 29 });
const guests = fc.nat({ max: 3 });
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      who,
      guests,
      lets_pass: fc.option(fc.boolean(), { nil: undefined }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('maybe' as const, 'no' as const), who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join or leave' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('give' as const), who, guests, over: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('capacity' as const),
      capacity: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 15 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('waitlist' as const), waitlist: fc.boolean() }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const steps = Math.min(10_000, 80 * rounds);

test(
  'seats: random answers, guests, capacities, departures of members and seats given by the host follow the rules [SEATS-15]',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: steps, maxLength: steps }), async (operations) => {
        await using w = await world();
        const [ada, ...people] = (await manyPeople(w, 31)) as [Person, ...Person[]];
        const [club = ''] = await clubsOf(w, [ada], people, 1);
        const [event = ''] = await seatedEvents(w, [club], ada, 11);
        const model = new Model();
        for (const [nth, each] of operations.entries()) {
          if (nth % 8 === 0) await run(w.db, sql`delete from rate_limits`);
          expect({ nth, each, result: await perform(w, { event, club, ada, people }, each, model) }).toEqual({
            nth,
            each,
            result: expected(model, each),
          });
          model.movesUp();
          await expectSame(w, { nth, event, people }, model);
        }
        const recipients = await seatsGiven(w);
        expect(people.map(({ id }) => recipients[id] ?? 0)).toEqual(
          people.map((_, at) => model.recipients.get(at) ?? 0),
        );
      }),
      { numRuns: 1, endOnFailure: true },
    );
  },
  timeout + steps * 100,
);

interface Scene {
  event: string;
  club: string;
  ada: Person;
  people: readonly Person[];
}

const skipped = 'is no member';

/** Performs an operation in the app and returns its outcome. */
async function perform(
  w: World,
  { event, club, ada, people }: Scene,
  each: Operation,
  model: Model,
): Promise<string> {
  if (each.kind === 'capacity')
    return outcomeOf(ada.api.events.edit({ event, club, capacity: each.capacity }));
  if (each.kind === 'waitlist')
    return outcomeOf(ada.api.events.edit({ event, club, waitlist: each.waitlist }));
  const { id: user, api } = people[each.who] as Person;
  const isOutside = model.outside.has(each.who);
  if (each.kind === 'join or leave') {
    if (!isOutside) return outcomeOf(api.members.leave({ club }));
    const joins = sql`insert into members (club_id, user_id, calendar_secret, joined_at)
      values (${club}, ${user}, gen_random_uuid(), now())`;
    return outcomeOf(run(w.db, joins));
  }
  if (isOutside) return skipped;
  if (each.kind === 'give')
    return outcomeOf(
      ada.api.answers.answerFor({ event, user, answer: 'going', guests: each.guests, over: each.over }),
    );
  return each.kind === 'ask'
    ? outcomeOf(
        api.answers.answer({ event, answer: 'going', guests: each.guests, lets_pass: each.lets_pass }),
      )
    : outcomeOf(api.answers.answer({ event, answer: each.kind }));
}

/** Performs an operation in the model and returns the expected outcome. */
function expected(model: Model, each: Operation): string {
  if (each.kind === 'capacity') model.capacity = each.capacity;
  else if (each.kind === 'waitlist') model.hasWaitlist = each.waitlist;
  else if (each.kind === 'join or leave') {
    if (!model.outside.delete(each.who)) {
      model.outside.add(each.who);
      model.leaves(each.who);
    }
  } else if (model.outside.has(each.who)) return skipped;
  else if (each.kind === 'give') return model.isGiven(each, each.over);
  else if (each.kind === 'ask') return model.asks(each, each.lets_pass);
  else model.leaves(each.who);
  return 'ok';
}

const inOrder = <Row extends Party>(list: Row[]) => list.toSorted((a, b) => a.who - b.who);

async function expectSame(
  w: World,
  { nth, event, people }: { nth: number; event: string; people: readonly Person[] },
  model: Model,
): Promise<void> {
  const rows = (await answersTo(w, event)).map(({ user_id, ...row }) => ({
    ...row,
    who: people.findIndex(({ id }) => id === user_id),
  }));
  const going = rows.filter(({ answer }) => answer === 'going');
  const waiting = rows.filter(({ answer }) => answer === 'waiting');
  expect({
    nth,
    going: inOrder(going).map(({ who: member, guests: count, over }) => ({
      who: member,
      guests: count,
      over,
    })),
    waiting: waiting.map(({ who: member, guests: count }) => [member, count]),
  }).toEqual({
    nth,
    going: inOrder([...model.going].map(([member, seats]) => ({ who: member, ...seats }))),
    waiting: model.waiting.map(({ who: member, guests: count }) => [member, count]),
  });
  expect(new Set(waiting.map(({ place }) => place)).size).toBe(waiting.length);
}
