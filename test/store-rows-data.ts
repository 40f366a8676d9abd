import { randomUUID } from 'node:crypto';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { digest } from '#platform/token.ts';
import { addSeconds } from '#wire/instant.ts';
import * as account from '#features/account/store.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import type { LockedEvent, RunnerOf } from '#features/events/access.ts';
import * as events from '#features/events/store.ts';
import type { AdminOf } from '#features/members/rules.ts';
import { addLogEntry } from '#features/members/store.ts';
import * as media from '#features/media/store.ts';
import { saveSettings } from '#platform/notices/settings.ts';
import * as payments from '#features/payments/store.ts';
import type { WriterOf } from '#features/updates/rules.ts';
import * as updates from '#features/updates/store.ts';
import type { Person, World } from '#test/world.ts';

export const sessionOf = (person: Person) => person.session.read()?.RefreshToken.Token.split('.')[0] ?? '';
export const accessOf = (person: Person) => digest(person.session.read()?.AccessToken.Token ?? '');
export const actor = (person: Person) => ({ id: person.id, session_id: sessionOf(person) });

/**
 * Creates clubs, events and people, so that each statement finds rows with null and rows with a value in each nullable
 * column.
 */
export async function seedStores(w: World) {
  const { db } = w;
  const [ada, bob, cyd, dan] = [
    await w.person('Ada'),
    await w.person('Bob'),
    await w.person('Cyd'),
    await w.person('Dan'),
  ];
  const club = await w.club([ada, bob, cyd]);
  const other = await w.club([bob, cyd], 'Hill Walkers');
  const third = await w.club([dan], 'Quiz Team');
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
  await run(db, sql`update users set profile_picture_url = '/bob' where id = ${bob.id}`);
  await run(
    db,
    sql`update clubs set location_name = 'Pier', website = 'https://club.example', profile_picture_url = '/avatar',
          profile_banner_url = '/banner', organisers_plan = false where id = ${club.id}`,
  );

  const regatta = await w.event(club, ada, { name: 'Regatta', capacity: 50 });
  const hostless = await w.event(club, ada, { name: 'Hostless', startsIn: 48 });
  const cancelled = await w.event(club, ada, { name: 'Cancelled', startsIn: 72 });
  const walk = await w.event(other, bob, { name: 'Walk' });
  const full = await w.event(other, bob, { name: 'Full', startsIn: 120, capacity: 1 });
  const missed = await w.event(other, bob, { name: 'Missed', startsIn: 96 });
  for (const { id } of [regatta, hostless, cancelled, walk, full])
    await cyd.api.answers.attend({ event: id });
  await bob.api.answers.attend({ event: regatta.id });
  await cyd.api.answers.favourite({ event: regatta.id, favourite: true });
  await cyd.api.answers.subscribe({ event: regatta.id });
  const picnic = await w.poll(club, ada, { name: 'Picnic' });
  const [firstTime, secondTime] = picnic.times;
  for (const { api } of [bob, cyd])
    await api.polls.vote({
      event: picnic.id,
      votes: [
        { time: firstTime, vote: 'yes' },
        { time: secondTime, vote: 'no' },
      ],
    });
  const poll = { id: picnic.id, owner_club_id: club.id } as LockedEvent;
  await ada.api.events.edit({ event: regatta.id, club: club.id, details: 'New' });
  await cyd.api.feedback.send({ feedback: 'Good' });
  await w.anyone.auth.login({ email: cyd.email });
  await run(db, sql`update login_codes set used_at = now()`);
  await w.anyone.auth.login({ email: cyd.email });

  const [old] = await all(
    db,
    sql<{ secret: string; clubSecret: string }>`
      select u.calendar_secret as secret, m.calendar_secret as "clubSecret"
      from users u join members m on m.user_id = u.id where u.id = ${cyd.id} and m.club_id = ${club.id}`,
  );
  const secretNow = (await cyd.api.calendar.replaceSecret({})).ical_feed_url_id;
  const clubSecretNow = (await cyd.api.calendar.replaceSecret({ club_id: club.id })).ical_feed_url_id;
  const { invite_link } = await ada.api.invites.ofClub({ club: club.id });

  const anonymous_link = (await dan.api.invites.create({ club_id: third.id })).invite_link;

  const weekly = {
    freq: 'weekly' as const,
    weekdays: [2],
    local_time: '19:00',
    minutes: 60,
    starts_on: '2090-01-01',
  };
  const series = await ada.api.series.plan({
    ...weekly,
    club: club.id,
    name: 'Run',
    location_name: 'Pier',
    capacity: 20,
  });
  const ended = await ada.api.series.plan({
    ...weekly,
    club: club.id,
    name: 'Trip',
    location_name: 'Pier',
    count: 2,
    freq: 'monthly_weekday',
    nth: -1,
  });
  // The first date of this series is on the same day as the first date of `series`.
  const hostlessSeries = await ada.api.series.plan({
    ...weekly,
    club: club.id,
    name: 'Talk',
    location_name: 'Pier',
    freq: 'monthly_day',
    month_day: 3,
    ends_on: '2090-12-31',
  });
  for (const each of [series, hostlessSeries])
    await cyd.api.series.standing({ series: each.id, answer: 'going' });
  // Bob is on the waitlist of one of the dates of `hostlessSeries`.
  await run(
    db,
    sql`update events set capacity = 2 where series_id = ${hostlessSeries.id} and slot_on = '2090-02-03'`,
  );
  await bob.api.series.standing({ series: hostlessSeries.id, answer: 'going' });
  await ada.api.series.end({ series: ended.id });
  const [firstDate, cancelledDate] = (await cyd.api.series.get({ series: series.id })).events;
  const date = firstDate?.id ?? '';
  const relayed = [randomUUID(), randomUUID()];
  await run(
    db,
    sql`insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, asked_again)
        values (${relayed[0]}, ${date}, 'edit', ${ada.id}, ${w.now()}, 1, '{"start_time": "2090-01-03T18:00:00.000Z"}',
          '{"start_time": "2090-01-03T19:00:00.000Z"}', true)`,
  );
  const nudged = JSON.stringify([{ list: 'maybe', times: 1, last_at: w.now() }]);
  await run(
    db,
    sql`update events set nudged_at = ${w.now()}, nudged = ${nudged}, sequence = 1 where id = ${date}`,
  );
  await run(db, sql`update events set deleted_at = ${w.now()} where id = ${cancelledDate?.id}`);
  await run(
    db,
    sql`insert into club_breaks (club_id, first_on, last_on, name) values (${club.id}, '2091-01-01', '2091-01-02', 'New Year')`,
  );
  await run(db, sql`update series set host_id = null, nth = -1 where id = ${hostlessSeries.id}`);
  await run(db, sql`update series set host_id = ${bob.id}, month_day = 24 where id = ${ended.id}`);
  await run(db, sql`update events set series_id = ${ended.id}, slot_on = '2090-12-24' where id = ${walk.id}`);
  await run(db, sql`update users set time_zone = 'Europe/Berlin' where id = ${bob.id}`);
  await run(db, sql`update users set device_zone = 'Europe/Berlin' where id = ${cyd.id}`);
  await run(
    db,
    sql`update answers set user_id = ${bob.id} where event_id = ${date} and attendee_role = 'organiser'`,
  );
  await run(
    db,
    sql`update answers set attendee_role = 'attendee'
        where event_id in (select id from events where series_id = ${hostlessSeries.id})`,
  );
  await run(
    db,
    sql`insert into calendar_files (user_id, event_id, setting) values (${cyd.id}, ${date}, 'always')`,
  );
  await run(
    db,
    sql`insert into feed_fetches (user_id, club_id, app, fetched_at)
        values (${cyd.id}, ${club.id}, 'google', now()), (${cyd.id}, null, 'apple', now())`,
  );

  // Every event and series asks a question, and some replies are none of its choices.
  await run(
    db,
    sql`update events set question = 'Which menu?', choices = '{Vegan,Meat}', needed = '{"all": 3}'`,
  );
  await run(
    db,
    sql`update series set fields = fields || '{"question": "Which menu?", "choices": ["Vegan", "Meat"], "needed": {"all": 3}}'`,
  );
  await run(db, sql`update answers set reply = case when user_id = ${cyd.id} then 'Vegan' else 'Fish' end`);

  const now = w.now();
  const admin = { club_id: club.id, user_id: ada.id, club_role: 200 } as AdminOf;
  const [change, pendingChange] = [randomUUID(), randomUUID()];
  const [hash, throttled, old_email] = [digest('secret'), 'throttled@example.org', 'old@example.org'];
  const [notice, offer, section] = [randomUUID(), randomUUID(), randomUUID()];
  const changes = [randomUUID(), randomUUID()];
  const allFields = JSON.stringify({
    ...emptyEventFields,
    capacity: 50,
    choices: ['Vegan'],
    section_ids: [section],
    start_time: now,
    end_time: now,
    entry_until_time: now,
    time_zone: 'UTC',
  });
  const aboutUpdate = { club_id: club.id, update_id: randomUUID() };

  const asWriter = { club_id: club.id } as WriterOf;
  const news = { content: 'News', pictures: [] };
  let message = '';
  let [important, reminded] = ['', ''];
  const [question, openQuestion] = [randomUUID(), randomUUID()];

  await inTransaction(db, async (db) => {
    await run(
      db,
      sql`update answers set attendee_role = 'attendee', answer = 'maybe', guests = 1
          where event_id = ${hostless.id} and user_id = ${ada.id}`,
    );
    await run(
      db,
      sql`insert into answers (event_id, user_id, answered_at, answer)
          select ${hostless.id}, user_id, ${now}, 'maybe' from members where club_id = ${club.id} and user_id <> ${cyd.id}
          on conflict do nothing`,
    );
    await run(
      db,
      sql`insert into event_changes (id, event_id, kind, changed_at, sequence, before, after, reason)
          values (${relayed[1]}, ${walk.id}, 'edit', ${now}, 1, '{"location_name": "Pier 1"}', '{"location_name": "Pier 2"}', 'weather')`,
    );
    // It has reached everybody but Bob, who answered before.
    await run(
      db,
      sql`insert into event_changes (id, event_id, kind, changed_at, sequence, before, after)
          values (gen_random_uuid(), ${hostless.id}, 'edit', ${addSeconds(now, -20 * 60)}, 1, '{"location_name": "Pier 1"}', '{"location_name": "Pier 2"}')`,
    );
    await run(
      db,
      sql`update answers set answered_at = ${addSeconds(now, -60 * 60)} where event_id = ${hostless.id} and user_id = ${bob.id}`,
    );
    for (const id of changes)
      await run(
        db,
        sql`insert into event_changes (id, event_id, kind, actor_id, host_id, changed_at, sequence, before, after, long_texts,
              reason, words, asked_again)
            values (${id}, ${regatta.id}, 'host', ${ada.id}, ${bob.id}, ${now}, 1, ${allFields}, ${allFields}, '{}', 'weather', 'Rain', true)`,
      );
    await run(
      db,
      sql`update event_changes set kind = 'edit', actor_id = null, host_id = null, undone_at = ${now}, before = '{"capacity": null}',
            after = '{"capacity": null}', reason = null
          where id = ${changes[0]}`,
    );
    await run(db, sql`update answers set host_no = 2 where event_id = ${regatta.id} and user_id = ${cyd.id}`);
    await run(
      db,
      sql`update answers set via = 'runner', by_id = ${ada.id} where event_id = ${hostless.id} and user_id = ${bob.id}`,
    );
    await run(
      db,
      sql`update answers set confirmed_at = ${now} where event_id = (
            select event_id from answers where user_id = ${cyd.id} limit 1) and user_id = ${cyd.id}`,
    );
    await run(
      db,
      sql`insert into answers (event_id, user_id, answered_at, answer, place)
          values (${cancelled.id}, ${bob.id}, ${now}, 'waiting', 3)`,
    );
    await events.cancel(db, { id: cancelled.id } as LockedEvent, { actor: ada.id }, now);
    for (const name of ['shown', 'latest', 'sent', 'unused'])
      await media.addUpdatePicture(db, asWriter, { name, width: 1600, height: 1200 }, now);
    const edited = await updates.addUpdate(db, admin, news, now);
    await updates.addUpdate(db, admin, { ...news, pictures: ['shown'] }, now);
    await updates.addUpdate(db, { ...admin, club_id: other.id, user_id: bob.id }, news, now);
    const latest = await updates.addUpdate(
      db,
      { ...admin, user_id: bob.id },
      { ...news, pictures: ['latest'], important: true },
      addSeconds(now, 1),
    );
    await updates.markRead(db, { club_id: club.id, user_id: cyd.id }, latest, 'app', now);
    await run(
      db,
      sql`update posts set creator_id = null, edited_at = ${now} where club_id = ${club.id} and creator_id = ${bob.id}`,
    );
    await run(db, sql`update posts set edited_at = ${now} where id = ${edited}`);
    important = await updates.addUpdate(db, admin, { ...news, important: true }, addSeconds(now, 0.5));
    await updates.markRead(db, { club_id: club.id, user_id: cyd.id }, important, 'app', now);
    await updates.markRead(db, { club_id: club.id, user_id: ada.id }, important, 'app', now);
    reminded = await updates.addUpdate(db, admin, { ...news, important: true }, addSeconds(now, 0.6));
    await updates.addReminder(db, reminded, now);
    await run(
      db,
      sql`insert into questions (id, event_id, author_id, question, asked_at, answer, answered_at, answered_by, version, shared)
          values (${question}, ${regatta.id}, ${cyd.id}, 'Where?', ${now}, 'Here', ${now}, ${ada.id}, 1, true),
            (${openQuestion}, ${regatta.id}, ${cyd.id}, 'When?', ${now}, '', null, null, 0, false)`,
    );
    const byRunner = { id: regatta.id, owner_club_id: club.id } as RunnerOf;
    message = await updates.addMessage(
      db,
      byRunner,
      cyd.id,
      { ...news, pictures: ['sent'], to: ['going'] },
      now,
    );
    await run(db, sql`update posts set edited_at = ${now} where id = ${message}`);
    await updates.addMessage(db, byRunner, ada.id, { ...news, to: ['going', 'silent'] }, now);
    const authorless = await updates.addMessage(db, byRunner, bob.id, { ...news, to: ['going'] }, now);
    await run(db, sql`update posts set creator_id = null where id = ${authorless}`);
    // More than a page of members and of events.
    await run(
      db,
      sql`with people as (
            insert into users (id, email, calendar_secret, created_at)
            select gen_random_uuid(), n || '@example.net', n, ${now} from generate_series(1, 101) as n returning id)
          insert into members (club_id, user_id, calendar_secret, joined_at) select ${club.id}, id, id, ${now} from people`,
    );
    await run(
      db,
      sql`insert into check_ins select e.id, user_id, true, ${now} from members, events e
          where club_id = ${club.id} and user_id <> ${cyd.id} and e.name in ('Hostless', 'Walk')`,
    );
    await run(
      db,
      sql`insert into check_ins select id, ${cyd.id}, false, ${now} from events where name = 'Walk'`,
    );
    await run(
      db,
      sql`insert into events (id, slug, owner_club_id, name, start_time, end_time, entry_until_time, time_zone,
            created_at, updated_at)
          select gen_random_uuid(), 'past-' || n, ${club.id}, 'Past', t, t, t, 'UTC', t, t
          from generate_series(1, 101) as n, lateral (select ${now}::timestamptz - n * interval '1 hour') as times (t)`,
    );
    await run(
      db,
      sql`insert into email_changes (id, user_id, old_email, new_email, code_hash, code_ends_at, requested_at, changed_at, ends_at)
          values
            (${change}, ${bob.id}, ${old_email}, ${bob.email}, null, ${now}, ${now}, ${now}, ${addSeconds(now, 9999)}),
            (${pendingChange}, ${bob.id}, ${bob.email}, 'new@example.org', ${hash}, ${addSeconds(now, 9999)}, ${now}, null,
              ${addSeconds(now, 9999)})`,
    );
    await run(
      db,
      sql`insert into deliveries (id, channel, user_id, kind, state, code, stated_at, created_at, settled_at) values
            (gen_random_uuid(), 'email', ${cyd.id}, 'new_event', 'pending', null, ${now}, ${now}, null),
            (gen_random_uuid(), 'email', ${cyd.id}, 'new_event', 'refused', '550 5.1.1', ${now}, ${now}, ${now})`,
    );
    await run(
      db,
      sql`insert into email_rejections (user_id, rejections, rejected_since)
          values (${cyd.id}, 3, ${addSeconds(now, -2 * 24 * 60 * 60)})`,
    );
    await run(
      db,
      sql`insert into ejections (club_id, user_id, ejected_at) values (${club.id}, ${dan.id}, ${now})`,
    );
    await addLogEntry(db, admin, { kind: 'settings', fields: ['club_name'] }, now);
    await addLogEntry(db, admin, { kind: 'export', list: 'members' }, now);
    await run(
      db,
      sql`insert into handovers (id, club_id, from_id, to_id, afterwards, until) values
            (${offer}, ${club.id}, ${ada.id}, ${cyd.id}, 'leave', ${addSeconds(now, 9999)}),
            (gen_random_uuid(), ${other.id}, ${cyd.id}, ${bob.id}, 'stay', ${now})`,
    );
    await run(db, sql`update users set phone = '+49 30 123456' where id = ${cyd.id}`);
    await run(
      db,
      sql`insert into contacts (club_id, user_id, phone_for) values (${club.id}, ${cyd.id}, 'hosts')`,
    );
    await run(db, sql`insert into club_mutes (club_id, user_id) values (${club.id}, ${cyd.id})`);
    await run(
      db,
      sql`insert into sections (id, club_id, name, position) values (${section}, ${club.id}, 'Crew', 1)`,
    );
    await run(db, sql`update members set section_ids = array(select id from sections)`);
    await run(db, sql`update events set section_ids = array(select id from sections)`);
    await run(
      db,
      sql`update series set fields = jsonb_set(fields, '{section_ids}', (select jsonb_agg(id) from sections))`,
    );
    await addLogEntry(db, admin, { kind: 'sections', sections: ['added'] }, now);
    const concerned = { user_id: cyd.id, afterwards: 'leave', reason: 'withdrawn' } as const;
    await addLogEntry(db, admin, { kind: 'handover_offered', ...concerned }, now);
    await addLogEntry(db, { club_id: club.id, user_id: '' }, { kind: 'link_deleted' }, now);
    await run(db, sql`update invite_links set created_by = null where token = ${anonymous_link}`);
    await run(db, sql`update sessions set parent_hash = refresh_hash where user_id = ${ada.id}`);
    await run(
      db,
      sql`insert into push_devices (session_id, user_id, endpoint, p256dh, auth, created_at, warned_at)
          select id, user_id, case when user_id <> ${ada.id} then 'https://fcm.googleapis.com/' || id end, decode(repeat('04', 65), 'hex'), decode(repeat('00', 16), 'hex'), ${now}, ${now}
          from sessions`,
    );
    await run(db, sql`update sessions set written_lsn = pg_current_wal_lsn()`);
    await run(
      db,
      sql`insert into login_throttles (email, hour_started_at, short_codes_refused_until) values (${throttled}, ${now}, ${now})`,
    );
    await run(
      db,
      sql`insert into calendar_files (user_id, event_id, setting)
          values (${cyd.id}, ${regatta.id}, 'always'), (${cyd.id}, ${walk.id}, 'always')`,
    );
    await run(
      db,
      sql`insert into notices (id, user_id, kind, dedupe_key, actor_id, facts, created_at, seen_at, actioned_at) values
            (${notice}, ${cyd.id}, 'club_update', ${randomUUID()}, null, ${aboutUpdate}, ${now}, null, null),
            (gen_random_uuid(), ${cyd.id}, 'new_event', ${randomUUID()}, ${ada.id}, ${{ event_id: regatta.id }},
              ${now}, null, ${now}),
            (gen_random_uuid(), ${cyd.id}, 'club_update', ${randomUUID()}, null, ${aboutUpdate}, ${now}, ${now}, ${now})`,
    );
    await run(
      db,
      sql`insert into pushes (notification_id, session_id, send_at)
          select ${notice}, id, ${now} from sessions where user_id = ${cyd.id}`,
    );
    await account.recordDeletion(db, { digest: 'digest', deleted_on: '2026-01-01' });
    await saveSettings(db, cyd.id, { new_event: false, weekly_email: true }, w.now());
    await payments.addState(db, actor(ada), hash, now);
    await run(
      db,
      sql`insert into payment_accounts (user_id, account, email, changed_at) values (${ada.id}, 'acct', ${ada.email}, ${now})`,
    );
    await run(
      db,
      sql`update events set nudges = 1, nudged_at = ${now}, nudged = ${nudged} where id = ${regatta.id}`,
    );
  });

  const [slot] = (await ada.api.slots.create({ event: regatta.id, kind: 'bring', title: 'Salad', places: 3 }))
    .slots;
  await bob.api.slots.claim({ slot: slot?.id ?? '' });
  await cyd.api.slots.claim({ slot: slot?.id ?? '' });
  await bob.api.slots.create({ event: regatta.id, kind: 'lift', title: 'From the station', places: 3 });
  await run(
    db,
    sql`insert into slots (id, event_id, kind, title, places, by_id, created_at)
        select gen_random_uuid(), event_id, kind, title, places, null, created_at from slots where kind = 'bring'`,
  );
  const absence = randomUUID();
  await run(
    db,
    sql`insert into absences (id, user_id, first_on, last_on)
        select ${absence}, ${cyd.id}, start_time::date, start_time::date from events where id = ${date}`,
  );
  await run(db, sql`update answers set via = 'away' where event_id = ${date} and user_id = ${cyd.id}`);
  return {
    absence,
    slot: slot?.id ?? '',
    ada,
    bob,
    cyd,
    dan,
    admin,
    club,
    other,
    third,
    series: series.id,
    ended: ended.id,
    hostlessSeries: hostlessSeries.id,
    date,
    poll,
    time: firstTime,
    weekly,
    regatta,
    hostless,
    cancelled,
    walk,
    full,
    missed,
    changes,
    relayed,
    notice,
    offer,
    message,
    important,
    reminded,
    question,
    openQuestion,
    section,
    secret: old?.secret ?? '',
    clubSecret: old?.clubSecret ?? '',
    secretNow,
    clubSecretNow,
    invite_link,
    anonymous_link,
    now,
    change,
    hash,
    throttled,
    old_email,
  };
}
