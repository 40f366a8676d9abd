import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import type { EventFields } from '#features/events/field-contract.ts';
import type { Schedule } from '#features/events/form-rules.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { send } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { longText as text, storedBytes } from '#test/stored-bytes.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let eve: Person;
let club: ClubHandle;

/** Ada and Cyd are admins, Bob is a member, Eve is an outsider. */
beforeAll(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada', 'Lovelace'), await w.person('Bob')];
  [cyd, eve] = [await w.person('Cyd'), await w.person('Eve')];
  club = await w.club([ada, bob, cyd]);
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
});
afterAll(() => w[Symbol.asyncDispose]());

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });
type Patch = Partial<EventFields & Schedule> & { announce?: boolean; ask_again?: boolean };
const editBy = ({ api }: Person, event: string, patch: Patch) =>
  api.events.edit({ event, club: club.id, ...patch });
const undoBy = ({ api }: Person, event: string, change: string) => api.events.undo({ event, change });
const get = (event: string, { api }: Person = ada) => api.events.get({ event });
const lastChange = async (event: string) => (await get(event)).changes[0]?.id ?? 'none';
const rows = (event: string) =>
  all(
    w.db,
    sql<Record<string, unknown>>`
      select h.* from event_changes h join events e on e.id = h.event_id where e.slug = ${event} order by h.changed_at`,
  );

describe('history', () => {
  test('an edit writes one row; an edit without changes keeps sequence and time, and writes and sends nothing [TIME-06]', async () => {
    const { slug } = await w.event(club, ada, { description: 'Easy' });
    await bob.api.answers.attend({ event: slug });
    const before = await get(slug);
    const description = '💬'.repeat(301);
    const start_time = addSeconds(before.start_time, 3600);
    await editBy(ada, slug, { description, start_time });
    await editBy(ada, slug, { description: '', name: 'Run', announce: false });
    expect(await rows(slug)).toMatchObject([
      {
        kind: 'edit',
        actor_id: ada.id,
        sequence: 1,
        before: {
          description: 'Easy',
          start_time: before.start_time,
          end_time: before.end_time,
          entry_until_time: before.entry_until_time,
        },
        after: {
          description: '💬'.repeat(300),
          start_time,
          end_time: addSeconds(before.end_time, 3600),
          entry_until_time: addSeconds(before.entry_until_time, 3600),
        },
        told: true,
      },
      {
        before: { name: 'Tuesday run', description: '💬'.repeat(300) },
        after: { name: 'Run', description: '' },
        told: false,
      },
    ]);
    const state = () =>
      all(
        w.db,
        sql`select e.sequence, e.updated_at, count(n) from events e, notices n where e.slug = ${slug} group by e.id`,
      );
    const now = await get(slug);
    const saved = await state();
    expect(saved).toMatchObject([{ sequence: 2, updated_at: (await rows(slug))[1]?.['changed_at'] }]);
    await editBy(ada, slug, { name: 'Run', start_time: now.start_time, end_time: now.end_time });
    expect(await rows(slug)).toHaveLength(2);
    expect(await state()).toEqual(saved);
  });

  test('members read the newest twenty changes, outsiders read no changes [HIST-02]', async () => {
    const { slug } = await w.event(club, ada);
    expect((await get(slug)).changes).toEqual([]);
    for (let round = 1; round <= 21; round++) await editBy(ada, slug, { name: `Run ${round}` });
    const { changes, undo } = await get(slug, bob);
    expect(changes.map(({ after }) => after.name)).toEqual(
      Array.from({ length: 20 }, (_, nth) => `Run ${21 - nth}`),
    );
    expect(changes[0]).toMatchObject({
      kind: 'edit',
      changed_by: { first_name: 'Ada', last_name: 'Lovelace' },
      new_host: null,
      before: { name: 'Run 20' },
      undone_at: null,
    });
    expect(undo).toBeNull();
    expect(await get(slug, eve)).toMatchObject({ changes: [], undo: null, moved_from: null });
  });

  test('stores no names, so no name is shown for an editor whose account was deleted [HIST-03]', async () => {
    const dan = await w.person('Dandelion');
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    await dan.api.invites.join({ invite: invite_link });
    await ada.api.members.changeRole({ club: club.id, member: dan.id, role: 200 });
    const { slug } = await w.event(club, ada);
    await editBy(dan, slug, { name: 'Run' });
    expect(JSON.stringify(await rows(slug))).not.toContain('Dandelion');
    expect((await get(slug)).changes).toMatchObject([{ changed_by: { first_name: 'Dandelion' } }]);
    await run(w.db, sql`delete from users where id = ${dan.id}`);
    expect((await get(slug)).changes).toMatchObject([{ changed_by: null, after: { name: 'Run' } }]);
  });

  test('a change of times is shown on the event page and the card for at most a week, unless it is undone', async () => {
    const { slug } = await w.event(club, ada, { startsIn: 400 });
    const { start_time, end_time } = await get(slug);
    await editBy(ada, slug, { start_time: addSeconds(start_time, 3600) });
    const changed_at = (await get(slug)).changes[0]?.changed_at as string;
    const moved_from = { start_time, end_time, until: addSeconds(changed_at, 7 * 86_400) };
    const card = async () =>
      (await bob.api.clubs.get({ club: club.id })).events.find((event) => event.slug === slug)?.moved_from;
    expect([(await get(slug, bob)).moved_from, await card()]).toEqual([moved_from, moved_from]);
    await editBy(ada, slug, { name: 'Run' });
    await editBy(ada, slug, { end_time: addSeconds(start_time, 4 * 3600) });
    const moved = { start_time: addSeconds(start_time, 3600), end_time: addSeconds(end_time, 3600) };
    expect([(await get(slug, bob)).moved_from, await card()]).toMatchObject([moved, moved]);
    await undoBy(ada, slug, await lastChange(slug));
    expect([(await get(slug, bob)).moved_from, await card()]).toEqual([moved_from, moved_from]);
    const soon = await w.event(club, ada, { startsIn: 2 });
    const before = await get(soon.slug);
    await editBy(ada, soon.slug, { start_time: addSeconds(before.start_time, 3600) });
    expect((await get(soon.slug)).moved_from?.until).toBe(addSeconds(before.end_time, 3600));
  });

  test('edit: denied without any effect to outsiders, members, organisers, and hosts who are not admins [TIME-18]', async () => {
    await using private_ = await isolatedWorld({ EVENT_PREVIEW: 'off' });
    for (const here of [w, private_]) {
      const [one, host, member, organiser, outsider] = await Promise.all(
        ['Ann', 'Hal', 'Max', 'Ola', 'Oz'].map((name) => here.person(name)),
      );
      const people = [one, host, member, organiser] as [Person, Person, Person, Person];
      const home = await here.club(people);
      const role = (to: Person, role: 0 | 100 | 200) =>
        people[0].api.members.changeRole({ club: home.id, member: to.id, role });
      await role(people[3], 100);
      await role(people[1], 200);
      const { slug: event } = await here.event(home, people[1]);
      await role(people[1], 0);
      const state = () =>
        all(
          here.db,
          sql`select to_jsonb(e) as row from events e union all select to_jsonb(h) from event_changes h
              union all select to_jsonb(n) from notices n
              union all select to_jsonb(m) from notice_emails m where kind = 'event_updated'`,
        );
      const before = await state();
      const edit = ({ api }: Person) =>
        api.events.edit({ event, club: home.id, name: 'Mine', location_name: 'Here' });
      for (const person of people.slice(1))
        await expect(edit(person)).rejects.toEqual(apiError(403, 'not_admin'));
      await expect(edit(outsider as Person)).rejects.toEqual(
        here === w ? apiError(403, 'not_member') : apiError(404, 'not_found'),
      );
      expect(await state()).toEqual(before);
    }
  });
});

describe('undo', () => {
  test('restores all values, including long texts, and increments the sequence; answers given meanwhile stay [HIST-05]', async () => {
    const details = 'Long. '.repeat(1000).trim();
    const { slug } = await w.event(club, ada, { details, guests_max: 2 });
    const before = await get(slug);
    const { start_time } = before;
    await editBy(ada, slug, {
      name: 'Run',
      details: '',
      guests_max: 0,
      start_time: addSeconds(start_time, 3600),
    });
    await bob.api.answers.answer({ event: slug, answer: 'maybe' });
    const { undo, changes } = await get(slug);
    expect(undo).toMatchObject({ change: changes[0]?.id });
    expect(undo?.seconds).toBeGreaterThan(50);
    expect(undo?.seconds).toBeLessThanOrEqual(60);
    expect((await get(slug, cyd)).undo).toBeNull();
    expect(await undoBy(ada, slug, changes[0]?.id ?? '')).toBe(slug);
    const after = await get(slug);
    expect(after).toMatchObject({
      name: 'Tuesday run',
      details,
      guests_max: 2,
      start_time,
      end_time: before.end_time,
      entry_until_time: before.entry_until_time,
      version: 2,
      undo: null,
      moved_from: null,
    });
    expect(after.maybe).toHaveLength(1);
    expect(after.changes).toMatchObject([{ undone_at: expect.any(String) as string }]);
    expect(
      await first(
        w.db,
        sql`select event_start from answers where user_id = ${bob.id} and event_id = ${after.id}`,
      ),
    ).toEqual({ event_start: start_time });
  });

  test('refused for another user, after a minute, a second time, and for a change that is not the last [HIST-06]', async () => {
    const { slug } = await w.event(club, ada, { startsIn: 100 });
    const undo = (change: string, by = ada) => undoBy(by, slug, change);
    await editBy(ada, slug, { name: 'One' });
    const one = await lastChange(slug);
    await expect(undo(one, cyd)).rejects.toEqual(apiError(403, 'not_yours'));
    await expect(undo(one, bob)).rejects.toEqual(apiError(403, 'not_admin'));
    await expect(undo(one, eve)).rejects.toEqual(apiError(403, 'not_member'));
    await expect(undo(slug)).rejects.toEqual(apiError(400, 'bad_input'));
    const other = await w.event(club, ada);
    await expect(undoBy(ada, other.slug, one)).rejects.toEqual(apiError(404, 'not_found'));
    await editBy(cyd, slug, { name: 'Two' });
    await expect(undo(one)).rejects.toEqual(apiError(409, 'too_late'));
    await editBy(ada, slug, { name: 'Three' });
    const three = await lastChange(slug);
    await undo(three);
    await expect(undo(three)).rejects.toEqual(apiError(409, 'too_late'));
    expect((await get(slug)).name).toBe('Two');
    await editBy(ada, slug, { name: 'Four' });
    const four = await lastChange(slug);
    w.later('61 seconds');
    await expect(undo(four)).rejects.toEqual(apiError(409, 'too_late'));
    expect(await get(slug)).toMatchObject({ name: 'Four', undo: null });
    await editBy(ada, slug, { name: 'Five' });
    const five = await lastChange(slug);
    await ada.api.events.cancel({ event: slug });
    await expect(undo(five)).rejects.toEqual(apiError(409, 'too_late'));
  });

  test('removes the notices of the undone change from every bell, and keeps the notices of other changes [HIST-05]', async () => {
    const { slug } = await w.event(club, ada, { startsIn: 100, name: 'Bells' });
    await bob.api.answers.attend({ event: slug });
    const recipients = async () =>
      (await bob.api.notifications.list({})).filter(({ message }) => message.includes('moved “Bells”'))
        .length;
    await editBy(ada, slug, { location_name: 'Hall' });
    await editBy(ada, slug, { location_name: 'Attic' });
    expect(await recipients()).toBe(2);
    await undoBy(ada, slug, await lastChange(slug));
    expect(await recipients()).toBe(1);
  });

  test('an edit stores each replaced long text at most once more, and no text that is unchanged or cannot be restored [T51]', async () => {
    const { slug } = await w.event(club, ada, { startsIn: 100, details: text() });
    const daily = {
      ...newSeries,
      starts_on: addSeconds(w.now(), 24 * 3600).slice(0, 10),
      weekdays: [1, 2, 3, 4, 5, 6, 7],
    };
    const walk = await ada.api.series.plan({ club: club.id, ...daily, details: text() });
    const { events } = await ada.api.series.get({ series: walk.slug });
    expect(events).toHaveLength(60);
    const edits = async (edit: () => Promise<unknown>) => {
      const before = await storedBytes(w.db);
      for (let times = 1; times <= 10; times++) await edit();
      return ((await storedBytes(w.db)) - before) / 10;
    };
    let n = 0;
    // The new text, and the old text for an undo.
    expect(await edits(() => editBy(ada, slug, { details: text() }))).toBeLessThan(100_000);
    expect(await edits(() => editBy(ada, slug, { name: `Edit ${n++}` }))).toBeLessThan(10_000);
    const editSeries = (patch: Patch) => ada.api.series.edit({ series: walk.id, ...patch });
    expect(await edits(() => editSeries({ details: text() }))).toBeLessThan(60 * 45_000);
    expect(await edits(() => editSeries({ name: `Edit ${n++}` }))).toBeLessThan(60 * 5000);
  });

  test('the full texts that are stored for an undo are deleted within hours', async () => {
    const { slug } = await w.event(club, ada, { details: 'x'.repeat(301), startsIn: 100 });
    await editBy(ada, slug, { details: '' });
    const long = async () => (await rows(slug)).map(({ long_texts }) => long_texts);
    await deleteExpired(w.db, w.now());
    expect(await long()).toEqual([{ details: 'x'.repeat(301) }]);
    await deleteExpired(w.db, addSeconds(w.now(), 3700));
    expect(await long()).toEqual([null]);
  });
});

/** Whether Ada, Bob and Cyd have to confirm. */
const toConfirm = async (event: string) =>
  (await Promise.all([ada, bob, cyd].map(async (person) => (await get(event, person)).must_confirm))).map(
    Number,
  );

describe('change of plan', () => {
  const answers = { Bob: 'going', Cyd: 'maybe' } as const;

  /** An event of Ada's that Bob and Cyd answered. */
  async function answered(startsIn = 400) {
    const { slug } = await w.event(club, ada, { startsIn });
    await bob.api.answers.answer({ event: slug, answer: answers.Bob });
    await cyd.api.answers.answer({ event: slug, answer: answers.Cyd });
    return slug;
  }

  test('the reason, the words and the request to confirm are stored; unknown reasons are refused [HIST-01 CALL-02 CALL-04]', async () => {
    const slug = await answered();
    const why = { reason: 'weather', words: 'Hall instead of field' } as const;
    await ada.api.events.edit({ event: slug, club: club.id, location_name: 'Hall', ask_again: true, ...why });
    await ada.api.events.edit({ event: slug, club: club.id, location_name: 'Field' });
    await ada.api.events.cancel({ event: slug, reason: 'too_few' });
    expect(await rows(slug)).toMatchObject([
      {
        kind: 'edit',
        actor_id: ada.id,
        ...why,
        asked_again: true,
        told: true,
        after: { location_name: 'Hall' },
      },
      { kind: 'edit', reason: null, words: '', asked_again: false, told: true },
      { kind: 'cancelled', reason: 'too_few', words: '', sequence: 3 },
    ]);
    const messages = (await bob.api.notifications.list({})).map(({ message }) => message).slice(0, 3);
    expect(messages).toEqual([
      'Ada Lovelace cancelled “Tuesday run” in Harbour Rowers. Reason: too few people.',
      'Ada Lovelace moved “Tuesday run” to Field.',
      'Ada Lovelace moved “Tuesday run” to Hall. Weather: Hall instead of field.',
    ]);
    for (const [line, more] of [
      [`PUT /v1/events/${slug}/edit/${club.id}`, { reason: 'boredom' }],
      [`PUT /v1/events/${slug}/edit/${club.id}`, { words: 'x'.repeat(201) }],
      [`DELETE /v1/events/${slug}/cancel`, { reason: 'boredom' }],
    ] as const)
      expect(await send(w, ada, line, more)).toMatchObject({ status: 400, error: 'bad_input' });
  });

  test('asking to confirm marks all answers except the answer of the admin who asks; the answers stay, and a member confirms by giving any answer [CALL-05 CALL-08]', async () => {
    const slug = await answered();
    const before = await get(slug);
    expect(await toConfirm(slug)).toEqual([0, 0, 0]);
    await editBy(ada, slug, { location_name: 'Hall' });
    expect(await toConfirm(slug)).toEqual([0, 0, 0]);
    await editBy(ada, slug, { location_name: 'Attic', ask_again: true });
    expect(await toConfirm(slug)).toEqual([0, 1, 1]);
    const { user_count, maybe, asked_about, confirmed_count } = await get(slug);
    expect({ user_count, maybe }).toEqual({ user_count: before.user_count, maybe: before.maybe });
    expect({ asked_about, confirmed_count }).toEqual({ asked_about: 'place', confirmed_count: 1 });
    await bob.api.answers.attend({ event: slug });
    expect(await toConfirm(slug)).toEqual([0, 0, 1]);
    await ada.api.answers.answerFor({ event: slug, user: cyd.id, answer: 'maybe' });
    expect(await toConfirm(slug)).toEqual([0, 0, 0]);
    expect((await get(slug)).confirmed_count).toBe(3);
    await editBy(cyd, slug, { location_name: 'Roof', ask_again: true });
    expect(await toConfirm(slug)).toEqual([1, 1, 0]);
  });

  test('a member who is going can confirm after the cut-off [CALL-08]', async () => {
    const { slug } = await w.event(club, ada, { startsIn: 24 });
    await bob.api.answers.attend({ event: slug });
    await editBy(ada, slug, { location_name: 'Hall', ask_again: true });
    await editBy(ada, slug, { entry_until_time: addSeconds(w.now(), -60) });
    await expect(bob.api.answers.attend({ event: slug })).rejects.toEqual(apiError(409, 'event_closed'));
    await bob.api.answers.answer({ event: slug, answer: 'going' });
    expect((await get(slug, bob)).must_confirm).toBe(false);
  });

  test('undo restores which answers have to be confirmed [HIST-05]', async () => {
    const slug = await answered();
    await editBy(ada, slug, { location_name: 'Hall', ask_again: true });
    await bob.api.answers.attend({ event: slug });
    expect(await toConfirm(slug)).toEqual([0, 0, 1]);
    await editBy(ada, slug, { location_name: 'Attic', ask_again: true });
    expect(await toConfirm(slug)).toEqual([0, 1, 1]);
    await undoBy(ada, slug, await lastChange(slug));
    expect(await toConfirm(slug)).toEqual([0, 0, 1]);
    await cyd.api.answers.attend({ event: slug });
    expect(await toConfirm(slug)).toEqual([0, 0, 0]);
  });

  test('if members are asked to confirm after the cut-off, the start becomes the new cut-off [CALL-06]', async () => {
    const { slug } = await w.event(club, ada, { entryUntil: addSeconds(w.now(), -60) });
    const { start_time, entry_until_time } = await get(slug);
    await editBy(ada, slug, { location_name: 'Hall' });
    expect((await get(slug)).entry_until_time).toBe(entry_until_time);
    await editBy(ada, slug, { location_name: 'Attic', ask_again: true });
    expect((await get(slug)).entry_until_time).toBe(start_time);
  });

  const hours = 3600;
  test.each([
    // In hours: the start and the cut-off, how far the start moves, the cut-off in the request, and the cut-off that is
    // expected if members are asked to confirm (null: the new start).
    ['the cut-off had passed, and moves into the future', [1, -1], 48, undefined, null],
    ['the cut-off moves into the past', [30, 6], -12, undefined, null],
    ['the cut-off stays in the past', [30, -6], 2, undefined, null],
    ['sign-up is open before and after', [30, 6], 24, undefined, 30],
    ['the cut-off had passed, and the edit sets another one', [1, -1], 48, 24, 24],
    ['the edit sets a cut-off in the past', [30, 6], 24, -1, null],
  ] as const)(
    'a move where %s: the start becomes the cut-off only if members are asked to confirm and could not answer otherwise [CALL-06 TIME-03]',
    async (_, [start, cutOff], move, sent, expected) => {
      for (const ask_again of [true, false]) {
        const { id, slug } = await w.event(club, ada, { startsIn: start });
        const now = w.now();
        const at = (inHours: number) => addSeconds(now, inHours * hours);
        await run(w.db, sql`update events set entry_until_time = ${at(cutOff)} where id = ${id}`);
        const start_time = addSeconds((await get(slug)).start_time, move * hours);
        await editBy(ada, slug, {
          start_time,
          ask_again,
          ...(sent !== undefined && { entry_until_time: at(sent) }),
        });
        const moved = at(sent ?? cutOff + move);
        const newStart = expected === null ? start_time : at(expected);
        expect((await get(slug)).entry_until_time).toBe(ask_again ? newStart : moved);
      }
    },
  );

  test.each([
    ['a new time with a request to confirm', { ask_again: true, start: 3600 }, true],
    ['a new time', { start: 3600 }, false],
    ['a new place with a request to confirm', { ask_again: true, location_name: 'Hall', start: 0 }, false],
  ])(
    '%s: whether members who said no get a notice too: $2 [CALL-07]',
    async (_, { start, ...patch }, isTold) => {
      const slug = await answered();
      await cyd.api.answers.answer({ event: slug, answer: 'no' });
      const { start_time } = await get(slug);
      await editBy(ada, slug, { ...patch, ...(start && { start_time: addSeconds(start_time, start) }) });
      const change = await lastChange(slug);
      const recipients = await all(
        w.db,
        sql<{ user_id: string }>`select user_id from notices where dedupe_key = ${change}`,
      );
      expect(recipients.map(({ user_id }) => user_id).toSorted()).toEqual(
        [bob.id, ...(isTold ? [cyd.id] : [])].toSorted(),
      );
    },
  );

  test('runners see how many get a notice and who has not confirmed, members do not [CALL-03]', async () => {
    const slug = await answered();
    await cyd.api.answers.answer({ event: slug, answer: 'no' });
    expect(await get(slug)).toMatchObject({ audience: { followers: 1, declined: 1 }, confirmed_count: null });
    await cyd.api.answers.subscribe({ event: slug });
    expect(await get(slug)).toMatchObject({ audience: { followers: 2, declined: 0 } });
    await editBy(ada, slug, { location_name: 'Hall', ask_again: true });
    const unconfirmed = async () =>
      (await ada.api.answers.list({ event: slug, state: 'unconfirmed' })).answers.map(({ id }) => id);
    expect(await unconfirmed()).toEqual([bob.id]);
    expect((await get(slug)).confirmed_count).toBe(1);
    expect(await get(slug, bob)).toMatchObject({ audience: null, confirmed_count: null, must_confirm: true });
    await bob.api.answers.attend({ event: slug });
    expect(await unconfirmed()).toEqual([]);
    expect((await get(slug)).confirmed_count).toBe(2);
  });

  test.each([
    ['about a change to confirm', 400, { location_name: 'Hall', ask_again: true }, 60],
    ['about a change of an event that starts within a day', 20, { location_name: 'Hall' }, 60],
    ['about a change', 400, { location_name: 'Hall' }, 300],
    [
      'about a change to confirm while an email about another change waits',
      400,
      { location_name: 'Hall', ask_again: true },
      60,
      'Old',
    ],
    ['about a change while an urgent email waits', 400, { description: 'Dry' }, 60, 'Urgent'],
  ] as const)(
    'the email %s is sent after $3 seconds [CALL-11]',
    async (_, startsIn, patch, seconds, earlier?: string) => {
      const slug = await answered(startsIn);
      if (earlier) await editBy(ada, slug, { location_name: earlier, ask_again: earlier === 'Urgent' });
      await editBy(ada, slug, patch);
      const { id } = await get(slug);
      const email = await first(
        w.db,
        sql<{ wait: number }>`
          select extract(epoch from send_at - now())::float as wait from notice_emails
          where kind = 'event_updated' and key = ${id}`,
      );
      expect(Math.abs((email?.wait ?? 0) - seconds)).toBeLessThan(10);
    },
  );

  test('asking members to confirm requires a notice', async () => {
    const slug = await answered();
    await expect(editBy(ada, slug, { name: 'Run', ask_again: true, announce: false })).rejects.toEqual(
      apiError(400, 'must_tell'),
    );
  });
});
