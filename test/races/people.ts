import { randomUUID } from 'node:crypto';
import { all, run, sql } from '#platform/db/client.ts';
import { digest, randomToken, hmac } from '#platform/token.ts';
import type { Purpose } from '#features/auth/contract.ts';
import { findViolations } from '#test/invariants.ts';
import { memorySession, type Person, type World } from '#test/world.ts';

/** Rounds of each race: 5 in `npm test`, hundreds in `npm run races`. */
export const rounds = Number(process.env['ROUNDS'] ?? 5);
/** Allows one second per round. */
export const timeout = 60_000 + rounds * 1000;

/** Logged-in people, inserted directly because login emails would be slow. */
export const manyPeople = (w: World, count: number): Promise<Person[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const id = randomUUID();
      const [email, token] = [`${id}@example.org`, randomToken()];
      await run(
        w.db,
        sql`insert into users (id, email, first_name, calendar_secret, created_at)
            values (${id}, ${email}, 'Racer', ${id}, now())`,
      );
      await run(
        w.db,
        sql`insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
            values (gen_random_uuid(), ${id}, ${digest(token)}, now() + interval '1 day', ''::bytea, now(), now(),
              now() + interval '1 day')`,
      );
      const session = memorySession();
      session.write({ AccessToken: { Token: token }, RefreshToken: { Token: 'none' } });
      return { id, email, api: w.client(session), session };
    }),
  );

/** Clubs with these admins and members, by default one per round. */
export async function clubsOf(w: World, admins: Person[], members: Person[] = [], count = rounds) {
  const memberIds = [...admins, ...members].map(({ id }) => id);
  const rows = await all(
    w.db,
    sql<{ id: string }>`
      with founded as (
        insert into clubs (id, slug, club_name, created_at)
        select gen_random_uuid(), 'race-' || gen_random_uuid(), 'Race', now() from generate_series(1, ${count}::int)
        returning id
      ), seated as (
        insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        select id, person, case when nth <= ${admins.length}::int then 200 else 0 end, gen_random_uuid(),
          now() - interval '1 minute' + nth * interval '1 ms'
        from founded, unnest(${memberIds}::uuid[]) with ordinality as seats (person, nth)
      )
      select id from founded`,
  );
  return rows.map(({ id }) => id);
}

/** One upcoming event per club, with this host. */
export async function eventsOf(w: World, clubs: string[], host: Person): Promise<string[]> {
  const rows = await all(
    w.db,
    sql<{ id: string }>`
      with planned as (
        insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone,
          created_at, updated_at)
        select gen_random_uuid(), 'race-' || gen_random_uuid(), club, 'Race', now() + interval '2 days',
          now() + interval '3 days', now() + interval '2 days', 'UTC', now(), now()
        from unnest(${clubs}::uuid[]) as club returning id
      ), hosted as (
        insert into answers (event_id, user_id, attendee_role, answered_at)
        select id, ${host.id}, 'organiser', now() from planned
      )
      select id from planned`,
  );
  return rows.map(({ id }) => id);
}

/** Adds a valid login code for an address. */
export async function codeFor(
  { db, config }: World,
  email: string,
  code = 'ABCDEF',
  purpose: Purpose = 'login',
): Promise<string> {
  await run(
    db,
    sql`insert into login_codes (id, email, purpose, short_hash, long_hash, created_at, expires_at)
        values (gen_random_uuid(), ${email}, ${purpose}, ${hmac(config.secretKey, 'code', email, code)}, ''::bytea, now(),
          now() + interval '10 minutes')`,
  );
  return code;
}

/** Records the order of changes to some tables. Writers hold a lock, so this is also the commit order. */
export async function recordChanges({ db }: World, ...tables: string[]) {
  await run(db, sql`create table noted (nth bigserial, operation text, row jsonb)`);
  await run(
    db,
    sql`create function note() returns trigger language plpgsql as $$
        begin
          insert into noted (operation, row) values (tg_op || ' ' || tg_table_name, to_jsonb(coalesce(new, old)));
          return null;
        end $$`,
  );
  for (const table of tables)
    await run(
      db,
      sql`create trigger zz_noted after insert or update or delete on ${sql.table(table)}
          for each row execute function note()`,
    );
  return async () => {
    const rows = await all(
      db,
      sql<{ operation: string; row: Record<string, unknown> }>`select operation, row from noted order by nth`,
    );
    await run(db, sql`delete from noted`);
    return rows;
  };
}

/** The rows that violate an invariant of clubs and events. */
export const broken = ({ db }: Pick<World, 'db'>) =>
  all(db, sql<{ fault: string }>`${sql.raw(findViolations)}`);

export const eachRound = Array.from({ length: rounds }, (_, nth) => nth);
