import type { App } from './app.ts';

export interface TestUser {
  id: string;
  email: string;
  token: string;
  /** The club in which they are the admin; the next two users are its members. */
  club: string;
}

/** Inserts users with one session and one club each directly into the database. */
export async function createUsers(app: Pick<App, 'sql'>, count: number): Promise<TestUser[]> {
  await app.sql(`
    insert into users (id, email, first_name, calendar_secret, created_at)
    select gen_random_uuid(), 'person-' || n || '@example.org', 'Person', gen_random_uuid(), now() from generate_series(0, ${count - 1}) n`);
  await app.sql(`
    insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
    select gen_random_uuid(), id, sha256(('token-' || id)::bytea), now() + interval '1 day', sha256(('refresh-' || id)::bytea),
      now(), now(), now() + interval '1 day' from users where email like 'person-%'`);
  await app.sql(`
    insert into clubs (id, slug, club_name, created_at)
    select gen_random_uuid(), 'club-' || n, 'Club ' || n, now() from generate_series(0, ${count - 1}) n`);
  await app.sql(`
    insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
    select c.id, u.id, case step when 0 then 200 else 0 end, gen_random_uuid(), now()
    from generate_series(0, ${count - 1}) n cross join generate_series(0, 2) step
    join clubs c on c.slug = 'club-' || n join users u on u.email = 'person-' || (n + step) % ${count} || '@example.org'`);
  return app.sql<TestUser>(`
    select u.id, u.email, 'token-' || u.id as token, c.id as club
    from users u join clubs c on c.slug = 'club-' || split_part(split_part(u.email, '@', 1), '-', 2)
    where u.email like 'person-%' order by length(u.email), u.email`);
}
