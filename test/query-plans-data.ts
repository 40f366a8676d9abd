import { createHash } from 'node:crypto';
import pg from 'pg';

/** How many rows of each kind there are. */
export interface Shape {
  /** The number of typical clubs, and of the members and events of each. The first two members are its admins. */
  typical: { clubs: number; seats: number; events: number };
  /** The attendees of an event besides its host, who attends all events of the club. */
  guests: number;
  /** Small clubs, which only increase the number of clubs. */
  small: { clubs: number; seats: number; events: number };
  /** One club that is far larger than the others. */
  large: { members: number; events: number };
  /** Notifications of each user of a typical club. */
  notices: number;
  /** Updates of each typical club. */
  updates: number;
}

/** Members with this or a higher number attend nothing until they sign up. */
export const firstFreeMember = 39;

export const userId = (user: number): string => idOf(`user ${user}`);
export const clubId = (club: number | 'large'): string => idOf(`club ${club}`);
export const eventId = (club: number | 'large', event: number): string => idOf(`event ${club}-${event}`);
export const sectionId = (club: number | 'large', section: number): string =>
  idOf(`section ${club}-${section}`);
export const eventSlug = (club: number | 'large', event: number): string => `event-${club}-${event}`;
export const emailOf = (user: number): string => `person-${user}@example.org`;
export const tokenOf = (user: number): string => `token-${user}`;
export const sessionId = (user: number): string => idOf(`session ${user}`);
export const refreshTokenOf = (user: number): string => `${sessionId(user)}.refresh`;
export const personalSecret = (user: number): string => `personal-${user}`;
export const clubSecret = (club: number, user: number): string => `seat-${club}-${user}`;
/** The member with this number in a typical club. */
export const memberAt = ({ typical }: Shape, club: number, seat: number): number =>
  club * typical.seats + seat;
/** The nth member of the large club; the first is its admin. */
export const inLargeClub = (shape: Shape, member: number): number =>
  member * Math.floor(usersOf(shape) / shape.large.members);

const usersOf = ({ typical, small }: Shape): number =>
  typical.clubs * typical.seats + small.clubs * Math.ceil(small.seats / 2);

/** An id with the version and variant of random ids (4 and 8), because endpoints accept no others. */
function idOf(name: string): string {
  const md5 = createHash('md5').update(name).digest('hex');
  const hex = `${md5.slice(0, 12)}4${md5.slice(13, 16)}8${md5.slice(17)}`;
  return [0, 8, 12, 16, 20].map((from, n, starts) => hex.slice(from, starts[n + 1])).join('-');
}

const id = (name: string) => `overlay(overlay(md5(${name}) placing '4' from 13) placing '8' from 17)::uuid`;

/** Rows of each club `c`, as text, with each number `n` below `each`. */
const inTypical = ({ typical }: Shape, each: number) =>
  `generate_series(0, ${typical.clubs - 1}) club, text(club) c, generate_series(0, ${each - 1}) n`;
const inSmall = ({ typical, small }: Shape, each: number) =>
  `generate_series(0, ${small.clubs - 1}) club, text(club + ${typical.clubs}) c, generate_series(0, ${each - 1}) n`;

/** Consecutive small clubs share half of their people. */
function memberOfSmallClub({ typical, small }: Shape, seat: string): string {
  const half = Math.ceil(small.seats / 2);
  return `${typical.clubs * typical.seats} + (club * ${half} + ${seat}) % ${Math.max(small.clubs * half, 1)}`;
}

/** Every membership: the club `c`, the number `s` of the member in the club and the number `u` of the user. */
const seats = (shape: Shape): string => `(
  select c, n as s, club * ${shape.typical.seats} + n as u from ${inTypical(shape, shape.typical.seats)}
  union all select c, n, ${memberOfSmallClub(shape, 'n')} from ${inSmall(shape, shape.small.seats)}
  union all select 'large', n, n * ${inLargeClub(shape, 1)} from generate_series(0, ${shape.large.members - 1}) n)`;

/**
 * Every event: the club `c`, the number `e` of the event in the club, and its position `part` in the club's events,
 * from 0 to 1.
 */
const events = (shape: Shape): string => `(
  select c, n as e, n::float8 / ${shape.typical.events} as part from ${inTypical(shape, shape.typical.events)}
  union all select c, n, n::float8 / ${Math.max(shape.small.events, 1)} from ${inSmall(shape, shape.small.events)}
  union all select 'large', n, n::float8 / ${shape.large.events} from generate_series(0, ${shape.large.events - 1}) n)`;

/** The attendees of each event, as guest `g`; 0 is the host, who is the first member. */
function attendances(shape: Shape): string {
  const { typical, small, large, guests } = shape;
  const guestsOf = (members: number) =>
    `case g when 0 then 0 else 1 + (n * ${guests} + g) % ${members - 1} end`;
  const everyGuest = `generate_series(0, ${guests}) g`;
  return `(
    select c, n as e, g, club * ${typical.seats} + ${guestsOf(Math.min(firstFreeMember, typical.seats))} as u
      from ${inTypical(shape, typical.events)}, ${everyGuest}
    union all select c, n, 0, ${memberOfSmallClub(shape, '0')} from ${inSmall(shape, small.events)}
    union all select 'large', n, g, (${guestsOf(large.members)}) * ${inLargeClub(shape, 1)}
      from generate_series(0, ${large.events - 1}) n, ${everyGuest})`;
}

/** A fifth of a club's events took place in the last two months; the others start in the next eight months. */
const startOf = `date_trunc('hour', now()) + interval '300 days' * (part - 0.2)`;

const words = (name: string, times: number) => `repeat('All about ${name} that one should know. ', ${times})`;

function statements(shape: Shape): string[] {
  const users = `generate_series(0, ${usersOf(shape) - 1}) u`;
  const typicalUsers = `generate_series(0, ${shape.typical.clubs * shape.typical.seats - 1}) u`;
  const clubs = `(select n::text as c from generate_series(0, ${shape.typical.clubs + shape.small.clubs - 1}) n union all select 'large')`;
  return [
    `insert into users (id, email, first_name, last_name, phone, search_text, calendar_secret, created_at)
     select ${id(`'user ' || u`)}, 'person-' || u || '@example.org', 'Person', 'Number ' || u, '020 7946 0000', 'PERSON NUMBER ' || u, 'personal-' || u, now() from ${users}`,
    `insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
     select ${id(`'session ' || u`)}, ${id(`'user ' || u`)}, sha256(('token-' || u)::bytea), now() + interval '1 year',
       sha256((${id(`'session ' || u`)} || '.refresh')::bytea), now(), now(), now() + interval '1 year' from ${users}`,
    `insert into push_devices (session_id, user_id, endpoint, p256dh, auth, created_at)
     select ${id(`'session ' || u`)}, ${id(`'user ' || u`)}, 'https://fcm.googleapis.com/' || u, decode(repeat('04', 65), 'hex'),
       decode(repeat('00', 16), 'hex'), now() from ${users}`,
    `insert into clubs (id, slug, club_name, search_text, club_description, created_at)
     select ${id(`'club ' || c`)}, 'club-' || c, 'Club ' || c, 'CLUB ' || c, ${words('this club', 5)}, now() from ${clubs} clubs`,
    `insert into sections (id, club_id, name, folded_name, position)
     select ${id(`'section ' || c || '-' || n`)}, ${id(`'club ' || c`)}, 'Section ' || n, 'SECTION ' || n, n from ${clubs} clubs, generate_series(0, 2) n`,
    `insert into members (club_id, user_id, club_role, calendar_secret, joined_at, section_ids)
     select ${id(`'club ' || c`)}, ${id(`'user ' || u`)}, case when s < 2 then 200 when s = 2 then 100 else 0 end,
       'seat-' || c || '-' || u, now() - interval '1 day' + s * interval '1 second', array[${id(`'section ' || c || '-' || s % 3`)}] from ${seats(shape)} seats`,
    `insert into events (id, slug, owner_club_id, name, search_text, description, details, location_name, start_time, end_time,
       entry_until_time, time_zone, created_at, updated_at)
     select ${id(`'event ' || c || '-' || e`)}, 'event-' || c || '-' || e, ${id(`'club ' || c`)}, 'Event ' || e || ' of club ' || c, 'EVENT ' || e || ' OF CLUB ' || c,
       ${words('this event', 3)}, ${words('the details', 5)}, 'Pier ' || e % 9, start, start + interval '2 hours', start, 'Europe/Berlin',
       now(), now() from ${events(shape)} events, lateral (select ${startOf} as start) times`,
    // The answers get the times of their event here: looking them up for each answer would take longer than all else.
    `insert into answers (event_id, user_id, attendee_role, answered_at, event_start, event_end)
     select events.id, ${id(`'user ' || u`)}, case g when 0 then 'organiser' else 'attendee' end, now(), start_time, end_time
     from ${attendances(shape)} attendances join events on events.id = ${id(`'event ' || c || '-' || e`)}`,
    `insert into club_updates (id, club_id, creator_id, content, created_at)
     select gen_random_uuid(), ${id(`'club ' || c`)}, ${id(`'user ' || club * ${shape.typical.seats}`)}, ${words('the news', 4)},
       now() - n * interval '1 day' from ${inTypical(shape, shape.updates)}`,
    `insert into notices (id, user_id, kind, dedupe_key, actor_id, facts, created_at)
     select gen_random_uuid(), ${id(`'user ' || u`)}, 'new_event', gen_random_uuid(), ${id(`'user ' || u / ${shape.typical.seats} * ${shape.typical.seats}`)},
       jsonb_build_object('event_id', ${id(`'event ' || u / ${shape.typical.seats} || '-' || n % ${shape.typical.events}`)}),
       now() - n * interval '1 hour' from ${typicalUsers}, generate_series(1, ${shape.notices}) n`,
    ...['favourites', 'event_followers'].map(
      (table, n) => `insert into ${table} (event_id, user_id)
       select ${id(`'event ' || c || '-' || e`)}, ${id(`'user ' || u`)} from ${attendances(shape)} kept where g = ${n + 1} and e % 2 = 0`,
    ),
    `insert into notification_opt_outs (user_id, key) select ${id(`'user ' || u`)}, 'email_new_event' from ${typicalUsers} where u % 10 = 0`,
    `insert into invite_links (id, club_id, token, created_at, expires_at)
     select gen_random_uuid(), ${id(`'club ' || c`)}, 'invite-' || c, now(), now() + interval '1 year' from ${clubs} clubs`,
  ];
}

/** Fills a database that is prepared and empty. */
export async function fill(url: string, shape: Shape): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `set synchronous_commit = off; set work_mem = '128MB'; set maintenance_work_mem = '256MB'`,
    );
    await unchecked(client, async () => {
      for (const statement of statements(shape)) await client.query(statement);
    });
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** Tables that keep their keys and indexes, because triggers look up versions while rows are inserted. */
const kept = `('club_versions'::regclass, 'event_versions'::regclass)`;

/**
 * Calls `load` without keys and indexes and creates them afterwards: once for all rows is faster than for each row,
 * because random ids lie anywhere in an index.
 */
async function unchecked(client: pg.Client, load: () => Promise<void>): Promise<void> {
  const { rows: constraints } = await client.query<Record<'owner' | 'name' | 'definition', string>>(
    `select conrelid::regclass as owner, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where connamespace = 'public'::regnamespace
       and (contype = 'f' or contype in ('p', 'u') and conrelid not in ${kept})
     order by contype = 'f' desc`,
  );
  for (const { owner, name } of constraints)
    await alter(client, `alter table ${owner} drop constraint ${name}`);
  const { rows: indexes } = await client.query<Record<'name' | 'definition', string>>(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition
     from pg_index join pg_class on pg_class.oid = indrelid
     where relnamespace = 'public'::regnamespace and indrelid not in ${kept}`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await load();
  for (const { definition } of indexes) await client.query(definition);
  for (const { owner, name, definition } of constraints.toReversed())
    await alter(client, `alter table ${owner} add constraint ${name} ${definition}`);
}

/**
 * Repeats the statement after a deadlock: a foreign key locks two tables, which the first job of a server that has just
 * started may lock in the other order.
 */
async function alter(client: pg.Client, statement: string): Promise<void> {
  const isDone = client.query(statement).then(
    () => true,
    (error: { code?: string }) => {
      if (error.code !== '40P01') throw error as Error;
      return false;
    },
  );
  if (!(await isDone)) await alter(client, statement);
}
