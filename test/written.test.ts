import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { longText, storedBytes } from '#test/stored-bytes.ts';
import { isolatedWorld, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;

interface Account {
  ada: Person;
  bob: Person;
  club: ClubHandle;
  /** Alternates between two values. */
  other: <T>(one: T, two: T) => T;
}

const weekdays = [1, 2, 3, 4, 5, 6, 7];
const planDaily = ({ ada, club }: Account, details = longText()) =>
  ada.api.series.plan({
    ...newSeries,
    club: club.id,
    details,
    starts_on: addSeconds(w.now(), 24 * 60 * 60).slice(0, 10),
    weekdays,
  });

/** Advances the clock to the next full hour, from which the limit counts. */
const nextHour = (at: World) => at.later(`${60 - Number(at.now().slice(14, 16))} minutes`);

/** Prepares what an account then repeats as fast as it can. */
type Script = (account: Account) => Promise<() => Promise<unknown>>;

/** Stays within the limits per minute: advances the clock by a minute after every tenth call. */
function unhurried(call: () => Promise<unknown>) {
  let calls = 0;
  return () => {
    if (++calls % 10 === 0) w.later('1 minute');
    return call();
  };
}

const scripts: Record<string, Script> = {
  async 'edits the long text of an event'({ ada, club }) {
    const { slug } = await w.event(club, ada, { details: longText() });
    return () => ada.api.events.edit({ event: slug, club: club.id, details: longText() });
  },
  async 'edits the name of an event with a long text'({ ada, club, other }) {
    const { slug } = await w.event(club, ada, { details: longText() });
    return () => ada.api.events.edit({ event: slug, club: club.id, name: other('A', 'B') });
  },

  async 'edits an update'({ ada, club }) {
    const { id } = await ada.api.updates.publish({ club: club.id, content: longText(5000) });
    return () => ada.api.updates.edit({ club: club.id, update: id, content: longText(5000) });
  },
  async 'edits a club'({ ada, club }) {
    return () => ada.api.clubs.update({ club: club.id, club_description: longText(1000) });
  },
  async 'adds and removes an entry of a list'({ ada, club }) {
    const event = (await w.event(club, ada, { details: longText() })).id;
    return async () => {
      const { slots } = await ada.api.slots.create({ event, kind: 'bring', title: 'x', places: 1 });
      await ada.api.slots.remove({ slot: slots[0]?.id ?? '' });
    };
  },
  async 'answers an event and takes it back'({ ada, bob, club, other }) {
    const event = (await w.event(club, ada, { details: longText() })).id;
    return unhurried(() =>
      bob.api.answers.answer({ event, answer: other('going', 'no'), note: longText(100) }),
    );
  },
  async 'saves breaks and removes them'(account) {
    await planDaily(account, 'Short');
    const { ada, club, other } = account;
    const breaks = Array.from({ length: 50 }, (_, day) => {
      const on = `2030-01-${String(1 + (day % 28)).padStart(2, '0')}`;
      return { first_on: on, last_on: on, name: longText(30) };
    });
    return () => ada.api.series.saveBreaks({ club: club.id, breaks: other(breaks, []) });
  },
  async 'saves sections and removes them'({ ada, club, other }) {
    let saved: { id: string }[] = [];
    return async () => {
      const sections = other(
        Array.from({ length: 30 }, (_, nth) => ({ name: `${nth} ${longText(30)}` })),
        [],
      );
      const remove = saved.map(({ id }) => id);
      saved = await ada.api.sections.save({ club: club.id, sections, remove });
    };
  },
  async 'saves the profile with idempotency keys'({ ada }) {
    let key = 0;
    return async () => {
      const { status } = await send(w, ada, 'PATCH /v1/users', {}, { 'idempotency-key': `key ${key++}` });
      if (status !== 200) throw Object.assign(new Error(), { status, error: 'too_often' });
    };
  },
};

const scriptsOfSeries: Record<string, Script> = {
  async 'edits the long text of a series'(account) {
    const { id } = await planDaily(account);
    return () => account.ada.api.series.edit({ series: id, details: longText() });
  },
  async 'edits the name of a series'(account) {
    const { id } = await planDaily(account);
    return () => account.ada.api.series.edit({ series: id, name: account.other('A', 'B') });
  },
  async 'moves a series to other weekdays and back'(account) {
    const { id } = await planDaily(account);
    return () => account.ada.api.series.edit({ series: id, weekdays: account.other([1], weekdays) });
  },
  async 'answers a series and takes it back'(account) {
    const { id } = await planDaily(account);
    return unhurried(() =>
      account.bob.api.series.standing({ series: id, answer: account.other('no', 'going') }),
    );
  },
};

describe.each([
  [1, scripts],
  [12, scriptsOfSeries],
])('disk space: with a limit of %s MB per hour, an account stores little more when it', (limit, each) => {
  beforeAll(async () => void (w = await isolatedWorld({ MEGABYTES_PER_HOUR: String(limit) })));
  afterAll(() => w[Symbol.asyncDispose]());

  test.each(Object.entries(each))('%s [T51]', async (_, prepare) => {
    nextHour(w);
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada, bob]);
    const before = await storedBytes(w.db);
    let turn = 0;
    const repeat = await prepare({ ada, bob, club, other: (one, two) => (turn++ % 2 === 0 ? one : two) });
    let outcome = 'ok';
    let count = 0;
    for (; outcome === 'ok' && count < 2000; count++) outcome = await outcomeOf(repeat());
    const megabytes = ((await storedBytes(w.db)) - before) / 1024 / 1024;
    expect(outcome).toBe('429 too_often');
    expect(megabytes).toBeLessThan(5 * limit);
  });
});

test('disk space: an admin who edits all day does not reach the limit, and an account that reaches it affects nobody else [T51]', async () => {
  await using mine = await isolatedWorld({ MEGABYTES_PER_HOUR: '' });
  w = mine;
  const [ada, bob] = [await mine.person('Ada'), await mine.person('Bob')];
  const club = await mine.club([ada, bob]);
  const { slug } = await mine.event(club, ada);
  const { id } = await planDaily({ ada, bob, club, other: (one) => one }, 'x'.repeat(2000));
  for (let edit = 1; edit <= 20; edit++)
    await ada.api.series.edit({ series: id, details: `${edit} ${longText(2000)}` });
  for (let edit = 1; edit <= 200; edit++)
    await ada.api.events.edit({ event: slug, club: club.id, details: longText(2000) });

  nextHour(mine);
  const again = () => ada.api.series.edit({ series: id, details: longText() });
  let outcome = 'ok';
  while (outcome === 'ok') outcome = await outcomeOf(again());
  expect(outcome).toBe('429 too_often');
  const { headers } = await send(mine, ada, 'PATCH /v1/users', {});
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(await outcomeOf(bob.api.users.update({ first_name: 'Bo' }))).toBe('ok');
  expect((await ada.api.users.me({})).id).toBe(ada.id);
  mine.later('1 hour');
  expect(await outcomeOf(again())).toBe('ok');
});
