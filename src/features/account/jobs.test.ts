import { expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { deleteExpired } from '#features/account/jobs.ts';
import { createLog } from '#platform/log.ts';
import { startServer } from '#app/server.ts';
import { world } from '#test/world.ts';

const ago = (count: number, unit: string) => sql`now() - ${count}::int * ${`1 ${unit}`}::interval`;

test('delete_expired: deletes rows past their retention period and keeps younger ones [LOG-04]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const [old, young] = [await w.club([ada, bob], 'Old'), await w.club([ada, bob], 'Young')];
  await run(w.db, sql`delete from invite_links`);
  await run(w.db, sql`delete from notices`);
  await run(w.db, sql`delete from login_codes`);
  await run(w.db, sql`delete from idempotency_keys`);
  const ages = [
    {
      of: 'old',
      days: 31,
      codes: 25,
      throttles: 25,
      idle: 30 * 24,
      notices: 91,
      ejected: 366,
      logged: 731,
      failed: 31,
      messages: 36,
      events: 731,
      club: old.id,
    },
    {
      of: 'young',
      days: 29,
      codes: 23,
      throttles: 23,
      idle: 30 * 24 - 1,
      notices: 89,
      ejected: 364,
      logged: 729,
      failed: 29,
      messages: 34,
      events: 729,
      club: young.id,
    },
  ];
  for (const {
    of,
    days,
    codes,
    throttles,
    idle,
    notices,
    ejected,
    logged,
    failed,
    messages,
    events,
    club,
  } of ages) {
    for (const statement of [
      sql`insert into login_codes values (gen_random_uuid(), ${of}, '', '', 0, ${ago(codes, 'hour')}, ${ago(codes, 'hour')})`,
      sql`insert into login_throttles values (${of}, ${ago(throttles, 'hour')}, 3, 3)`,
      sql`insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, device, created_at, used_at, ends_at)
          values (gen_random_uuid(), ${ada.id}, ${of}::text::bytea, now(), '', ${of}, now(), ${ago(idle, 'hour')}, now() + interval '1 day')`,
      sql`insert into invite_links values (gen_random_uuid(), ${club}, ${of}, null, now(), ${ago(days, 'day')})`,
      sql`insert into handovers (id, club_id, from_id, to_id, afterwards, until)
          values (gen_random_uuid(), ${club}, ${ada.id}, ${bob.id}, 'stay', ${ago(of === 'old' ? 1 : -1, 'hour')})`,
      sql`insert into ejections values (${club}, ${ada.id}, ${ago(ejected, 'day')})`,
      sql`insert into club_log (id, club_id, at, kind) values (gen_random_uuid(), ${club}, ${ago(logged, 'day')}, 'settings')`,
      sql`insert into retired_feeds values (${of}::text::bytea, ${ada.id}, ${club}, '[]', ${ago(days, 'day')})`,
      sql`insert into feed_fetches values (${ada.id}, null, ${of === 'old' ? 'google' : 'apple'}, ${ago(of === 'old' ? 60 : 59, 'day')})`,
      sql`insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
          values (gen_random_uuid(), ${ada.id}, 'member_removed', gen_random_uuid(), jsonb_build_object('club_name', ${of}::text), ${ago(notices, 'day')})`,
      sql`insert into events (id, slug, owner_club_id, name, location_name, start_time, end_time, entry_until_time,
            time_zone, created_at, updated_at)
          values (gen_random_uuid(), ${of}, ${club}, ${of}, 'Pier', ${ago(events, 'day')}, ${ago(events, 'day')}, ${ago(events, 'day')}, 'UTC', now(), now())`,
      sql`insert into check_ins select id, ${ada.id}, true, start_time from events where slug = ${of}`,
      sql`insert into webhook_events values (${of}, ${ago(messages, 'day')})`,
      sql`insert into oauth_states select ${of}::text::bytea, user_id, id, now() + ${of === 'old' ? -1 : 1} * interval '1 minute'
          from sessions where user_id = ${ada.id} and device not in ('old', 'young')`,
      sql`insert into idempotency_keys values (${ada.id}, ${of}::text::bytea, '', 200, '', ${ago(codes, 'hour')})`,
      sql`insert into rate_limits values (${of}, now() + ${of === 'old' ? -1 : 1} * interval '1 minute', 1)`,
      sql`select enqueue_job('send_email', jsonb_build_object('to', ${of}::text), run_at => now() + interval '1 day', key => ${of})`,
      sql`update jobs set attempts = max_attempts, failed_at = ${ago(failed, 'day')} where key = ${of}`,
      // A process that died during the last attempt left its lock and recorded no failure.
      sql`insert into jobs (name, payload, key, attempts, locked_until)
          select name, payload, 'crashed ' || key, max_attempts, failed_at from jobs where key = ${of}`,
    ])
      await run(w.db, statement);
  }
  const shut = sql`insert into login_throttles values ('shut', now() - interval '3 days', 0, 0, now() + interval '1 hour')`;
  await run(w.db, shut);
  await run(w.db, sql`insert into rate_limits values ('open', now() + interval '1 hour', 1)`);

  await deleteExpired(w.db, w.now());
  const left = await all(
    w.db,
    sql<{ what: string; of: string }>`
      select 'code' as what, email as of from login_codes union all
      select 'answer', encode(request_hash, 'escape') from idempotency_keys union all
      select 'guard', email from login_throttles union all
      select 'session', device from sessions where device in ('old', 'young') union all
      select 'link', token from invite_links union all
      select 'check-in', e.slug from check_ins i join events e on e.id = i.event_id union all
      select 'ejection', c.slug from ejections e join clubs c on c.id = e.club_id union all
      select 'offer', c.slug from handovers h join clubs c on c.id = h.club_id union all
      select 'log entry', c.slug from club_log l join clubs c on c.id = l.club_id where l.kind = 'settings' union all
      select 'feed', encode(secret_hash, 'escape') from retired_feeds union all
      select 'fetch', app from feed_fetches union all
      select 'notice', facts ->> 'club_name' from notices union all
      select 'message', id from webhook_events union all
      select 'state', encode(state_hash, 'escape') from oauth_states union all
      select 'limit', key from rate_limits where key in ('old', 'young') union all
      select 'crashed', payload ->> 'to' from jobs where key like 'crashed %' union all
      select 'letter', payload ->> 'to' from jobs where key is not null and key not like 'crashed %'
      order by 1, 2`,
  );
  expect(left).toEqual([
    { what: 'answer', of: 'young' },
    { what: 'check-in', of: 'young' },
    { what: 'code', of: 'young' },
    { what: 'crashed', of: 'young' },
    { what: 'ejection', of: 'young' },
    { what: 'feed', of: 'young' },
    { what: 'fetch', of: 'apple' },
    { what: 'guard', of: 'shut' },
    { what: 'guard', of: 'young' },
    { what: 'letter', of: 'young' },
    { what: 'limit', of: 'young' },
    { what: 'link', of: 'young' },
    { what: 'log entry', of: 'young' },
    { what: 'message', of: 'young' },
    { what: 'notice', of: 'young' },
    { what: 'offer', of: 'young' },
    { what: 'session', of: 'young' },
    { what: 'state', of: 'young' },
  ]);
});

test('delete_expired: runs when the process starts', async () => {
  await using w = await world();
  await run(
    w.db,
    sql`insert into rate_limits (key, window_ends_at, taken) values ('long ago', now() - interval '9 days', 1)`,
  );
  const { config, databaseUrl } = w;
  const server = await startServer({ config, databaseUrl, log: createLog('silent') });
  await expect.poll(() => all(w.db, sql`select 1 from rate_limits where key = 'long ago'`)).toEqual([]);
  await server.close();
});
