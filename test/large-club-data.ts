import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { prepareDatabase, startServer } from '#app/server.ts';
import { openCluster } from '#test/cluster.ts';
import { clubId, eventId, fill, inLargeClub, userId, type Shape } from '#test/query-plans-data.ts';

// A club of 5,000 members and 20,000 events, with as much of everything as the product permits.

const shape: Shape = {
  typical: { clubs: 125, seats: 40, events: 1 },
  guests: 4,
  small: { clubs: 0, seats: 0, events: 0 },
  large: { members: 5000, events: 20_000 },
  notices: 0,
  updates: 1,
};

export const club = clubId('large');
export const [admin, host, member] = [0, 10, 20].map((nth) => inLargeClub(shape, nth)) as [
  number,
  number,
  number,
];
export const viewers = { member, admin, host };

/**
 * The numbers of the events with very many answers, votes, slots or check-ins, and of a small poll for comparison. In
 * all other events, five people are going. Event 4,000 starts now.
 */
export const filled = {
  going: 4001,
  waiting: 4002,
  maybe: 4003,
  no: 4004,
  poll: 4005,
  smallPoll: 4007,
  slots: 4006,
  over: 3990,
};
export const idOf = (event: keyof typeof filled) => eventId('large', filled[event]);
export const everyEvent = Object.keys(filled).map((event) => idOf(event as keyof typeof filled));
const ids = (events: readonly (keyof typeof filled)[]) => events.map((event) => `'${idOf(event)}'`).join();

export const series = eventId('large', 5000);
const eventOf = (number: string) =>
  `overlay(overlay(md5('event large-' || ${number}) placing '4' from 13) placing '8' from 17)::uuid`;

const text = (characters: number) =>
  `repeat('Words of a long text ', ${Math.ceil(characters / 20)})::varchar(${characters})`;

const fixtures = [
  `update users set profile_picture_url = '/api/v1/media/' || id || '-400.webp', last_name = last_name || ' of the large club'`,
  `delete from answers where event_id in (${ids(['going', 'waiting', 'maybe', 'no', 'poll', 'smallPoll', 'slots', 'over'])})`,
  `insert into answers (event_id, user_id, attendee_role, answered_at, event_start, event_end)
     select e.id, '${userId(host)}', 'organiser', now() - interval '2 days', start_time, end_time from events e
     where id in (${ids(['going', 'waiting', 'maybe', 'no', 'poll', 'smallPoll', 'slots', 'over'])})`,
  ...(['going', 'waiting', 'maybe', 'no', 'over'] as const).map(
    (
      event,
    ) => `insert into answers (event_id, user_id, answered_at, event_start, event_end, answer, place, note)
     select e.id, m.user_id, now() - interval '1 day' + n * interval '1 second', start_time, end_time,
       '${event === 'over' ? 'going' : event}', ${event === 'waiting' ? 'n' : 'null'}, ${text(200)}
     from events e, (select user_id, row_number() over (order by user_id) as n from members
       where club_id = '${club}' and user_id <> '${userId(host)}') as m
     where e.id = '${idOf(event)}'`,
  ),
  `update events set capacity = 1, details = ${text(10_000)}, description = ${text(2000)} where id = '${idOf('waiting')}'`,
  `insert into check_ins (event_id, user_id, came, came_at) select event_id, user_id, true, now() from answers
     where event_id = '${idOf('over')}'`,
  `insert into event_followers (event_id, user_id) select e.id, m.user_id from events e, members m
     where e.id in (${ids(['going', 'no'])}) and m.club_id = '${club}' on conflict do nothing`,
  `update events set polling = true where id in (${ids(['poll', 'smallPoll'])})`,
  ...(['poll', 'smallPoll'] as const).flatMap((poll) => [
    `insert into event_times (id, event_id, start_time, end_time)
     select ${eventOf(`'${poll} ' || n`)}, id, start_time + n * interval '1 day', end_time + n * interval '1 day'
     from events, generate_series(0, 11) as n where id = '${idOf(poll)}'`,
    `insert into time_votes (event_id, time_id, user_id, vote, voted_at)
     select t.event_id, t.id, m.user_id, (array['yes', 'if_needed', 'no'])[1 + (n + extract(day from t.start_time)::int) % 3],
       date_trunc('milliseconds', now()) + n * interval '1 millisecond'
     from event_times t, (
       select user_id, row_number() over (order by user_id <> '${userId(member)}', user_id) as n from members
       where club_id = '${club}') as m
     where t.event_id = '${idOf(poll)}' and n <= ${poll === 'poll' ? 5000 : 50}`,
  ]),
  `insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, words, asked_again)
     select gen_random_uuid(), id, 'edit', '${userId(admin)}', now() - n * interval '1 minute', n,
       jsonb_build_object('details', ${text(300)}), jsonb_build_object('details', ${text(300)}), ${text(200)}, n % 2 = 0
     from events, generate_series(1, 2000) as n where id = '${idOf('going')}'`,
  `update events set sequence = 2000 where id = '${idOf('going')}'`,
  `insert into slots (id, event_id, kind, title, places, by_id, created_at)
     select ${eventOf(`'slot ' || n`)}, '${idOf('slots')}', 'bring', ${text(100)}, 50, '${userId(host)}', now()
     from generate_series(1, 50) as n`,
  `insert into slot_claims (slot_id, user_id, places) select s.id, m.user_id, 1
     from slots s, (select user_id from members where club_id = '${club}' order by user_id limit 50) as m`,
  `insert into series (id, slug, club_id, host_id, fields, freq, every, weekdays, local_time, time_zone, minutes, starts_on,
      everybody, created_at)
    select case n when 1 then '${series}' else gen_random_uuid() end, 'series-' || n, '${club}', '${userId(host)}',
      jsonb_build_object('name', 'Run', 'details', ${text(10_000)}), 'weekly', 1, '{1,2,3,4,5,6,7}', '19:00', 'UTC', 60,
      current_date, true, now() from generate_series(1, 20) as n`,
  `update events set series_id = '${series}', slot_on = current_date + n, description = ${text(500)}
     from generate_series(5000, 5199) as n where id = ${eventOf('n')}`,
  `insert into standing_answers (series_id, user_id, answer, since) select s.id, user_id, 'going', now()
     from series s join members using (club_id)`,
  `insert into club_breaks (club_id, first_on, last_on, name)
     select '${club}', current_date + n * 7, current_date + n * 7, ${text(100)} from generate_series(1, 50) as n`,
  `insert into club_updates (id, club_id, creator_id, content, created_at)
     select ${eventOf(`'update ' || n`)}, '${club}', '${userId(admin)}', ${text(5000)}, now() - n * interval '1 hour'
     from generate_series(1, 1000) as n`,
  // The two newest, so that one more can be published on this day. Half of the members have read them.
  `update club_updates set important = true where club_id = '${club}' and created_at > now() - interval '150 minutes'`,
  `insert into update_reads (update_id, user_id, read_at, via)
     select id, user_id, now(), 'app' from club_updates join members using (club_id)
     where club_id = '${club}' and important and user_id::text < '8'`,
  `insert into pictures (name, club_id, update_id, kind, width, height, position, created_at)
     select id || '-' || n, club_id, id, 'update', 1600, 1200, n, now() from club_updates, generate_series(1, 4) as n
     where club_id = '${club}'`,
  ...Object.values(viewers).map(
    (viewer) => `insert into notifications (id, user_id, kind, cause, actor_id, subject, created_at)
     select gen_random_uuid(), '${userId(viewer)}', 'new_event', gen_random_uuid(), '${userId(admin)}',
       jsonb_build_object('club_name', 'The large club', 'club_slug', 'club-large', 'event_name', ${text(120)},
         'event_slug', 'event-large-' || n), now() - n * interval '1 minute' from generate_series(1, 5000) as n`,
  ),
  `insert into feed_fetches (user_id, club_id, app, fetched_at) select user_id, club_id, 'apple', now() from members
     where club_id = '${club}'`,
  `insert into feed_fetches (user_id, app, fetched_at) select user_id, 'google', now() from members where club_id = '${club}'`,
  // The first members in the attendance list have answered a thousand past events.
  `insert into answers (event_id, user_id, answered_at, event_start, event_end, answer)
     select e.id, m.id, now() - interval '200 days', start_time, end_time, case when n % 5 = 0 then 'no' else 'going' end
     from (select id, start_time, end_time, row_number() over (order by start_time) as n from events
       where owner_club_id = '${club}' and end_time < now() order by start_time limit 1000) as e,
       (select u.id from users u join members on user_id = u.id where club_id = '${club}'
        order by lower(first_name), lower(last_name), u.id limit 101) as m
     on conflict do nothing`,
  `insert into check_ins (event_id, user_id, came, came_at) select event_id, user_id, true, now() from answers
     where answered_at < now() - interval '100 days' and answer = 'going'`,
  `insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
     values ('${userId(member)}', '${userId(member)}', 'old@example.org', 'new@example.org', now(), now() - interval '2 days',
       now() - interval '2 days', now() + interval '5 days')`,
  `update members set answer_key = 'key' where club_id = '${club}'`,
];

export const timeId = (poll: 'poll' | 'smallPoll', nth: number) =>
  eventId('large', `${poll} ${nth}` as never);

/** Starts a server on a database of its own with the large club. `prepare` is called before the server starts. */
export async function openLargeClub(name: string, prepare: (client: pg.Client) => Promise<unknown>) {
  const config = readConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    SECRET_KEY: 'a key that only the tests of this project use',
    DATA_DIR: join(inject('dataDirs'), name),
    LIMITS_PER_ADDRESS: 'off',
    MEGABYTES_PER_HOUR: '100000',
  });
  const cluster = await openCluster();
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await prepareDatabase(cluster.url, createLog('silent'));
  await fill(cluster.url, shape);
  for (const statement of fixtures) await client.query(statement);
  await client.query('vacuum analyze');
  await prepare(client);
  const server = await startServer({ config, databaseUrl: cluster.url, log: createLog('silent') });
  return {
    config,
    cluster,
    client,
    server,
    async close() {
      await server.close();
      await client.end();
      await cluster.close();
    },
  };
}
