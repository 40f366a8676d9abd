import { expect, test } from 'vitest';
import { all, first, sql } from '#platform/db/client.ts';
import type { AuthData } from '#wire/client.ts';
import type { Envelope } from '#wire/endpoint.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf } from '#test/calls.ts';
import { codeFor, manyPeople, eachRound, timeout, rounds } from '#test/races/people.ts';
import { world, type World } from '#test/world.ts';

const times = <T>(count: number, work: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => work(nth)));

const sessionsOf = async (w: World, email: string) =>
  (
    await all(
      w.db,
      sql`select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email}`,
    )
  ).length;

test(
  'confirm: one of ten concurrent requests with the same code succeeds and gets the only session [T3 C5]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const email = `racer-${nth}@example.org`;
      const code = await codeFor(w, email);
      const outcomes = await times(10, () => outcomeOf(w.anyone.auth.confirm({ email, code })));
      expect(outcomes.toSorted()).toEqual([...Array<string>(9).fill('400 wrong_code'), 'ok']);
      expect(await sessionsOf(w, email)).toBe(1);
    }
  },
  timeout,
);

test(
  'confirm: concurrent wrong codes are each counted [T3]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const email = `guesser-${nth}@example.org`;
      await times(10, () => outcomeOf(w.anyone.auth.confirm({ email, code: '222222' })));
      const guard = sql`select wrong_this_hour as count from login_throttles where email = ${email}`;
      expect(await first(w.db, guard)).toEqual({ count: 10 });
    }
  },
  timeout,
);

test(
  'confirm: concurrent first logins of an address with three codes create one account [C17]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const email = `newcomer-${nth}@example.org`;
      const codes = await times(3, (which) => codeFor(w, email, `ABCDE${which + 2}`));
      const outcomes = await times(9, (which) =>
        outcomeOf(w.anyone.auth.confirm({ email, code: codes[which % 3] as string })),
      );
      expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(3);
      expect(await all(w.db, sql`select 1 from users where email = ${email}`)).toHaveLength(1);
    }
  },
  timeout,
);

test(
  'refresh: concurrent tabs get the same new tokens, and a token two refreshes old ends the session [C6]',
  async () => {
    await using w = await world();
    const refresh = async (auth: AuthData): Promise<AuthData> => {
      const response = await ask(w.origin, contracts.auth.refresh, { token: auth.RefreshToken.Token });
      expect(response.status).toBe(200);
      return (JSON.parse(response.text) as Envelope).data as AuthData;
    };
    const statusOf = async ({ AccessToken }: AuthData) =>
      (await ask(w.origin, contracts.users.me, {}, AccessToken.Token)).status;
    for (const nth of eachRound) {
      const email = `tabs-${nth}@example.org`;
      const first = await w.anyone.auth.confirm({ email, code: await codeFor(w, email) });
      const seconds = await times(4, () => refresh(first));
      const [second] = seconds as [AuthData];
      expect(new Set(seconds.map((auth) => auth.AccessToken.Token)).size).toBe(1);
      // A client that lost the response repeats the request and gets the same tokens.
      expect(await refresh(first)).toEqual(second);
      const third = await refresh(second);
      const responses = await Promise.all([
        ask(w.origin, contracts.auth.refresh, { token: first.RefreshToken.Token }),
        ask(w.origin, contracts.auth.refresh, { token: second.RefreshToken.Token }),
      ]);
      expect(responses[0].status).toBe(401);
      expect([200, 401]).toContain(responses[1].status);
      expect(await statusOf(third)).toBe(401);
      expect(await sessionsOf(w, email)).toBe(0);
    }
  },
  timeout,
);

test(
  'create club: concurrent clubs of the same name get distinct slugs [C17]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const founders = await manyPeople(w, 8);
      const clubs = await Promise.all(
        founders.map(({ api }) => api.clubs.create({ club_name: `Chess ${nth}` })),
      );
      expect(new Set(clubs.map(({ slug }) => slug)).size).toBe(8);
    }
    expect(await first(w.db, sql`select count(distinct slug) from clubs`)).toEqual({ count: rounds * 8 });
  },
  timeout,
);
