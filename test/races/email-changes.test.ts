import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { digest, signed } from '#platform/token.ts';
import { outcomeOf } from '#test/calls.ts';
import { codeFor, manyPeople, eachRound, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

/** Changes the email of an account and returns the revert token emailed to the old address. */
async function changeEmail(w: World, person: Person, to: string): Promise<string> {
  const id = randomUUID();
  await run(
    w.db,
    sql`insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
        values (${id}, ${person.id}, ${person.email}, ${to}, now(), now() - interval '2 hours', now() - interval '1 hour',
          now() + interval '6 days')`,
  );
  await run(w.db, sql`update users set email = ${to} where id = ${person.id}`);
  return signed(w.config.secretKey, 'revert-email', id);
}

/** Requests an email change and returns its confirmation code. */
async function requestChange(w: World, { id }: Person, from: string, to: string): Promise<string> {
  const code = randomUUID();
  await run(
    w.db,
    sql`insert into email_changes (id, user_id, old_email, new_email, code_hash, code_ends_at, requested_at, ends_at)
        values (gen_random_uuid(), ${id}, ${from}, ${to}, ${digest(code)}, now() + interval '10 minutes', now(),
          now() + interval '7 days')`,
  );
  return code;
}

const emailsOf = async (w: World, ...ids: string[]) => {
  const rows = sql<{ email: string }>`select email from users where id = any (${ids}::uuid[])`;
  return (await all(w.db, rows)).map(({ email }) => email);
};

const sessionsOf = async (w: World, { id }: Person) =>
  (await all(w.db, sql`select 1 from sessions where user_id = ${id}`)).length;

const addresses = (nth: number) => ['b', 'c'].map((name) => `${name}-${nth}@example.org`) as [string, string];

test(
  'revert: wins over a concurrent second change and login, and ends all sessions [C20]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const [ada] = (await manyPeople(w, 1)) as [Person];
      const [b, c] = addresses(nth);
      const token = await changeEmail(w, ada, b);
      const code = await requestChange(w, ada, b, c);
      const login = await codeFor(w, b);
      const [reverted, confirmed] = await Promise.all([
        outcomeOf(w.anyone.users.revertEmail({ token })),
        outcomeOf(ada.api.users.confirmEmail({ code })),
        outcomeOf(w.anyone.auth.confirm({ email: b, code: login })),
      ]);
      expect(reverted).toBe('ok');
      expect(['ok', '400 wrong_code', '401 not_signed_in']).toContain(confirmed);
      expect(await emailsOf(w, ada.id)).toEqual([ada.email]);
      expect(await sessionsOf(w, ada)).toBe(0);
      expect(await all(w.db, sql`select 1 from email_changes where user_id = ${ada.id}`)).toEqual([]);
    }
  },
  timeout,
);

test(
  'revert: succeeds once when the link is used concurrently [C20]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const [ada] = (await manyPeople(w, 1)) as [Person];
      const token = await changeEmail(w, ada, addresses(nth)[0]);
      const outcomes = await Promise.all(
        Array.from({ length: 4 }, () => outcomeOf(w.anyone.users.revertEmail({ token }))),
      );
      expect(outcomes.toSorted()).toEqual([...Array<string>(3).fill('404 not_found'), 'ok']);
    }
  },
  timeout,
);

test(
  'revert: exactly one of a revert and a concurrent account deletion succeeds [C20]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const [ada] = (await manyPeople(w, 1)) as [Person];
      const [b] = addresses(nth);
      const token = await changeEmail(w, ada, b);
      const code = await codeFor(w, b, 'ABCDEF', 'deletion');
      const outcomes = await Promise.all(
        [ada.api.account.remove({ code }), w.anyone.users.revertEmail({ token })].map(outcomeOf),
      );
      expect(['ok,404 not_found', '400 wrong_code,ok', '401 not_signed_in,ok']).toContain(outcomes.join());
      expect(await emailsOf(w, ada.id)).toEqual(outcomes[0] === 'ok' ? [] : [ada.email]);
    }
  },
  timeout,
);

test(
  'confirm: one account gets the address when two confirm it concurrently [C20]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
      const [b] = addresses(nth);
      const codes = [await requestChange(w, ada, ada.email, b), await requestChange(w, bob, bob.email, b)];
      const outcomes = await Promise.all(
        [ada, bob].flatMap(({ api }) => codes.map((code) => outcomeOf(api.users.confirmEmail({ code })))),
      );
      expect(outcomes.toSorted()).toEqual(['400 wrong_code', '400 wrong_code', '409 email_taken', 'ok']);
    }
  },
  timeout,
);

test(
  'confirm: while an account changes its address, nobody can take the old address or create an account with it [C20]',
  async () => {
    await using w = await world();
    for (const nth of eachRound) {
      const [ada, bob] = (await manyPeople(w, 2)) as [Person, Person];
      const [b] = addresses(nth);
      const code = await requestChange(w, ada, ada.email, b);
      const bobs = await requestChange(w, bob, bob.email, ada.email);
      const login = await codeFor(w, ada.email);
      const [adas, taken, entered] = await Promise.all([
        outcomeOf(ada.api.users.confirmEmail({ code })),
        outcomeOf(bob.api.users.confirmEmail({ code: bobs })),
        outcomeOf(w.anyone.auth.confirm({ email: ada.email, code: login })),
      ]);
      expect([adas, taken]).toEqual(['ok', '409 email_taken']);
      expect(['ok', '409 email_taken']).toContain(entered);
      expect(await all(w.db, sql`select 1 from users where email = ${ada.email}`)).toEqual([]);
      expect(await sessionsOf(w, ada)).toBe(1);
    }
  },
  timeout,
);
