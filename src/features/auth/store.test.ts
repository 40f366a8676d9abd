import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { all, first, openDatabase, run, sql } from '#platform/db/client.ts';
import { digest } from '#platform/token.ts';
import type { AuthData } from '#wire/client.ts';
import type { Envelope } from '#wire/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { sessionFinder } from '#features/auth/handlers.ts';
import { ask } from '#test/ask.ts';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { codeIn, memorySession, world, type Person, type World } from '#test/world.ts';

const sessionOf = (person: Person) => person.session.read() as AuthData;
const renew = (w: World, { RefreshToken }: AuthData) =>
  ask(w.origin, contracts.auth.refresh, { token: RefreshToken.Token });
const renewed = async (w: World, auth: AuthData): Promise<AuthData> => {
  const response = await renew(w, auth);
  expect(response.status).toBe(200);
  return (JSON.parse(response.text) as Envelope).data as AuthData;
};
const statusOf = async (w: World, { AccessToken }: AuthData) =>
  (await ask(w.origin, contracts.users.me, {}, AccessToken.Token)).status;

/** Logs the person in from another browser. */
async function again(w: World, { email }: Person): Promise<Person> {
  w.later('2 minutes');
  await w.anyone.auth.login({ email });
  const session = memorySession();
  const api = w.client(session);
  session.write(await api.auth.confirm({ email, code: codeIn(await w.mail(email)) }));
  return { id: (await api.users.me({})).id, email, api, session };
}

describe('session refresh', () => {
  test('needs no access token, returns two new tokens and invalidates the old access token [API-08]', async () => {
    await using w = await world();
    const first = sessionOf(await w.person('Ada'));
    const second = await renewed(w, first);
    expect(second.AccessToken.Token).not.toBe(first.AccessToken.Token);
    expect(second.RefreshToken.Token).not.toBe(first.RefreshToken.Token);
    expect(await statusOf(w, second)).toBe(200);
    expect(await statusOf(w, first)).toBe(401);
  });

  test('returns the same successor when the direct parent is sent again (two tabs, a lost response)', async () => {
    await using w = await world();
    const first = sessionOf(await w.person('Ada'));
    const responses = await Promise.all(Array.from({ length: 20 }, () => renewed(w, first)));
    const [second] = responses;
    for (const response of responses) expect(response).toEqual(second);
    expect(await renewed(w, first)).toEqual(second);
    expect(await statusOf(w, second as AuthData)).toBe(200);
  });

  test('ends the session when an older token is reused', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const first = sessionOf(ada);
    const second = await renewed(w, first);
    const third = await renewed(w, second);
    expect(await statusOf(w, third)).toBe(200);
    expect((await renew(w, first)).status).toBe(401);
    expect(await statusOf(w, third)).toBe(401);
    expect((await renew(w, third)).status).toBe(401);
    expect((await renew(w, second)).status).toBe(401);
    expect(await all(w.db, sql`select * from sessions`)).toEqual([]);
  });

  test('returns 401 for a token that was never issued and ends no session [C6]', async () => {
    await using w = await world();
    const auth = sessionOf(await w.person('Ada'));
    const [id = '', secret = ''] = auth.RefreshToken.Token.split('.');
    const { RefreshToken: foreign } = sessionOf(await w.person('Bob'));
    const forged = [
      id,
      `${id}.`,
      `${id}.garbage`,
      `${id}.${secret}`,
      `${auth.RefreshToken.Token}x`,
      `${auth.RefreshToken.Token}.x`,
      foreign.Token.replace(/^[^.]+/, id),
      auth.RefreshToken.Token.replace(secret, foreign.Token.split('.')[1] ?? ''),
    ];
    for (const Token of forged)
      expect((await renew(w, { ...auth, RefreshToken: { Token } })).status).toBe(401);
    expect(await statusOf(w, auth)).toBe(200);
    await renewed(w, auth);
  });

  test('continues a session of the previous release, whose older tokens count as never issued', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const [id] = sessionOf(ada).RefreshToken.Token.split('.');
    const plain = { ...sessionOf(ada), RefreshToken: { Token: `${id}.${'x'.repeat(43)}` } };
    await run(
      w.db,
      sql`update sessions set refresh_hash = ${digest(plain.RefreshToken.Token)} where id = ${id}`,
    );
    const third = await renewed(w, await renewed(w, plain));
    expect((await renew(w, plain)).status).toBe(401);
    expect(await statusOf(w, third)).toBe(200);
  });

  test('returns 401 for a malformed token', async () => {
    await using w = await world();
    const dashes = '-'.repeat(36);
    const tokens = [
      '',
      'x',
      '.',
      dashes,
      `${dashes}.x`,
      '5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111.x',
      'x'.repeat(200),
    ];
    for (const token of tokens) {
      const response = await ask(w.origin, contracts.auth.refresh, { token });
      expect(response.status).toBe(401);
      expect(JSON.parse(response.text)).toMatchObject({ error: 'not_signed_in' });
    }
  });
});

describe('session', () => {
  test('needs a new access token after 15 minutes', async () => {
    await using w = await world();
    const auth = sessionOf(await w.person('Ada'));
    w.later('14 minutes');
    expect(await statusOf(w, auth)).toBe(200);
    w.later('1 minute');
    expect(await statusOf(w, auth)).toBe(401);
    expect(await statusOf(w, await renewed(w, auth))).toBe(200);
  });

  test('expires after thirty idle days', async () => {
    await using w = await world();
    let auth = sessionOf(await w.person('Ada'));
    w.later('29 days');
    auth = await renewed(w, auth);
    w.later('29 days');
    auth = await renewed(w, auth);
    w.later('30 days');
    expect((await renew(w, auth)).status).toBe(401);
  });

  test('expires after ninety days even if active, together with its access token', async () => {
    await using w = await world();
    let auth = sessionOf(await w.person('Ada'));
    for (let n = 0; n < 4; n++) {
      w.later('22 days');
      auth = await renewed(w, auth);
    }
    w.later('47 hours');
    w.later('55 minutes');
    auth = await renewed(w, auth);
    expect(await statusOf(w, auth)).toBe(200);
    w.later('5 minutes');
    expect(await statusOf(w, auth)).toBe(401);
    expect((await renew(w, auth)).status).toBe(401);
  });

  test('ends at logout with both tokens; other sessions continue', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const other = await again(w, ada);
    const auth = sessionOf(ada);
    expect(other.id).toBe(ada.id);
    await ada.api.auth.logout({});
    expect(await statusOf(w, auth)).toBe(401);
    expect((await renew(w, auth)).status).toBe(401);
    expect(await statusOf(w, sessionOf(other))).toBe(200);
  });

  test('ends at a logout from all devices; sessions of other users continue', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const other = await again(w, ada);
    await other.api.auth.logout({ all: true });
    for (const auth of [sessionOf(ada), sessionOf(other)]) {
      expect(await statusOf(w, auth)).toBe(401);
      expect((await renew(w, auth)).status).toBe(401);
    }
    expect(await statusOf(w, sessionOf(bob))).toBe(200);
  });

  test('is listed with a device name, and only its user can end it', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const other = await again(w, ada);
    const idle = sql`insert into sessions
      select gen_random_uuid(), user_id, 'idle', access_ends_at, refresh_hash, null, 'idle', created_at,
        now() - interval '30 days', ends_at from sessions where user_id = ${bob.id}`;
    await run(w.db, idle);
    await run(
      w.db,
      sql`update sessions set device = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
      where user_id = ${ada.id}`,
    );
    const sessions = await ada.api.auth.sessions({});
    expect(sessions.map(({ device, is_current }) => [device, is_current])).toEqual([
      ['Firefox on Linux', false],
      ['Firefox on Linux', true],
    ]);
    const [theirs] = sessions;
    expect(await bob.api.auth.sessions({})).toHaveLength(1);
    const end = (person: Person, session = theirs?.id ?? '') => person.api.auth.endSession({ session });
    await expect(end(bob)).rejects.toMatchObject({ status: 404 });
    expect(await statusOf(w, sessionOf(other))).toBe(200);
    await end(ada);
    expect(await statusOf(w, sessionOf(other))).toBe(401);
    expect((await renew(w, sessionOf(other))).status).toBe(401);
    expect((await ada.api.auth.sessions({})).map(({ is_current }) => is_current)).toEqual([true]);
    await expect(end(ada)).rejects.toMatchObject({ status: 404 });
  });

  test('replaces the least recently used session when a user has more than twenty', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await sql`insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
      select gen_random_uuid(), ${ada.id}, sha256(n::text::bytea), now(), ''::bytea, now(), now() + n * interval '1 second',
        now() + interval '1 day' from generate_series(1, 19) n`.execute(w.db);
    await again(w, ada);
    expect(await first(w.db, sql`select count(*)::int from sessions`)).toEqual({ count: 20 });
    expect(await statusOf(w, sessionOf(ada))).toBe(401);
  });

  test('stores neither the access token nor the refresh token in plain text [T20]', async () => {
    await using w = await world();
    const auth = await renewed(w, sessionOf(await w.person('Ada')));
    const rows = JSON.stringify(
      await all(
        w.db,
        sql`select encode(access_hash, 'escape') a, encode(access_hash, 'base64') b,
      encode(refresh_hash, 'escape') c, encode(refresh_hash, 'base64') d, t::text from sessions t`,
      ),
    );
    expect(rows).not.toContain(auth.AccessToken.Token);
    expect(rows).not.toContain(auth.RefreshToken.Token.split('.')[1]);
  });
});

describe('batched session look-ups', () => {
  const far = { seconds: 0 };

  test('share one statement, and each returns its own session or none', async () => {
    await using w = await world();
    const people = [await w.person('Ada'), await w.person('Bob'), await w.person('Cy')];
    const [, bob, cy] = people as [Person, Person, Person];
    await bob.api.auth.logout({});
    const tokens = people.map((person) => sessionOf(person).AccessToken.Token);
    await using proxy = await openTcpProxy(w.databaseUrl);
    const { db, close } = openDatabase(proxy.url, { size: 5, onError: () => {} });
    const find = sessionFinder(db, far);
    const odd = [undefined, '', 'nobody', '\0', '{"', 'x'.repeat(100_000), sessionOf(cy).RefreshToken.Token];
    let found: Awaited<ReturnType<typeof find>>[] = [];
    const requested = Array.from({ length: 20 }, () => [...tokens, ...odd]).flat();
    const statements = await proxy.count(async () => (found = await Promise.all(requested.map(find))));
    await close();
    expect(statements).toBe(1);
    const owners = [people[0]?.id, undefined, cy.id, ...odd.map(() => undefined)];
    expect(found.map(({ user }) => user?.id)).toEqual(
      requested.map((_, index) => owners[index % owners.length]),
    );
    expect(new Set(found.map(({ now }) => now)).size).toBe(1);
  });

  test('never return a session, a role or a right that ended before the look-up [ROLE2-07]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([bob]);
    const memberships = async (id: string) => [...((await find(id)).user?.memberships ?? [])];
    const find = sessionFinder(w.db, far);
    const others = setInterval(() => void find(sessionOf(bob).AccessToken.Token).catch(() => {}), 0);
    try {
      for (let round = 0; round < 30; round++) {
        const id = randomUUID();
        await run(
          w.db,
          sql`insert into sessions select (jsonb_populate_record(s, jsonb_build_object('id', ${id}::text,
                'access_hash', ${`\\x${digest(id).toString('hex')}`}::text))).*
              from sessions s where user_id = ${ada.id} limit 1`,
        );
        expect((await find(id)).user).toEqual({ id: ada.id, session_id: id, memberships: new Map() });
        await run(
          w.db,
          sql`insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
              values (${club.id}, ${ada.id}, 100, ${id}, now())`,
        );
        for (const is_planner of [true, false]) {
          await run(w.db, sql`update clubs set organisers_plan = ${is_planner} where id = ${club.id}`);
          expect(await memberships(id)).toEqual([[club.id, { club_role: 100, is_planner }]]);
        }
        await run(w.db, sql`delete from members where calendar_secret = ${id}`);
        expect(await memberships(id)).toEqual([]);
        await run(w.db, sql`delete from sessions where id = ${id}`);
        expect((await find(id)).user).toBeUndefined();
      }
    } finally {
      clearInterval(others);
    }
  });
});
