// The only file of the benchmark that names tables. It still works after migrations that add triggers, or columns with
// defaults.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { answerKey, answerOf, attends, nameOf, type Population } from './population.ts';

/** SQL functions. `id` derives an id from a name and marks it like a random UUID: version 4, variant 8. */
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
 * Fills an empty database as a superuser: triggers run, but foreign keys are not checked. Returns a refresh token for
 * each person.
 */
export async function fill(client: pg.Client, population: Population): Promise<string[]> {
  await client.query(functionsOf(population));
  await client.query(`set synchronous_commit = off; set work_mem = '128MB'`);
  await alterTables(client, 'disable trigger all', 'enable trigger user');
  await addPeople(client, population);
  await addClubs(client, population);
  await addEvents(client, population);
  if (population.mix === 'events') await addAnswers(client, population);
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

/** Runs statements, in which `from rows` stands for a table of the objects `rows` with these columns. */
async function insert(client: pg.Client, columns: string, rows: readonly object[], statements: string[]) {
  const source = `from json_to_recordset($1) as rows (${columns})`;
  const values = [JSON.stringify(rows)];
  for (const statement of statements) {
    const query = statement.replace('from rows', source);
    await client.query(query, query === statement ? [] : values);
  }
}

const inSql = (column: string) => `' || ${column} || '`;
const [slug, email] = [`'${nameOf.event(inSql('club'), inSql('number'))}'`, `'${nameOf.email(inSql('n'))}'`];
const [series, accessToken] = [`'${nameOf.series(inSql('club'))}'`, `'${nameOf.accessToken(inSql('n'))}'`];

const sessionsOf = (name: string, token: string) => `
  insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
  select id, pg_temp.person(n), sha256(convert_to(${token}, 'utf8')), now() + interval '1 day',
    sha256(convert_to(id || '.refresh', 'utf8')), pg_temp.base(), pg_temp.base(), pg_temp.base() + interval '80 days'
  from (select n, pg_temp.id('${name} ' || n) as id from rows) people`;

async function addPeople(client: pg.Client, { people }: Population): Promise<void> {
  const rows = Array.from({ length: people }, (_, n) => ({ n }));
  await insert(client, 'n int', rows, [
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
    // Only one person in twenty wants emails about updates. Otherwise the benchmark would mostly measure emails.
    `insert into notification_opt_outs (user_id, key) select pg_temp.person(n), 'email_club_update' from rows where n % 20 > 0`,
  ]);
}

async function addClubs(client: pg.Client, { clubs }: Population): Promise<void> {
  const rows = clubs.map(({ id, members, events }) => ({ club: id, members, events: events.length }));
  await insert(client, 'club int, members int[], events int', rows, [
    `insert into clubs (id, slug, club_name, club_description, location_name, created_at)
     select pg_temp.club(club), '${nameOf.club(inSql('club'))}', (${clubNames})[1 + club % 6] || ' ' || club,
       ${text('this club', '3 + club % 6')}, 'Pier ' || club % 9, pg_temp.base() - interval '400 days' from rows`,
    `insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
     select pg_temp.club(club), pg_temp.person(n), case when nth <= 2 then 200 else 0 end,
       '${nameOf.clubFeed(inSql('club'), inSql('n'))}',
       pg_temp.base() - interval '399 days' + (nth - 1) * interval '1 minute'
     from rows, unnest(members) with ordinality as people (n, nth)`,
    `insert into club_updates (id, club_id, creator_id, content, created_at)
     select pg_temp.id('update ' || club || ' ' || nth), pg_temp.club(club), pg_temp.person(members[1]),
       ${text('the next weeks', '3 + nth')}, pg_temp.base() - (1 + nth) * interval '6 days'
     from rows, generate_series(0, case when events > 5 then 9 else 0 end) nth`,
  ]);
}

async function addEvents(client: pg.Client, { clubs }: Population): Promise<void> {
  const rows = clubs.flatMap(({ events, members }) =>
    events.map((event) => ({ ...event, going: members.filter((person) => attends(event, person)) })),
  );
  await insert(client, 'club int, number int, start float8, host int, going int[]', rows, [
    `insert into events (id, slug, owner_club_id, name, description, details, location_name, start_time, end_time,
       entry_until_time, time_zone, created_at, updated_at)
     select pg_temp.id(${slug}), ${slug}, pg_temp.club(club), (${occasions})[1 + (club + number) % 5] || ' ' || number + 1,
       ${text('this event', '2 + number % 4')}, ${text('what to bring', '4 + number % 9')}, 'Pier ' || number % 9,
       starts, starts + interval '2 hours', starts, 'Europe/Berlin',
       pg_temp.base() - interval '380 days', pg_temp.base() - interval '380 days'
     from rows, to_timestamp(start / 1000) starts`,
    `insert into attendances (event_id, user_id, attendee_role, attended_at, event_start, event_end)
     select events.id, pg_temp.person(who), case who when host then 'organiser' else 'attendee' end,
       start_time - interval '30 days' + who * interval '1 second', start_time, end_time
     from rows join events on events.id = pg_temp.id(${slug}), unnest(going) as who`,
  ]);
  for (const [table, share] of Object.entries({ favourites: 20, event_followers: 33 }))
    await client.query(
      `insert into ${table} (event_id, user_id)
       select event_id, user_id from attendances where abs(hashtext(event_id::text || user_id)) % ${share} = 0`,
    );
}

/**
 * For the 'events' mix, adds series, polls, changes to confirm, and answers other than 'going'. A fifth of the members
 * whose answer is not 'no' bring a guest.
 */
async function addAnswers(client: pg.Client, { clubs }: Population): Promise<void> {
  await client.query('analyze events, answers');
  const rows = clubs.flatMap(({ events, members }) =>
    events
      .filter(({ isComing }) => isComing)
      .map((event) => ({ ...event, given: members.map((who) => ({ who, answer: answerOf(event, who) })) })),
  );
  await insert(client, 'club int, number int, host int, state text, given json', rows, [
    `insert into answers (event_id, user_id, attendee_role, answered_at, event_start, event_end, answer, place, guests, lets_pass)
     select events.id, pg_temp.person(who), 'attendee', start_time - interval '30 days' + who * interval '1 second',
       start_time, end_time, answer,
       case answer when 'waiting' then row_number() over (partition by club, number, answer order by who) end,
       case when answer <> 'no' and (who + number) % 5 = 0 then 1 else 0 end, answer = 'waiting' and who % 2 = 0
     from rows join events on slug = ${slug}, json_to_recordset(given) as members (who int, answer text)
     where answer <> 'going'`,
    `update answers set guests = 1 from events
     where events.id = event_id and start_time > pg_temp.base() and answer = 'going' and hashtext(user_id::text) % 5 = 0`,
    `update events set guests_max = 2, polling = coalesce(state = 'poll', false),
       sequence = coalesce(state = 'asked', false)::int,
       capacity = case state when 'full' then (
         select sum(1 + guests) from answers where event_id = events.id and answer = 'going') end,
       series_id = case state when 'date' then pg_temp.id(${series}) end,
       slot_on = case state when 'date' then (start_time at time zone 'UTC')::date end
     from rows where slug = ${slug}`,
    `insert into series (id, slug, club_id, host_id, fields, freq, every, weekdays, local_time, time_zone, minutes, starts_on,
       count, created_at)
     select pg_temp.id(${series}), ${series}, pg_temp.club(club), pg_temp.person(host),
       '{"name": "Training", "location_name": "Pier 3", "guests_max": 2}', 'weekly', 1,
       array_agg(distinct extract(isodow from slot_on)::smallint), '18:00', 'UTC', 120, min(slot_on), 30,
       pg_temp.base() - interval '40 days'
     from rows join events on slug = ${slug} where state = 'date' group by club, host`,
    `insert into standing_answers (series_id, user_id, answer, guests, since)
     select series_id, user_id, answer, guests, min(answered_at) from events join answers on event_id = events.id
     where series_id is not null and answer = 'going' and attendee_role = 'attendee' group by 1, 2, 3, 4`,
    `update answers set via = 'standing' from events
     where events.id = event_id and series_id is not null and answer = 'going' and attendee_role = 'attendee'`,
    `insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, asked_again)
     select gen_random_uuid(), pg_temp.id(${slug}), 'edit', pg_temp.person(host), pg_temp.base() - interval '1 day', 1,
       '{"description": ""}', '{"description": "In the hall"}', true from rows where state = 'asked'`,
    `insert into event_times (id, event_id, start_time, end_time)
     select pg_temp.id(${slug} || ' ' || nth), events.id, start_time + nth * interval '1 day', end_time + nth * interval '1 day'
     from rows join events on slug = ${slug}, generate_series(0, 2) nth where state = 'poll'`,
    `insert into time_votes (event_id, time_id, user_id, vote, voted_at)
     select event_id, event_times.id, user_id, (array['yes', 'no'])[1 + abs(hashtext(start_time || user_id::text)) % 2],
       pg_temp.base() - interval '1 day'
     from rows join event_times on event_id = pg_temp.id(${slug}) join members on club_id = pg_temp.club(club)
     where hashtext(user_id::text) % 2 = 0`,
    `update members set answer_key = '${answerKey}'`,
  ]);
}

/** Waits until no job is due. */
export async function waitForJobs(client: pg.Client): Promise<void> {
  const due = `select from jobs where run_at <= now() and attempts < max_attempts limit 1`;
  while ((await client.query(due)).rowCount !== 0) await sleep(20);
}

/** Deletes delayed jobs, such as emails about updates, and the counts of rate limits. */
export async function reset(client: pg.Client): Promise<void> {
  await client.query('delete from rate_limits');
  await client.query('delete from notice_emails');
  await client.query('delete from jobs where locked_until is null');
}
