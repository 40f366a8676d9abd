import { describe, expect, test } from 'vitest';
import { all, sql } from '#platform/db.ts';
import { contracts } from '#app/contracts.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf } from '#test/calls.ts';
import { codeIn, world, type Person, type World } from '#test/world.ts';

const lettersTo = async (w: World, address: string) =>
  (await w.outbox()).filter((mail) => mail.to?.[0]?.address === address);
const codeTo = async (w: World, address: string, earlier = 0) => {
  const link = new URL(/http\S+/.exec((await w.letter(address, earlier)).text ?? '')?.[0] ?? 'none:');
  expect(link.origin + link.pathname).toBe('http://muster.test/app/profile');
  return link.searchParams.get('email_code') ?? '';
};
const confirm = ({ api }: Person, code: string) => outcomeOf(api.users.confirmEmail({ code }));
const next = 'new@example.org';

test('a user sees themselves, with a secret for their calendar [API-09 DATA-03]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Bob')];
  const me = await ada.api.users.me({});
  expect(me).toEqual({
    id: ada.id,
    email: ada.email,
    pending_email: null,
    user_name: '',
    first_name: 'Ada',
    last_name: 'Byron',
    profile_picture_url: null,
    ical_feed_url_id: expect.stringMatching(/^[\w-]{22}$/),
    clubs: [],
  });
  expect(me.ical_feed_url_id).not.toBe((await bob.api.users.me({})).ical_feed_url_id);
});

test("a user's clubs come with role and number of members, in the order of their names [DATA-04]", async () => {
  await using w = await world();
  const [ada, bob, eve] = [await w.person('Ada'), await w.person('Bob'), await w.person('Eve')];
  const rowers = await w.club([ada, bob, eve], 'Rowers');
  const chess = await w.club([bob, ada], 'chess');
  await w.club([eve], 'Elsewhere');
  await ada.api.members.changeRole({ club: rowers.id, member: bob.id, role: 100 });
  const line = (club: typeof chess, club_role: number, users: number) => ({
    id: club.id,
    slug: club.slug,
    club_name: club.club_name,
    profile_picture_url: null,
    club_role,
    users,
  });
  expect((await ada.api.users.me({})).clubs).toEqual([line(chess, 0, 2), line(rowers, 200, 3)]);
  expect((await bob.api.users.me({})).clubs).toEqual([line(chess, 200, 2), line(rowers, 100, 3)]);
});

test('a profile changes where it is told to, and nowhere else [API-10]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Bob')];
  const before = await bob.api.users.me({});
  const change = { user_name: 'countess', first_name: ' Augusta ', last_name: 'King' };
  const changed = await ada.api.users.update({ ...change, email: ada.email });
  expect(changed).toMatchObject({
    user_name: 'countess',
    first_name: 'Augusta',
    last_name: 'King',
    email: ada.email,
  });
  expect(await ada.api.users.update({ last_name: '' })).toEqual({ ...changed, last_name: '' });
  expect(await ada.api.users.update({})).toEqual({ ...changed, last_name: '' });
  expect(await bob.api.users.me({})).toEqual(before);
});

describe('a new e-mail address', () => {
  test('waits until it is confirmed; then the old one is told and logs in no more', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    expect(await ada.api.users.update({ email: 'New@Example.org' })).toMatchObject({
      email: ada.email,
      pending_email: next,
    });
    const code = await codeTo(w, next);
    expect((await ada.api.users.me({})).email).toBe(ada.email);
    expect(await lettersTo(w, ada.email)).toHaveLength(1);

    expect(await ada.api.users.confirmEmail({ code })).toMatchObject({
      id: ada.id,
      email: next,
      pending_email: null,
    });
    const told = await w.letter(ada.email, 1);
    expect(told.text).toContain(next);
    expect(await confirm(ada, code)).toBe('400 wrong_code');

    await w.anyone.auth.login({ email: next });
    await w.anyone.auth.confirm({ email: next, code: codeIn(await w.letter(next, 1)) });
    expect(await all(w.db, sql`select email from users`)).toEqual([{ email: next }]);
  });

  test('is confirmed by nobody else, not by guessing, and not after ten minutes', async () => {
    await using w = await world();
    const [ada, eve] = [await w.person('Ada'), await w.person('Eve')];
    await ada.api.users.update({ email: next });
    const code = await codeTo(w, next);
    expect(code.length).toBeGreaterThanOrEqual(43);
    for (const other of ['', 'x', code.toLowerCase(), code.slice(0, -1)])
      expect(await confirm(ada, other)).toBe('400 wrong_code');
    expect(await confirm(eve, code)).toBe('400 wrong_code');
    w.later('10 minutes');
    expect(await confirm(ada, code)).toBe('400 wrong_code');
    expect((await ada.api.users.me({})).email).toBe(ada.email);
    expect(JSON.stringify(await all(w.db, sql`select t::text from users t`))).not.toContain(code);
  });

  test('gives way to a later one, and to the old one', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await ada.api.users.update({ email: next });
    const code = await codeTo(w, next);
    await ada.api.users.update({ email: 'later@example.org' });
    const later = await codeTo(w, 'later@example.org');
    expect(await confirm(ada, code)).toBe('400 wrong_code');
    expect((await ada.api.users.update({ email: ada.email })).pending_email).toBeNull();
    expect(await confirm(ada, later)).toBe('400 wrong_code');
  });

  test('that is somebody else’s is answered alike, mailed nothing and never taken', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const taken = await ask(
      w.origin,
      contracts.users.update,
      { email: bob.email },
      ada.session.read()?.AccessToken.Token,
    );
    const free = await ask(
      w.origin,
      contracts.users.update,
      { email: next },
      ada.session.read()?.AccessToken.Token,
    );
    await codeTo(w, next);
    expect(taken.status).toBe(200);
    expect(taken.text.replace(bob.email, '')).toBe(free.text.replace(next, ''));
    expect(await lettersTo(w, bob.email)).toHaveLength(1);
    expect((await bob.api.users.me({})).email).toBe(bob.email);
  });

  test('that somebody takes meanwhile stays theirs', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await ada.api.users.update({ email: next });
    const code = await codeTo(w, next);
    await w.anyone.auth.login({ email: next });
    await w.anyone.auth.confirm({ email: next, code: codeIn(await w.letter(next, 1)) });
    expect(await confirm(ada, code)).toBe('409 email_taken');
    expect((await ada.api.users.me({})).email).toBe(ada.email);
    expect(await lettersTo(w, ada.email)).toHaveLength(1);
  });

  test('of two who confirm the same one at once goes to one', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    for (const { api } of [ada, bob]) await api.users.update({ email: next });
    const codes = [await codeTo(w, next), await codeTo(w, next, 1)];
    const attempts = [ada, bob].flatMap((person) => codes.map((code) => confirm(person, code)));
    const outcomes = (await Promise.all(attempts)).toSorted();
    expect(outcomes).toEqual(['400 wrong_code', '400 wrong_code', '409 email_taken', 'ok']);
  });

  test('can be asked for five times an hour; a profile can still be changed', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const token = ada.session.read()?.AccessToken.Token;
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++)
      statuses.push(
        (await ask(w.origin, contracts.users.update, { email: `n${n}@example.org` }, token)).status,
      );
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await ada.api.users.update({ first_name: 'Augusta' })).first_name).toBe('Augusta');
  });
});
