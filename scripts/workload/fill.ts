// Everything that the workload benchmark knows of the tables. Each checkout fills its own database with its own copy.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  accessTokenOf,
  attends,
  clubFeedSecret,
  clubSlug,
  emailOf,
  eventSlug,
  notificationsPerPerson,
  personalFeedSecret,
  type Population,
} from './population.ts';

/** An id that follows from a name, marked as random ids are: version 4, variant 8. */
const createIdFunction = `
  create function pg_temp.id_of(name text) returns uuid language sql immutable as $$
    select overlay(overlay(md5(name) placing '4' from 13) placing '8' from 17)::uuid $$`;

const firstNames = `array['Ada', 'Ben', 'Chloe', 'David', 'Emma', 'Farid', 'Grace', 'Hugo', 'Ines', 'Jonas', 'Kemal']`;
const lastNames = `array['Abel', 'Brown', 'Costa', 'Diaz', 'Evans', 'Fischer', 'Garcia', 'Haddad', 'Ito', 'Jansen', 'Klein', 'Lopez', 'Meyer']`;
const nameOf = (names: string, number: string) => `(${names})[1 + ${number} % cardinality(${names})]`;
const text = (subject: string, times: string | number) =>
  `repeat('All there is to know about ${subject}. ', ${times})`;

type Row = readonly (string | number | boolean)[];

/**
 * Fills a migrated, empty database. The client is a superuser's: references are not checked, and triggers do not run.
 * Returns a refresh token for each person, of a session that no other request uses.
 */
export async function fill(client: pg.Client, population: Population): Promise<string[]> {
  await client.query(createIdFunction);
  await client.query(`set synchronous_commit = off; set session_replication_role = replica`);
  const createIndexes = await dropIndexes(client);
  await addPeople(client, population);
  await addClubs(client, population);
  await addEvents(client, population);
  await createIndexes();
  await client.query('reset synchronous_commit; reset session_replication_role');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const { rows } = await client.query<{ token: string }>(
    `select pg_temp.id_of('session for refreshing ' || n) || '.refresh' as token
     from generate_series(0, $1::int - 1) n order by n`,
    [population.people],
  );
  return rows.map(({ token }) => token);
}

/** Indexes are created faster than they grow. Unique ones stay, since references need them. */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     join pg_class on pg_class.oid = indrelid
     where relnamespace = 'public'::regnamespace and not indisunique`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}

/** Inserts rows by `statement`, which reads `from rows`, whose columns have these names and types. */
async function insert(
  client: pg.Client,
  statement: string,
  columns: Record<string, string>,
  rows: readonly Row[],
): Promise<void> {
  const lists = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const source = `from unnest(${lists.join(', ')}) as rows (${Object.keys(columns).join(', ')})`;
  const query = statement.replace('from rows', source);
  for (let start = 0; start < rows.length; start += 50_000) {
    const part = rows.slice(start, start + 50_000);
    await client.query(
      query,
      lists.map((_, index) => part.map((row) => row[index])),
    );
  }
}

async function addPeople(client: pg.Client, { people, base }: Population): Promise<void> {
  const rows = Array.from({ length: people }, (_, person): Row => [
    person,
    emailOf(person),
    personalFeedSecret(person),
    accessTokenOf(person),
    base,
  ]);
  const columns = { n: 'int', email: 'text', secret: 'text', token: 'text', base: 'float8' };
  await insert(
    client,
    `insert into users (id, email, first_name, last_name, calendar_secret, created_at)
     select pg_temp.id_of('person ' || n), email, ${nameOf(firstNames, 'n')}, ${nameOf(lastNames, 'n')} || ' ' || n, secret,
       to_timestamp(base / 1000) from rows`,
    columns,
    rows,
  );
  const dates = `to_timestamp(base / 1000), to_timestamp(base / 1000), to_timestamp(base / 1000) + interval '80 days'`;
  const addSessions = (name: string, access: string) =>
    insert(
      client,
      `insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
       select pg_temp.id_of('${name} ' || n), pg_temp.id_of('person ' || n), sha256(convert_to(${access}, 'utf8')),
         now() + interval '1 day', sha256(convert_to(pg_temp.id_of('${name} ' || n) || '.refresh', 'utf8')), ${dates} from rows`,
      columns,
      rows,
    );
  await addSessions('session for reading', 'token');
  await addSessions('session for refreshing', `'other-' || token`);
  await insert(
    client,
    `insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
     select pg_temp.id_of('notification ' || n || ' ' || nth), pg_temp.id_of('person ' || n),
       case nth % 3 when 0 then 'club_update' else 'new_event' end, pg_temp.id_of('cause ' || n || ' ' || nth),
       pg_temp.id_of('person ' || (n + nth) % ${people}),
       jsonb_build_object('club_name', 'Club ' || nth, 'club_slug', '${clubSlug(0)}') ||
         case nth % 3 when 0 then '{}' else jsonb_build_object('event_name', 'Event ' || nth, 'event_slug', 'event-0-' || nth) end,
       to_timestamp(base / 1000) - nth * interval '9 hours'
     from rows, generate_series(1, ${notificationsPerPerson}) nth`,
    columns,
    rows,
  );
  // Only one in twenty wants emails about updates: otherwise most of what is measured would be the writing of emails.
  await insert(
    client,
    `insert into notification_opt_outs (user_id, key)
     select pg_temp.id_of('person ' || n), 'email_club_update' from rows where n % 20 > 0`,
    columns,
    rows,
  );
}

async function addClubs(client: pg.Client, { clubs, base }: Population): Promise<void> {
  await insert(
    client,
    `insert into clubs (id, slug, club_name, club_description, location_name, created_at)
     select pg_temp.id_of('club ' || n), slug, name, ${text('this club', '3 + n % 6')}, 'Pier ' || n % 9,
       to_timestamp(base / 1000) - interval '400 days' from rows`,
    { n: 'int', slug: 'text', name: 'text', base: 'float8' },
    clubs.map(({ id, name }) => [id, clubSlug(id), name, base]),
  );
  // What its trigger would do.
  await client.query(
    `insert into club_versions (club_id, version) select id, hashtextextended(slug, 0) from clubs`,
  );
  await insert(
    client,
    `insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
     select pg_temp.id_of('club ' || club), pg_temp.id_of('person ' || person), case when nth < 2 then 200 else 0 end, secret,
       to_timestamp(base / 1000) - interval '399 days' + nth * interval '1 minute' from rows`,
    { club: 'int', person: 'int', nth: 'int', secret: 'text', base: 'float8' },
    clubs.flatMap(({ id, members }) =>
      members.map((person, nth): Row => [id, person, nth, clubFeedSecret(id, person), base]),
    ),
  );
  await insert(
    client,
    `insert into club_updates (id, club_id, creator_id, content, created_at)
     select pg_temp.id_of('update ' || club || ' ' || nth), pg_temp.id_of('club ' || club), pg_temp.id_of('person ' || creator),
       ${text('the next weeks', '3 + nth')}, to_timestamp(base / 1000) - (1 + nth) * interval '6 days' from rows`,
    { club: 'int', creator: 'int', nth: 'int', base: 'float8' },
    clubs.flatMap(({ id, members, updates }) =>
      Array.from({ length: updates }, (_, nth): Row => [id, members[nth % 2] as number, nth, base]),
    ),
  );
}

async function addEvents(client: pg.Client, { clubs, base }: Population): Promise<void> {
  const events = clubs.flatMap((club) => club.events.map((event) => ({ event, club })));
  await insert(
    client,
    `insert into events (id, slug, owner_club_id, name, description, details, location_name, start_time, end_time,
       entry_until_time, time_zone, created_at, updated_at)
     select pg_temp.id_of(slug), slug, pg_temp.id_of('club ' || club), name, ${text('this event', '2 + n % 4')},
       ${text('what to bring', '4 + n % 9')}, 'Pier ' || n % 9, to_timestamp(starts / 1000), to_timestamp(ends / 1000),
       to_timestamp(starts / 1000), 'Europe/Berlin', to_timestamp(base / 1000) - interval '380 days',
       to_timestamp(base / 1000) - interval '380 days' from rows`,
    { slug: 'text', club: 'int', n: 'int', name: 'text', starts: 'float8', ends: 'float8', base: 'float8' },
    events.map(({ event, club }) => [
      eventSlug(event),
      club.id,
      event.number,
      event.name,
      event.start,
      event.end,
      base,
    ]),
  );
  await insert(
    client,
    `insert into attendances (event_id, user_id, attendee_role, attended_at, event_start, event_end)
     select pg_temp.id_of(slug), pg_temp.id_of('person ' || person), case when hosts then 'organiser' else 'attendee' end,
       to_timestamp(starts / 1000) - interval '30 days' + person * interval '1 second', to_timestamp(starts / 1000),
       to_timestamp(ends / 1000) from rows`,
    { slug: 'text', person: 'int', hosts: 'bool', starts: 'float8', ends: 'float8' },
    events.flatMap(({ event, club }) =>
      club.members
        .filter((person) => attends(event, person))
        .map((person): Row => [eventSlug(event), person, person === event.host, event.start, event.end]),
    ),
  );
  for (const [table, share] of [
    ['favourites', 20],
    ['event_followers', 33],
  ] as const)
    await client.query(
      `insert into ${table} (event_id, user_id)
       select event_id, user_id from attendances where abs(hashtext(event_id::text || user_id)) % ${share} = 0`,
    );
}

/** Waits until the jobs that are due are done. */
export async function waitForJobs(client: pg.Client): Promise<void> {
  const due = `select from jobs where run_at <= now() and attempts < max_attempts limit 1`;
  while ((await client.query(due)).rowCount !== 0) await sleep(20);
}

/** Drops what was put off, such as emails about updates, and what was counted for rate limits. */
export async function reset(client: pg.Client): Promise<void> {
  await client.query('delete from rate_limits');
  await client.query('delete from notification_emails');
  await client.query('delete from jobs where locked_until is null');
}
