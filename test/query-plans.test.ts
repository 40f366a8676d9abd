import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { inTransaction } from '#platform/db/client.ts';
import { cursorOf } from '#platform/db/pagination.ts';
import { signed } from '#platform/token.ts';
import type { Method } from '#wire/endpoint.ts';
import { instant } from '#wire/instant.ts';
import * as accounts from '#features/account/store.ts';
import { deleteUser } from '#features/auth/store.ts';
import { allNotices } from '#platform/notices/bell.ts';
import { pushedSince } from '#platform/notices/deliveries.ts';
import { settlePushes, takePushes } from '#platform/notices/pushes.ts';
import { answerToken } from '#features/events/mail.ts';
import { readToken } from '#features/updates/mail.ts';
import { dueHosts, lockDueDevices, loseDevice, unsendablePushes } from '#features/push/store.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import { contracts } from '#features/contracts.ts';
import { prepareDatabase, startServer, type Server } from '#app/server.ts';
import { ask } from '#test/ask.ts';
import { openCluster } from '#test/cluster.ts';
import { logPlans, planReader, type Plan, type Planned } from '#test/logged-plans.ts';
import { codeIn, emailIn } from '#test/world.ts';
import {
  clubId,
  clubSecret,
  emailOf,
  eventId,
  eventSlug,
  sectionId,
  fill,
  memberAt,
  personalSecret,
  refreshTokenOf,
  sessionId,
  tokenOf,
  userId,
  type Shape,
} from './query-plans-data.ts';

/** The smallest sizes at which a sequential scan costs more than an index scan. */
const shape: Shape = {
  typical: { clubs: 260, seats: 40, events: 40 },
  guests: 1,
  small: { clubs: 10_000, seats: 0, events: 0 },
  large: { members: 50, events: 50 },
  notices: 1,
  updates: 40,
};

/**
 * Adds one row per user to every other table. Each user's notification gets the id of the user, and one update of each
 * club the id of the club.
 */
const fixtures = `
  insert into login_codes (id, email, short_hash, long_hash, created_at, expires_at)
    select gen_random_uuid(), email, sha256(id::text::bytea), sha256(id::text::bytea), now() - interval '5 minutes',
      now() + interval '5 minutes' from users;
  insert into login_throttles (email, hour_started_at) select email, now() from users;
  insert into rate_limits (key, window_ends_at, taken) select 'feed:' || id, now() + interval '1 hour', 1 from users;
  insert into ejections (club_id, user_id, ejected_at) select c.id, u.id, now()
    from clubs c cross join lateral (select id from users where id > c.id order by id limit 1) u;
  insert into club_log (id, club_id, at, kind, actor_id, user_id) select gen_random_uuid(), club_id, now(), 'role', user_id, user_id
    from members;
  insert into idempotency_keys (user_id, request_hash, body_hash, status, response, created_at)
    select id, id::text::bytea, '', 200, '', now() from users;
  insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
    select id, id, 'old-' || email, email, now(), now() - interval '2 days', now() - interval '2 days',
      now() + interval '5 days' from users;
  insert into feedback (id, user_id, feedback, created_at) select gen_random_uuid(), id, 'Fine.', now() from users;
  insert into pictures (name, user_id, kind, created_at) select id, id, 'person', now() from users;
  insert into club_updates (id, club_id, content, created_at, important) select id, id, 'News', now() + interval '1 minute', true from clubs;
  insert into posts (id, club_id, event_id, audience, content, created_at)
    select gen_random_uuid(), owner_club_id, id, '{going}', 'Message', now() from events where slug not like '%-39';
  insert into questions (id, event_id, author_id, question, asked_at)
    select e.id, e.id, (select user_id from members m where m.club_id = e.owner_club_id limit 1), 'Where?', now()
    from events e where slug like '%-38' or slug like '%-37';
  insert into pictures (name, club_id, update_id, kind, width, height, created_at)
    select 'of ' || id, club_id, id, 'update', 1600, 1200, now() from club_updates;
  insert into retired_feeds (secret_hash, user_id, entries, retired_at)
    select sha256(id::text::bytea), id, '[]', now() from users;
  insert into payment_accounts (user_id, account, email, changed_at) select id, 'acct_' || id, email, now() from users;
  insert into answer_changes (user_id, event_id, changed_at) select user_id, event_id, now() from answers;
  insert into calendar_files (user_id, event_id, setting) select user_id, event_id, 'always' from answers;
  insert into feed_fetches (user_id, club_id, app, fetched_at) select user_id, club_id, 'apple', now() from members;
  insert into feed_fetches (user_id, app, fetched_at) select id, 'google', now() from users;
  insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence)
    select gen_random_uuid(), event_id, 'edit', user_id, now() + interval '1 hour', 0 from answers
    where attendee_role = 'organiser';
  insert into series (id, slug, club_id, host_id, fields, freq, every, weekdays, local_time, time_zone, minutes, starts_on,
      created_at)
    select id, 'series-' || id, id, (select user_id from members where club_id = c.id and club_role = 200 limit 1),
      '{"name": "Run"}', 'weekly', 1, '{2}', '19:00', 'UTC', 60, current_date, now() from clubs c
    where exists (select from members where club_id = c.id);
  update events e set series_id = case when n <= 3 then owner_club_id end, slot_on = current_date + 200 + n::int, polling = n = 4
    from (select id, row_number() over (partition by owner_club_id order by start_time desc) as n from events) as numbered
    where numbered.id = e.id and n <= 4;
  insert into club_breaks (club_id, first_on, last_on, name) select id, '2020-01-01', '2020-01-02', 'New Year' from clubs;
  insert into standing_answers (series_id, user_id, answer, since) select s.id, user_id, 'going', now()
    from members join series s using (club_id);
  insert into update_reads (update_id, user_id, read_at, via)
    select club_id, user_id, now(), 'app' from members where user_id::text < '8';
  insert into club_mutes (club_id, user_id) select club_id, user_id from members;
  insert into weekly_emails (user_id, next_at, since) select id, now() + interval '1 day', now() from users;
  insert into absences (id, user_id, first_on, last_on) select id, id, current_date - 9, current_date + 9 from users;
  insert into slots (id, event_id, kind, title, places, by_id, created_at)
    select event_id, event_id, 'lift', 'From the station', 50, user_id, now() from answers where attendee_role = 'organiser';
  insert into slot_claims (slot_id, user_id, places) select event_id, user_id, 1 from answers where attendee_role = 'attendee' and answer = 'going';
  insert into check_ins (event_id, user_id, came, came_at) select event_id, user_id, true, now() from answers;
  insert into event_times (id, event_id, start_time, end_time)
    select case nth when 0 then id else gen_random_uuid() end, id, start_time + nth * interval '1 day',
      end_time + nth * interval '1 day' from events cross join generate_series(0, 2) as nth;
  insert into time_votes (event_id, time_id, user_id, vote, voted_at)
    select event_id, id, user_id, 'yes', now() from event_times join answers using (event_id);
  update notices set id = user_id;
  update members set answer_key = 'key';
  insert into pushes (notification_id, session_id, send_at)
    select n.id, d.session_id, now() + interval '1 day' from notices n join push_devices d using (user_id);
  analyze`;

interface Call {
  method: Method;
  path: string;
  user?: number;
  /** A function if the input depends on earlier requests. */
  body?: Record<string, unknown> | (() => Promise<Record<string, unknown>>);
}

const config = readConfig({
  CALENDAR_ORGANIZER: 'calendar@muster.test',
  HOST: '127.0.0.1',
  PORT: '0',
  SECRET_KEY: 'a key that only the tests of this project use',
  DATA_DIR: join(inject('dataDirs'), 'statements'),
  LIMITS_PER_ADDRESS: 'off',
  // The devices have endpoints at another host, so nothing is sent.
  PUSH_HOSTS: '127.0.0.1:9',
});

const as =
  (user: number | undefined) =>
  (line: string, body?: Call['body']): Call => {
    const [method, path] = line.split(' ') as [Method, string];
    return { method, path, ...(user === undefined ? {} : { user }), ...(body ? { body } : {}) };
  };
const byNobody = as(undefined);
const tomorrow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** The main club of a run, with some of its members. */
function club(number: number) {
  const member = (n: number) => memberAt(shape, number, n);
  return { member, id: clubId(number), byAdmin: as(member(0)), byMember: as(member(10)) };
}

/** The token of a member's answer link to the upcoming event of a club. */
const answerLink = (number: number, user: number) =>
  answerToken(config, { user_id: userId(user), event_id: eventId(number, 39), answer_key: 'key' });

/** The token of a member's read link to the update of a club. */
const readLink = (number: number, user: number) =>
  readToken(config, { user_id: userId(user), update_id: club(number).id, answer_key: 'key' });

function readsIn(number: number): Record<string, Call> {
  const { member, id, byAdmin, byMember } = club(number);
  const upcoming = eventSlug(number, 39);
  const memberCursor = cursorOf([0, 'Person', 'Number 3', id]);
  const eventCursor = cursorOf([instant(Date.now()), id]);
  return {
    'users.me': byMember('GET /v1/users'),
    'users.emailChange': byNobody(
      `GET /v1/users/email/revert/${signed(config.secretKey, 'revert-email', userId(member(10)))}`,
    ),
    'notifications.list': byMember('GET /v1/notifications'),
    'notifications.settings': byMember('GET /v1/notification-settings'),
    'push.device': byMember('GET /v1/push/device'),
    'auth.sessions': byMember('GET /v1/users/sessions'),
    'invites.ofClub': byAdmin(`GET /v1/invite-links/club/${id}`),
    'invites.get': byNobody(`GET /v1/invite-links/invite-${number}`),
    'absences.list': byMember('GET /v1/users/away'),
    'events.attending': byMember('GET /v1/users/events'),
    'events.ofMyClubs': byMember('GET /v1/users/clubs/events'),
    'events.cards': byMember(`GET /v1/clubs/${id}/events/card`),
    'events.get': byMember(`GET /v1/events/${upcoming}`),
    'events.get with messages': byMember(`GET /v1/events/${eventSlug(number, 38)}`),
    'answers.people': byMember(`GET /v1/events/${upcoming}/people`),
    'answers.people maybe': byMember(`GET /v1/events/${upcoming}/people`, {
      answer: 'maybe',
      after: cursorOf([instant(Date.now()), id]),
    }),
    'answers.list': byAdmin(`GET /v1/events/${upcoming}/answers`),
    'answers.list silent': byAdmin(`GET /v1/events/${upcoming}/answers`, {
      state: 'silent',
      after: cursorOf(['Person', 'Number 3', id]),
    }),
    'polls.voters': byMember(`GET /v1/events/${eventSlug(number, 36)}/times/${eventId(number, 36)}/voters`, {
      after: cursorOf(['yes', instant(Date.now()), id]),
    }),
    'slots.list': byMember(`GET /v1/events/${upcoming}/slots`),
    'checkins.list': byAdmin(`GET /v1/events/${upcoming}/came`),
    'checkins.list search': byAdmin(`GET /v1/events/${upcoming}/came`, {
      q: 'person',
      after: cursorOf(['Person', 'Number 3', id]),
    }),
    'checkins.attendance': byAdmin(`GET /v1/clubs/${id}/attendance`),
    'answers.ofLink': byNobody(`GET /v1/answer-links/${answerLink(number, member(10))}`),
    'updates.readers': byAdmin(`GET /v1/updates/${id}/${id}/readers`, {
      state: 'unread',
      after: cursorOf(['Person', 'Number 3', id]),
    }),
    'updates.ofLink': byNobody(`GET /v1/read-links/${readLink(number, member(10))}`),
    'series.get': byMember(`GET /v1/series/${id}`),
    'sections.ofClub': byMember(`GET /v1/clubs/${id}/sections`),
    'series.breaks': byMember(`GET /v1/clubs/${id}/breaks`),
    'updates.ofClub': byMember(`GET /v1/updates/club-${number}`),
    'clubs.get': byMember(`GET /v1/clubs/club-${number}`),
    'clubs.getForAdmin': byAdmin(`GET /v1/clubs/admin/${id}`),
    'members.ofClub of a section': byMember(`GET /v1/clubs/${id}/members`, { section: sectionId(number, 0) }),
    'members.ofClub': byMember(`GET /v1/clubs/${id}/members`, { after: memberCursor }),
    'members.forAdmin': byAdmin(`GET /v1/clubs/admin/${id}/members`, {
      q: 'person',
      after: memberCursor,
    }),
    'members.contact': byMember(`GET /v1/clubs/${id}/contact`),
    'members.log': byAdmin(`GET /v1/clubs/${id}/log`, { after: eventCursor }),
    'events.ofClub': byMember(`GET /v1/clubs/${id}/events`, { after: eventCursor }),
    'members.ofClub search': byMember(`GET /v1/clubs/${id}/members`, { q: 'person', after: memberCursor }),
    'events.ofClub period': byMember(`GET /v1/clubs/${id}/events`, {
      from: tomorrow(-24),
      until: tomorrow(24),
      after: eventCursor,
    }),
    'events.ofClub mine': byMember(`GET /v1/clubs/${id}/events`, { whose: 'mine' }),
    'events.ofClub in progress': byMember(`GET /v1/clubs/${id}/events`, { phase: 'in_progress' }),
    'events.ofClub previous': byMember(`GET /v1/clubs/${id}/events`, {
      phase: 'previous',
      after: eventCursor,
    }),
    'calendar.clubFeed': byNobody(`GET /v1/clubs/${id}/ical/${clubSecret(number, member(10))}/calendar.ics`),
    'calendar.personalFeed': byNobody(`GET /v1/users/${personalSecret(member(10))}/ical/calendar.ics`),
    'calendar.fetches': byMember('GET /v1/users/feeds'),
    'calendar.oneEvent': byMember(`GET /v1/events/${upcoming}/calendar.ics`),
    'search.find': byMember('GET /v1/events/clubs/filter', { q: 'event' }),
    'search.find in a club': byMember('GET /v1/events/clubs/filter', { q: 'event', club: id }),
    'account.deletion': byMember('GET /v1/users/deletion'),
  };
}

/** Writes that run in this order after the reads, so that each succeeds. They also change the next three clubs. */
function writesIn(number: number): Record<string, Call> {
  const { member, id, byAdmin, byMember } = club(number);
  const upcoming = eventSlug(number, 39);
  const next = club(number + 1);
  const deleted = club(number + 2);
  // The leaver is in a club without notifications, so that all of their emails contain codes.
  const leaverNumber = club(number + 3).member(11);
  const [notice, byLaterMember, leaver] = [userId(member(10)), as(member(38)), as(leaverNumber)];
  const [email, leaverEmail] = [emailOf(member(11)), emailOf(leaverNumber)];
  const newEmail = `other-${email}`;
  const code = async (to: string, count = 0) => codeIn(await emailIn(config.dataDir, to, count));
  const newEmailCode = async () =>
    /email_code=([\w-]+)/.exec((await emailIn(config.dataDir, newEmail)).text ?? '')?.[1];
  return {
    'auth.login': byNobody('GET /v1/auth/login', { email }),
    'auth.confirm': byNobody('GET /v1/auth/confirm', async () => ({ email, code: await code(email) })),
    'auth.refresh': byNobody('GET /v1/auth/refresh', { token: refreshTokenOf(member(17)) }),
    'auth.endSession': as(member(18))(`DELETE /v1/users/sessions/${sessionId(member(18))}`),
    'auth.sendCode': as(member(11))('POST /v1/users/code', { purpose: 'email_change' }),
    'users.update': as(member(11))('PATCH /v1/users', async () => ({
      last_name: 'Other',
      email: newEmail,
      code: await code(email, 1),
    })),
    'users.confirmEmail': as(member(11))('POST /v1/users/email', async () => ({
      code: await newEmailCode(),
    })),
    'users.revertEmail': byNobody(
      `POST /v1/users/email/revert/${signed(config.secretKey, 'revert-email', userId(member(19)))}`,
    ),
    'push.saveDevice': byMember('PUT /v1/push/device', {
      endpoint: 'http://127.0.0.1:9/new',
      // The keys of the example of RFC 8291.
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    }),
    'push.removeDevice': byMember('DELETE /v1/push/device'),
    'notifications.saveSettings': byMember('PUT /v1/notification-settings', { new_event: false }),
    'notifications.unsubscribe': byNobody(
      `POST /v1/notification-settings/unsubscribe/${unsubscribeToken(config, notice, 'email_new_event')}`,
    ),
    'notifications.seen': byMember(`POST /v1/notifications/${notice}/seen`, {}),
    'notifications.actioned': byMember(`POST /v1/notifications/${notice}/actioned`, {}),
    'notifications.remove': byMember(`DELETE /v1/notifications/${notice}`),
    'notifications.clear': byLaterMember('DELETE /v1/notifications'),
    'answers.attend': byLaterMember(`POST /v1/events/${upcoming}/attend`, {}),
    'answers.answer': byLaterMember(`PUT /v1/events/${upcoming}/answer`, {
      answer: 'maybe',
      note: 'Perhaps',
    }),
    'answers.undoAnswer': byLaterMember(`POST /v1/events/${upcoming}/answer/undo`, async () => {
      const [user, event] = [userId(member(38)), eventId(number, 39)];
      const [saved] = await execute<{ version: string }>(
        `select xmin::text as version from answers where event_id = '${event}' and user_id = '${user}'`,
      );
      const parts = [user, event, String(Date.now()), 'maybe', '0', '', '0', '0', saved?.version ?? '', ''];
      return { undo: signed(config.secretKey, 'undo-answer', ...parts) };
    }),
    'answers.answerFor': byAdmin(`PUT /v1/events/${upcoming}/answers/${userId(member(37))}`, {
      answer: 'going',
    }),
    'answers.answerByLink': byNobody(`POST /v1/answer-links/${answerLink(number, member(36))}`, {
      answer: 'no',
    }),
    'answers.replaceLinks': byMember('POST /v1/users/answer-links/reset', {}),
    'answers.nudge': byAdmin(`POST /v1/events/${upcoming}/nudge`, { to: 'silent' }),
    'answers.favourite': byMember(`POST /v1/events/${upcoming}/favourite`, { favourite: true }),
    'answers.subscribe': byMember(`POST /v1/events/${upcoming}/subscribe`, {}),
    'answers.unsubscribe': byMember(`POST /v1/events/${upcoming}/unsubscribe`, {}),
    'slots.create': byAdmin(`POST /v1/events/${upcoming}/slots`, {
      kind: 'bring',
      title: 'Salad',
      places: 2,
    }),
    'slots.claim': byMember(`PUT /v1/slots/${eventId(number, 39)}/claim`, { places: 1 }),
    'slots.remove': byAdmin(`DELETE /v1/slots/${eventId(number, 38)}`),
    'checkins.save': byAdmin(`PUT /v1/events/${eventSlug(number, 7)}/came`, {
      users: [
        { user_id: userId(member(10)), came: false },
        { user_id: userId(member(11)), came: null },
      ],
    }),
    'answers.unattend': byLaterMember(`POST /v1/events/${upcoming}/unattend`, {}),
    'series.plan': byAdmin(`POST /v1/clubs/${id}/series`, {
      name: 'Run',
      location_name: 'Pier 3',
      freq: 'weekly',
      weekdays: [2],
      local_time: '19:00',
      minutes: 60,
      starts_on: tomorrow(24).slice(0, 10),
    }),
    'absences.add': byMember('POST /v1/users/away', {
      first_on: tomorrow(0).slice(0, 10),
      last_on: tomorrow(240).slice(0, 10),
    }),
    'absences.change': byMember(`PUT /v1/users/away/${userId(member(10))}`, {
      first_on: tomorrow(24).slice(0, 10),
      last_on: tomorrow(24).slice(0, 10),
    }),
    'absences.remove': byMember(`DELETE /v1/users/away/${userId(member(10))}`),
    'series.standing': byMember(`PUT /v1/series/${id}/standing`, { answer: 'no' }),
    'series.standing taken back': byMember(`PUT /v1/series/${id}/standing`, { answer: null }),
    'series.saveBreaks': byAdmin(`PUT /v1/clubs/${id}/breaks`, {
      breaks: [{ first_on: '2090-01-01', last_on: '2090-01-02', name: 'New Year' }],
    }),
    'series.edit': next.byAdmin(`PUT /v1/series/${next.id}`, {
      location_name: 'Pier 4',
      local_time: '20:00',
    }),
    'series.end': next.byAdmin(`DELETE /v1/series/${next.id}`),
    'updates.publish': byAdmin(`POST /v1/updates/${id}`, { content: 'News' }),
    'questions.ask': byAdmin(`POST /v1/events/${upcoming}/questions`, { question: 'Where?' }),
    'questions.answer': byAdmin(`PUT /v1/questions/${eventId(number, 38)}`, { answer: 'Here', shared: true }),
    'questions.remove': byAdmin(`DELETE /v1/questions/${eventId(number, 37)}`),
    'updates.read': as(member(31))(`POST /v1/updates/${id}/${id}/read`, {}),
    'updates.remind': byAdmin(`POST /v1/updates/${id}/${id}/remind`, {}),
    'updates.readByLink': byNobody(`POST /v1/read-links/${readLink(number, member(32))}`, {}),
    'updates.sendMessage': byAdmin(`POST /v1/events/${upcoming}/messages`, {
      content: 'Message',
      to: ['going', 'maybe', 'silent'],
    }),
    'events.create': byAdmin(`POST /v1/clubs/${id}/events`, {
      name: 'Run',
      location_name: 'Pier 3',
      start_time: tomorrow(24),
      end_time: tomorrow(25),
    }),
    'events.edit': byAdmin(`PUT /v1/events/${upcoming}/edit/${id}`, { name: 'Other name' }),
    'events.undo': byAdmin(`POST /v1/events/${upcoming}/undo`, async () => {
      const [last] = await execute<{ change: string }>(
        `select h.id as change from event_changes h join events e on e.id = h.event_id
         where e.slug = '${upcoming}' order by h.sequence desc limit 1`,
      );
      return { change: last?.change };
    }),
    'hosts.handOver': byAdmin(`PUT /v1/events/${eventSlug(number, 38)}/host`, {
      user_id: userId(member(12)),
    }),
    'hosts.add': byAdmin(`PUT /v1/events/${eventSlug(number, 38)}/hosts/${userId(member(13))}`),
    'hosts.remove': byAdmin(`DELETE /v1/events/${eventSlug(number, 38)}/hosts/${userId(member(13))}`),
    'polls.vote': byMember(`PUT /v1/events/${eventSlug(number, 36)}/votes`, async () => ({
      votes: (await timesOf(eventId(number, 36))).map((time) => ({ time, vote: 'yes' })),
    })),
    'polls.decide': byAdmin(`POST /v1/events/${eventSlug(number, 36)}/decide`, {
      time: eventId(number, 36),
    }),
    'events.cancel': byAdmin(`DELETE /v1/events/${upcoming}/cancel`),
    'invites.create': byAdmin('POST /v1/invite-links', { club_id: id }),
    'invites.join': byMember(`POST /v1/invite-links/join/invite-${number + 1}`, {}),
    'invites.remove': next.byAdmin(`DELETE /v1/invite-links/invite-${number + 1}`),
    'members.changeRole': byAdmin(`PATCH /v1/clubs/${id}/role/${userId(member(12))}`, { role: 100 }),
    'members.eject': byAdmin(`PUT /v1/clubs/${id}/eject/${userId(member(13))}`),
    'members.offerHandover': byAdmin(`POST /v1/clubs/${id}/handovers`, {
      user_id: userId(member(15)),
      afterwards: 'stay',
    }),
    'members.acceptHandover': as(member(15))(
      `POST /v1/clubs/${id}/handovers/${userId(member(0))}/accept`,
      {},
    ),
    'members.offerHandover to another member': byAdmin(`POST /v1/clubs/${id}/handovers`, {
      user_id: userId(member(16)),
      afterwards: 'stay',
    }),
    'members.declineHandover': as(member(16))(
      `POST /v1/clubs/${id}/handovers/${userId(member(0))}/decline`,
      {},
    ),
    'members.export': byAdmin(`POST /v1/clubs/${id}/members/export`, {}),
    'answers.export': byAdmin(`POST /v1/events/${upcoming}/answers/export`, {}),
    'members.setContact': as(member(15))(`PUT /v1/clubs/${id}/contact`, { phone_for: 'members' }),
    'members.mute': byMember(`PUT /v1/clubs/${id}/mute`, { muted: true }),
    'members.phone': byMember(`POST /v1/clubs/${id}/members/${userId(member(15))}/contact`, {}),
    'members.withdrawHandover': byAdmin(`DELETE /v1/clubs/${id}/handovers`),
    'sections.save': byAdmin(`PUT /v1/clubs/${id}/sections`, { sections: [{ name: 'Tenor' }] }),
    'sections.changeMembers': byAdmin(`PUT /v1/clubs/${id}/sections/${sectionId(number, 0)}/members`, {
      add: [userId(member(17))],
    }),
    'members.leave': as(member(14))(`PUT /v1/clubs/${id}/leave`),
    'clubs.create': byMember('POST /v1/clubs', { club_name: 'New club' }),
    'clubs.update': byAdmin(`PATCH /v1/clubs/${id}`, { club_description: 'Other' }),
    'clubs.setFirstSteps': byAdmin(`PUT /v1/clubs/${id}/first-steps`, { first_steps: null }),
    'calendar.choose': byMember('PUT /v1/users/calendar', { invites_by_mail: true, confirmed: true }),
    'calendar.emailLink': byMember('POST /v1/users/ical/email', {}),
    'calendar.emailLink of a club': byMember('POST /v1/users/ical/email', { club_id: id }),
    'calendar.replaceSecret': byMember('POST /v1/users/ical/reset', {}),
    'calendar.replaceSecret of a club': byMember('POST /v1/users/ical/reset', { club_id: id }),
    'calendar.replaceSecret that leaked': byMember('POST /v1/users/ical/reset', { leaked: true }),
    'updates.edit': byAdmin(`PATCH /v1/updates/${id}/${id}`, { content: 'Later', pictures: [] }),
    'updates.remove': byAdmin(`DELETE /v1/updates/${id}/${id}`),
    'media.removeOwn': byMember('DELETE /v1/users/picture'),
    'media.removeAvatar': byAdmin(`DELETE /v1/clubs/${id}/picture`),
    'media.removeBanner': byAdmin(`DELETE /v1/clubs/${id}/banner`),
    'feedback.send': byMember('POST /v1/feedback', { feedback: 'Fine.' }),
    'clubs.remove': deleted.byAdmin(`DELETE /v1/clubs/${deleted.id}`),
    'auth.sendCode to export': leaver('POST /v1/users/code', { purpose: 'export' }),
    'account.export': leaver('POST /v1/users/export', async () => ({ code: await code(leaverEmail) })),
    'auth.sendCode to delete the account': leaver('POST /v1/users/code', { purpose: 'deletion' }),
    'account.remove': leaver('DELETE /v1/users', async () => ({ code: await code(leaverEmail, 1) })),
    'auth.logout': as(member(15))('POST /v1/auth/logout'),
  };
}

async function timesOf(event: string): Promise<string[]> {
  const times = await execute<{ id: string }>(`select id from event_times where event_id = '${event}'`);
  return times.map(({ id }) => id);
}

let cluster: Awaited<ReturnType<typeof openCluster>>;
let client: pg.Client;

const execute = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
  (await client.query<Row>(text)).rows;

beforeAll(async () => {
  cluster = await openCluster();
  client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await prepareDatabase(cluster.url, createLog('silent'));
  await fill(cluster.url, shape);
  // References are not checked, because checking them for each row takes longer than everything else.
  await execute('set session_replication_role = replica');
  for (const statement of fixtures.split(';')) await execute(statement);
  await execute('reset session_replication_role');
  await logPlans(client);
});

afterAll(async () => {
  await client.end();
  await cluster.close();
});

const scansIn = ({ Plans = [], ...plan }: Plan, large: ReadonlySet<string>): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && large.has(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] as string]
    : []),
  ...Plans.flatMap((inner) => scansIn(inner, large)),
];

/** The maximum number of statements of a read: one each for the session, the rights and the data. */
const budget = 3;
/** Reads whose data is not cached yet, or that few viewers have. They need one more statement. */
const uncached = new Set(['events.ofClub previous', 'events.get with messages']);

/**
 * Accepted scans. A user id can be anywhere in a rate-limit key. Expired keys are deleted hourly, and accounts are
 * rarely deleted.
 */
const acceptedScans: Record<string, RegExp[]> = {
  'account.remove': [/^rate_limits: delete /],
};

test('query plans: cover every endpoint except uploads and calls to other services', () => {
  const all = Object.entries(contracts).flatMap(([noun, contract]) =>
    Object.keys(contract).map((name) => `${noun}.${name}`),
  );
  const tried = new Set([...Object.keys(readsIn(0)), ...Object.keys(writesIn(0))]);
  expect(all.filter((name) => !tried.has(name))).toEqual([
    'push.testDevice',
    'media.setOwn',
    'media.setAvatar',
    'media.setBanner',
    'media.addToUpdate',
    'media.file',
    'payments.open',
    'payments.link',
    'payments.authorise',
  ]);
});

describe('query plans', () => {
  /** The club that is read and written. */
  const number = 0;
  let server: Server;
  let planned: () => Promise<Planned[]>;
  let large: Set<string>;

  beforeAll(async () => {
    const rows = await execute<{ relname: string }>('select relname from pg_class where reltuples > 10000');
    large = new Set(rows.map(({ relname }) => relname));
    server = await startServer({ config, databaseUrl: cluster.url, log: createLog('silent') });
    planned = await planReader(cluster, client);
    await untilIdle();
  });

  afterAll(() => server.close());

  /** Waits until the jobs that the server runs when it starts have finished. */
  async function untilIdle() {
    const last = 'attempts >= max_attempts and greatest(failed_at, locked_until) <';
    while (!(await planned()).some((one) => one['Query Text'].includes(last))) await sleep(50);
    const waiting = 'select from jobs where run_at <= now()';
    while ((await execute(waiting)).length > 0) await sleep(50);
    while ((await planned()).length > 0) await sleep(300);
  }

  async function made({ method, path, user, body }: Call): Promise<Planned[]> {
    const input = typeof body === 'function' ? await body() : body;
    const token = user === undefined ? undefined : tokenOf(user);
    const { status, text } = await ask(server.origin, { method, path }, input, token);
    // A failed request stops before its main statements.
    expect(status, text).toBeLessThan(400);
    return planned();
  }

  const scanned = (plans: readonly Planned[]) =>
    plans.flatMap((one) =>
      scansIn(one.Plan, large).map((table) => `${table}: ${one['Query Text'].replaceAll(/\s+/g, ' ')}`),
    );

  test('the main tables are large enough', () => {
    expect([...large]).toEqual(
      expect.arrayContaining([
        'users',
        'sessions',
        'clubs',
        'members',
        'events',
        'answers',
        'answer_changes',
        'calendar_files',
        'notices',
      ]),
    );
  });

  test.each(Object.entries(readsIn(number)))(
    '%s scans no large table and needs few statements',
    async (name, call) => {
      // The counts of several requests are written with one of them, which may be any.
      const plans = (await made(call)).filter(
        (one) => !one['Query Text'].includes('insert into rate_limits'),
      );
      expect(scanned(plans)).toEqual([]);
      expect(plans.length).toBeLessThanOrEqual(uncached.has(name) ? budget + 1 : budget);
      expect(plans.length).toBeGreaterThan(
        ['invites.get', 'answers.ofLink', 'updates.ofLink'].includes(name) ? 0 : 1,
      );
    },
  );

  test('deleting and exporting an account scan no large table', async () => {
    const user = userId(memberAt(shape, number + 3, 10));
    await accounts.lockAccount(server.db, user, instant(Date.now()));
    await accounts.soleAdminships(server.db, user);
    const parts = [
      accounts.profileOf,
      accounts.emailChangesOf,
      accounts.emailRejectionsOf,
      accounts.deliveriesOf,
      accounts.clubsOf,
      accounts.ejectionsOf,
      accounts.logEntriesOf,
      accounts.linksOf,
      accounts.answersOf,
      accounts.answerChangesOf,
      accounts.calendarFilesOf,
      accounts.calendarFetchesOf,
      accounts.updatesOf,
      accounts.messagesOf,
      accounts.questionsOf,
      accounts.questionAnswersOf,
      accounts.feedbackOf,
      accounts.retiredFeedsOf,
      allNotices,
    ];
    for (const part of parts) await part(server.db, user, instant(Date.now()));
    for (const table of ['favourites', 'event_followers'] as const)
      await accounts.followedEvents(server.db, table, user);
    await deleteUser(server.db, user);
    const plans = await planned();
    expect(plans.length).toBeGreaterThan(20);
    expect(scanned(plans)).toEqual([]);
  });

  test('sending pushes scans no large table, also if many wait [PUSH-16]', async () => {
    const due = instant(Date.now() + 2 * 86_400_000);
    await unsendablePushes(server.db, due);
    const [host = ''] = await dueHosts(server.db, due);
    await inTransaction(server.db, async (db) => {
      const devices = await lockDueDevices(db, { host, now: due, max: 50 });
      const taken = await takePushes(
        db,
        devices.map(({ session_id }) => session_id),
        due,
      );
      expect(taken).toHaveLength(50);
      await pushedSince(db, [...new Set(taken.map(({ user_id }) => user_id))], instant(Date.now()));
      const [lost, kept] = [taken.slice(0, 10), taken.slice(10)];
      await settlePushes(
        db,
        [
          ...lost.map((push) => ({ ...push, state: 'dropped' as const })),
          ...kept.map((push) => ({ ...push, state: 'accepted' as const })),
        ],
        due,
      );
      if (devices[0]) await loseDevice(db, devices[0]);
    });
    const plans = await planned();
    expect(plans.length).toBeGreaterThan(5);
    expect(scanned(plans)).toEqual([]);
  });

  test.each(Object.entries(writesIn(number)))('%s scans no large table', async (name, call) => {
    const plans = await made(call);
    expect(scanned(plans)).toEqual((acceptedScans[name] ?? []).map((start) => expect.stringMatching(start)));
    expect(plans.length).toBeGreaterThan(1);
  });
});
