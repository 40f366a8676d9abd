import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { calendarsThatKnow } from '#features/events/calendar-queries.ts';
import { reachInNumbers } from '#features/events/reach-queries.ts';
import { addSeconds } from '#wire/instant.ts';
import { createLog } from '#platform/log.ts';
import { prepareDatabase } from '#app/server.ts';
import { openCluster } from '#test/cluster.ts';
import { isolatedWorld, type Person, type World } from '#test/world.ts';

let cluster: Awaited<ReturnType<typeof openCluster>>;
let w: World;
let ada: Person;

beforeAll(async () => {
  // A server of its own, because only a superuser may read the processor time of statements.
  cluster = await openCluster();
  await prepareDatabase(cluster.url, createLog('silent'));
  w = await isolatedWorld({}, undefined, cluster.url);
  ada = await w.person('Ada');
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await cluster.close();
});

/**
 * An event that was moved, with this many people: each has older rows in the bell and older emails, a row and an email about the
 * change, and every second one a calendar.
 */
async function movedEvent(count: number): Promise<string> {
  const club = await w.club([ada], `Club of ${count}`);
  const { id } = await w.event(club, ada, { startsIn: 72 });
  await run(
    w.db,
    sql`
      with people as (
        insert into users (id, email, first_name, calendar_secret, created_at)
        select id, id || '@example.org', 'Racer ' || n, id, now() - interval '1 year'
        from (select n, gen_random_uuid() as id from generate_series(1, ${count}::int) as n) as p returning id),
      joined as (
        insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
        select ${club.id}, id, 0, gen_random_uuid(), now() - interval '1 year' from people returning user_id)
      insert into answers (event_id, user_id, answered_at, answer) select ${id}, user_id, now() - interval '1 day', 'going' from joined`,
  );
  await ada.api.events.edit({ event: id, club: club.id, start_time: addSeconds(w.now(), 80 * 3600) });
  const at = addSeconds(w.now(), 1);
  const others = sql`(
    select user_id, row_number() over (order by user_id) as n from answers where event_id = ${id} and user_id <> ${ada.id}) as p`;
  await run(
    w.db,
    sql`insert into notices (id, user_id, kind, dedupe_key, facts, created_at, seen_at)
        select gen_random_uuid(), user_id, 'event_updated', gen_random_uuid(),
          jsonb_build_object('event_id', case when t = 0 then ${id} else gen_random_uuid() end, 'moves', true),
          ${at}::timestamptz - t * interval '1 day', case when n % 3 = 0 then ${at}::timestamptz end
        from ${others}, generate_series(0, 9) as t`,
  );
  await run(
    w.db,
    sql`insert into deliveries (id, channel, user_id, kind, states, state, stated_at, created_at, settled_at)
        select gen_random_uuid(), 'email', user_id, 'event_updated',
          jsonb_build_object(case when t = 0 then ${id} else gen_random_uuid() end, 1), 'accepted', ${at}, ${at}, ${at}
        from ${others}, generate_series(0, 9) as t where n % 5 <> 0 or t > 0`,
  );
  await run(
    w.db,
    sql`insert into feed_fetches (user_id, club_id, app, fetched_at)
        select user_id, case when n % 4 = 0 then ${club.id}::uuid end, 'google', ${at}::timestamptz + interval '11 seconds' from ${others} where n % 2 = 0`,
  );
  // As autovacuum does, which also finishes the index of what emails state.
  await run(w.db, sql`vacuum analyze`);
  return id;
}

/**
 * The least milliseconds of processor time of twenty runs, as PostgreSQL reports them. Other load on the machine makes
 * statements wait, and also slows processors down. Stops within the limit.
 */
async function milliseconds(event: string, limit: number): Promise<number> {
  const now = addSeconds(w.now(), 20);
  const statement = sql`
    select ${calendarsThatKnow('e', now)} as calendars, ${reachInNumbers('e', now)} as reach from events e where e.id = ${event}`;
  const { sql: text, parameters } = statement.compile(w.db);
  const client = new pg.Client({ connectionString: w.databaseUrl });
  let spent = 0;
  client.on('notice', ({ message, detail = '' }) => {
    const [, user, system] = /([\d.]+) s user, ([\d.]+) s system/.exec(detail) ?? [];
    if (message?.startsWith('EXECUTE MESSAGE')) spent = 1000 * (Number(user) + Number(system));
  });
  await client.connect();
  await client.query('set jit = off; set log_statement_stats = on; set client_min_messages = log');
  let least = Infinity;
  for (let nth = 0; nth < 20 && least > limit; nth++) {
    spent = Infinity;
    await client.query(text, [...parameters]);
    least = Math.min(least, spent);
  }
  await client.end();
  return least;
}

test.each([
  [50, 10],
  [5000, 100],
])(
  'the numbers of a change for %i people and the line of calendars take at most %i ms of processor time [KNOW-17]',
  async (count, limit) => {
    const event = await movedEvent(count);
    w.later('20 seconds');
    const { reach, calendars } = await ada.api.events.get({ event });
    expect(reach?.all).toBe(count);
    expect(reach?.by).toMatchObject({ seen: Math.floor(count / 3), push: 0, answered: 0 });
    expect(calendars?.all).toBeGreaterThan(count / 3);
    expect(await milliseconds(event, limit)).toBeLessThanOrEqual(limit);
  },
  60_000,
);
