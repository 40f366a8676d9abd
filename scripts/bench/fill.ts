// The only file of the benchmark that names tables. Later migrations may add columns with defaults, and triggers.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { attends, nameOf, type Population } from './population.ts';

/** An id that follows from a name, marked as random ids are: version 4, variant 8. */
const functionsOf = ({ base }: Population) => `
  create function pg_temp.id(name text) returns uuid language sql immutable as $$
    select overlay(overlay(md5(name) placing '4' from 13) placing '8' from 17)::uuid $$;
  create function pg_temp.person(n int) returns uuid language sql immutable as $$ select pg_temp.id('person ' || n) $$;
  create function pg_temp.club(n int) returns uuid language sql immutable as $$ select pg_temp.id('club ' || n) $$;
  create function pg_temp.base() returns timestamptz language sql immutable as $$ select to_timestamp(${base / 1000}) $$`;

const firstNames = `array['Ada', 'Ben', 'Chloe', 'David', 'Emma', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jonas', 'Kemal']`;
const lastNames = `array['Abel', 'Brown', 'Costa', 'Diaz', 'Evans', 'Fischer', 'Garcia', 'Haddad', 'Ito', 'Jansen', 'Klein']`;
const clubNames = `array['Harbour Rowers', 'Chess Circle', 'Riverside Choir', 'Oakfield Runners', 'Book Club', 'Lakeside Board Games']`;
const occasions = `array['Training', 'Committee meeting', 'Social evening', 'Away match', 'Monday class']`;
const text = (subject: string, times: string) =>
  `repeat('All there is to know about ${subject}. ', ${times})`;

/**
 * Fills a migrated, empty database. The client is a superuser's: triggers run, but references are not checked. Returns a
 * refresh token for each person, of a session that no other request uses.
 */
export async function fill(client: pg.Client, population: Population): Promise<string[]> {
  await client.query(functionsOf(population));
  await client.query(`set synchronous_commit = off; set work_mem = '128MB'`);
  await alterTables(client, 'disable trigger all', 'enable trigger user');
  await addPeople(client, population);
  await addClubs(client, population);
  await addEvents(client, population);
  await alterTables(client, 'enable trigger all');
  await client.query('reset synchronous_commit; reset work_mem');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const { rows } = await client.query<{ token: string }>(
    `select pg_temp.id('other session ' || n) || '.refresh' as token from generate_series(0, $1::int - 1) n order by n`,
    [population.people],
  );
  return rows.map(({ token }) => token);
}

async function alterTables(client: pg.Client, ...changes: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows)
    for (const change of changes) await client.query(`alter table ${name} ${change}`);
}

/** Runs `statement`, which reads `from rows`, whose columns have these names and types. */
async function insert(
  client: pg.Client,
  statement: string,
  columns: Record<string, string>,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const lists = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const source = `from unnest(${lists.join(', ')}) as rows (${Object.keys(columns).join(', ')})`;
  const query = statement.replace('from rows', source);
  const values = lists.map((_, index) => rows.map((row) => row[index]));
  await client.query(query, values);
}

const inSql = (column: string) => `' || ${column} || '`;
const [slug, email] = [`'${nameOf.event(inSql('club'), inSql('n'))}'`, `'${nameOf.email(inSql('n'))}'`];
const accessToken = `'${nameOf.accessToken(inSql('n'))}'`;

const sessionsOf = (name: string, token: string) => `
  insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
  select id, pg_temp.person(n), sha256(convert_to(${token}, 'utf8')), now() + interval '1 day',
    sha256(convert_to(id || '.refresh', 'utf8')), pg_temp.base(), pg_temp.base(), pg_temp.base() + interval '80 days'
  from (select n, pg_temp.id('${name} ' || n) as id from rows) people`;

async function addPeople(client: pg.Client, { people }: Population): Promise<void> {
  const rows = Array.from({ length: people }, (_, person) => [person]);
  for (const statement of [
    `insert into users (id, email, first_name, last_name, calendar_secret, created_at)
     select pg_temp.person(n), ${email}, (${firstNames})[1 + n % 11], (${lastNames})[1 + n / 11 % 11] || ' ' || n,
       '${nameOf.personalFeed(inSql('n'))}', pg_temp.base() from rows`,
    sessionsOf('session', accessToken),
    sessionsOf('other session', `'other-' || ${accessToken}`),
    `insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
     select pg_temp.id('notification ' || n || ' ' || nth), pg_temp.person(n),
       case nth % 3 when 0 then 'club_update' else 'new_event' end, pg_temp.id('cause ' || n || ' ' || nth),
       pg_temp.person((n + nth) % ${people}), jsonb_build_object('club_name', 'Club ' || nth, 'club_slug', 'club-0') ||
         case nth % 3 when 0 then '{}' else jsonb_build_object('event_name', 'Event ' || nth, 'event_slug', 'event-0-' || nth) end,
       pg_temp.base() - nth * interval '9 hours'
     from rows, generate_series(1, 10) nth`,
    // Only one in twenty wants emails about updates. Otherwise the benchmark would mostly measure emails.
    `insert into notification_opt_outs (user_id, key) select pg_temp.person(n), 'email_club_update' from rows where n % 20 > 0`,
  ])
    await insert(client, statement, { n: 'int' }, rows);
}

async function addClubs(client: pg.Client, { clubs }: Population): Promise<void> {
  await insert(
    client,
    `insert into clubs (id, slug, club_name, club_description, location_name, created_at)
     select pg_temp.club(n), '${nameOf.club(inSql('n'))}', (${clubNames})[1 + n % 6] || ' ' || n,
       ${text('this club', '3 + n % 6')}, 'Pier ' || n % 9,
       pg_temp.base() - interval '400 days' from rows`,
    { n: 'int' },
    clubs.map(({ id }) => [id]),
  );
  await insert(
    client,
    `insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
     select pg_temp.club(club), pg_temp.person(n), case when nth < 2 then 200 else 0 end,
       '${nameOf.clubFeed(inSql('club'), inSql('n'))}', pg_temp.base() - interval '399 days' + nth * interval '1 minute' from rows`,
    { club: 'int', n: 'int', nth: 'int' },
    clubs.flatMap(({ id, members }) => members.map((person, nth) => [id, person, nth])),
  );
  await insert(
    client,
    `insert into club_updates (id, club_id, creator_id, content, created_at)
     select pg_temp.id('update ' || club || ' ' || nth), pg_temp.club(club), pg_temp.person(creator),
       ${text('the next weeks', '3 + nth')}, pg_temp.base() - (1 + nth) * interval '6 days'
     from rows, generate_series(0, updates - 1) nth`,
    { club: 'int', creator: 'int', updates: 'int' },
    clubs.map(({ id, members, events }) => [id, members[0], events.length > 5 ? 10 : 1]),
  );
}

async function addEvents(client: pg.Client, { clubs }: Population): Promise<void> {
  await insert(
    client,
    `insert into events (id, slug, owner_club_id, name, description, details, location_name, start_time, end_time,
       entry_until_time, time_zone, created_at, updated_at)
     select pg_temp.id(${slug}), ${slug}, pg_temp.club(club), (${occasions})[1 + (club + n) % 5] || ' ' || n + 1,
       ${text('this event', '2 + n % 4')},
       ${text('what to bring', '4 + n % 9')}, 'Pier ' || n % 9, starts, starts + interval '2 hours', starts, 'Europe/Berlin',
       pg_temp.base() - interval '380 days', pg_temp.base() - interval '380 days'
     from rows, to_timestamp(start / 1000) starts`,
    { club: 'int', n: 'int', start: 'float8' },
    clubs.flatMap(({ events }) => events.map(({ club, number, start }) => [club, number, start])),
  );
  await insert(
    client,
    `insert into attendances (event_id, user_id, attendee_role, attended_at, event_start, event_end)
     select events.id, pg_temp.person(who), role, start_time - interval '30 days' + who * interval '1 second', start_time, end_time
     from rows join events on events.id = pg_temp.id(${slug})`,
    { club: 'int', n: 'int', who: 'int', role: 'text' },
    clubs.flatMap(({ id, events, members }) =>
      events.flatMap((event) =>
        members
          .filter((person) => attends(event, person))
          .map((person) => [id, event.number, person, person === event.host ? 'organiser' : 'attendee']),
      ),
    ),
  );
  for (const [table, share] of Object.entries({ favourites: 20, event_followers: 33 }))
    await client.query(
      `insert into ${table} (event_id, user_id)
       select event_id, user_id from attendances where abs(hashtext(event_id::text || user_id)) % ${share} = 0`,
    );
}

/** Waits until no job is due. */
export async function waitForJobs(client: pg.Client): Promise<void> {
  const due = `select from jobs where run_at <= now() and attempts < max_attempts limit 1`;
  while ((await client.query(due)).rowCount !== 0) await sleep(20);
}

/** Deletes delayed jobs, such as emails about updates, and the counts of rate limits. */
export async function reset(client: pg.Client): Promise<void> {
  await client.query('delete from rate_limits');
  await client.query('delete from notification_emails');
  await client.query('delete from jobs where locked_until is null');
}
