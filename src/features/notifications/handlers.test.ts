import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { startServer } from '#app/server.ts';
import { raise } from '#platform/notices/raise.ts';
import { settingKeys } from '#platform/notices/settings.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import { remindAttendees } from '#features/events/store.ts';
import { newEvent } from '#features/events/notices.ts';
import { everyMember } from '#features/members/queries.ts';
import { send, whileHeld } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let eve: Person;
let club: ClubHandle;
let everybody: Record<string, Person>;

beforeAll(async () => {
  w = await world();
  const names = ['Ada', 'Bob', 'Cyd', 'Eve'];
  [ada, bob, cyd, eve] = (await Promise.all(names.map((name) => w.person(name)))) as [
    Person,
    Person,
    Person,
    Person,
  ];
  everybody = { ada, bob, cyd, eve };
  // Eve is an outsider with another club.
  await w.club([eve], 'Evening Readers');
});
afterAll(() => w[Symbol.asyncDispose]());

/** A new club of Ada's with Bob and Cyd, and no notifications. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  // With retries, like any transaction of the app: an email job of the previous test may cause a deadlock.
  await inTransaction(w.db, (db) => run(db, sql`delete from events`));
  club = await w.club([ada, bob, cyd]);
  for (const table of ['notification_opt_outs', 'weekly_emails'])
    await run(w.db, sql`delete from ${sql.ref(table)}`);
  await clearNotifications();
});

const clearNotifications = () => run(w.db, sql`delete from notices`);
const inApp = () => settingKeys().filter((key) => !/^(email|push|weekly)_/.test(key));
const optOut = (person: Person, ...keys: string[]) =>
  person.api.notifications.saveSettings(Object.fromEntries(keys.map((key) => [key, false])));
const apiError = (status: number, error: string) => expect.objectContaining({ status, error });

/** The messages of each person; persons without notifications are omitted. */
async function messages(): Promise<Record<string, string[]>> {
  const byName: Record<string, string[]> = {};
  for (const [name, { api }] of Object.entries(everybody)) {
    const received = (await api.notifications.list({})).map(({ message }) => message);
    if (received.length > 0) byName[name] = received;
  }
  return byName;
}

async function notificationFor(person: Person): Promise<Notification> {
  await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
  return (await person.api.notifications.list({}))[0] as Notification;
}

describe('recipients', () => {
  test('of a new event: every member except its creator [GEN-07]', async () => {
    await w.event(club, ada, { name: 'Regatta' });
    const expected = ['Ada planned “Regatta” in Harbour Rowers.'];
    expect(await messages()).toEqual({ bob: expected, cyd: expected });
  });

  test('of a changed event: attendees and followers', async () => {
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    await bob.api.answers.attend({ event });
    await cyd.api.answers.subscribe({ event });
    await clearNotifications();
    const edit = (patch: object) => ada.api.events.edit({ event, club: club.id, ...patch });
    await edit({ description: 'With cake' });
    await edit({ description: 'With cake' });
    await edit({});
    const expected = ['Ada changed “Regatta” in Harbour Rowers.'];
    expect(await messages()).toEqual({ bob: expected, cyd: expected });
    await edit({ location_name: 'Pier 4', name: 'Race' });
    await cyd.api.answers.unsubscribe({ event });
    await edit({ details: 'Bring a coat' });
    const moved = ['Ada moved “Race” to Pier 4.', 'Ada changed “Race” in Harbour Rowers.'];
    expect(await messages()).toEqual({
      bob: ['Ada changed “Race” in Harbour Rowers.', ...moved],
      cyd: moved,
    });
  });

  test('of a cancellation: attendees and followers, only once even if the event is cancelled again', async () => {
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    await bob.api.answers.attend({ event });
    await bob.api.answers.subscribe({ event });
    await cyd.api.answers.subscribe({ event });
    await clearNotifications();
    await Promise.all([1, 2, 3].map(() => ada.api.events.cancel({ event })));
    const expected = ['Ada cancelled “Regatta” in Harbour Rowers.'];
    expect(await messages()).toEqual({ bob: expected, cyd: expected });
    await bob.api.notifications.clear({});
    await ada.api.events.cancel({ event });
    expect(await messages()).toEqual({ cyd: expected });
  });

  test('of a domain event that is raised twice: are notified once', async () => {
    const { id: event_id } = await w.event(club, ada, { name: 'Regatta' });
    const raised = { facts: { event_id, polls: false }, actor: ada.id, dedupeKey: event_id, now: w.now() };
    await Promise.all([1, 2].map(() => raise(w.db, newEvent, raised, everyMember(club.id))));
    const expected = ['Ada planned “Regatta” in Harbour Rowers.'];
    expect(await messages()).toEqual({ bob: expected, cyd: expected });
  });

  test('of a club update: every member except its author', async () => {
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    const expected = ['Ada published an update in Harbour Rowers.'];
    expect(await messages()).toEqual({ bob: expected, cyd: expected });
  });

  test('of a role change: the member, if the role is new and was set by somebody else', async () => {
    const change = (member: Person, role: 0 | 100 | 200) =>
      ada.api.members.changeRole({ club: club.id, member: member.id, role });
    await change(bob, 0);
    expect(await messages()).toEqual({});
    await change(bob, 200);
    await change(bob, 100);
    await change(bob, 200);
    await change(ada, 0);
    expect(await messages()).toEqual({
      bob: ['an admin', 'an organiser', 'an admin'].map((role) => `Ada made you ${role} of Harbour Rowers.`),
    });
  });

  test('of an ejection: the ejected member, each time', async () => {
    const expected = 'Ada removed you from Harbour Rowers.';
    await ada.api.members.eject({ club: club.id, member: bob.id });
    expect(await messages()).toEqual({ bob: [expected] });
    expect((await bob.api.notifications.list({}))[0]?.metadata).toEqual({});
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    await bob.api.invites.join({ invite });
    await ada.api.members.eject({ club: club.id, member: bob.id });
    expect((await messages())['bob']).toEqual([expected, expected]);
  });

  test('of a new member: the admins', async () => {
    await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    await clearNotifications();
    await eve.api.invites.join({ invite });
    await eve.api.invites.join({ invite });
    const expected = ['Eve joined Harbour Rowers.'];
    expect(await messages()).toEqual({ ada: expected, cyd: expected });
  });

  test('of a deleted club: attendees of its upcoming events, with a message that does not link to the club', async () => {
    const upcoming = await w.event(club, ada, { name: 'Regatta' });
    const cancelled = await w.event(club, ada, { name: 'Cancelled before' });
    const past = await w.event(club, ada, { name: 'Long past' });
    for (const { id: event } of [upcoming, cancelled, past]) await bob.api.answers.attend({ event });
    await ada.api.events.cancel({ event: cancelled.id });
    await run(
      w.db,
      sql`update events set start_time = now() - interval '2 h', end_time = now() - interval '1 h'
      where id = ${past.id}`,
    );
    await clearNotifications();
    await ada.api.clubs.remove({ club: club.id });
    expect(await messages()).toEqual({ bob: ['Ada deleted Harbour Rowers. “Regatta” does not take place.'] });
    expect((await bob.api.notifications.list({}))[0]?.metadata).toEqual({ event_name: 'Regatta' });
  });

  test('of a failed operation: nobody', async () => {
    const { id: event } = await w.event(club, ada);
    await bob.api.answers.attend({ event });
    await clearNotifications();
    await expect(bob.api.events.cancel({ event })).rejects.toEqual(apiError(403, 'not_host'));
    await expect(ada.api.members.eject({ club: club.id, member: eve.id })).rejects.toEqual(
      apiError(404, 'not_found'),
    );
    await run(
      w.db,
      sql`create function fail() returns trigger language plpgsql as 'begin raise ''no''; end'`,
    );
    await run(w.db, sql`create trigger fail before update on events for each row execute function fail()`);
    await expect(ada.api.events.cancel({ event })).rejects.toEqual(apiError(500, 'broken'));
    await run(w.db, sql`drop function fail cascade`);
    expect(await messages()).toEqual({});
  });

  test('of a deleted club: include attendees who sign up during the deletion', async () => {
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    await clearNotifications();
    const held = sql`select 1 from events where id = ${event} for no key update`;
    const removal = () => ada.api.clubs.remove({ club: club.id });
    const outcome = await whileHeld(w, held, removal, (attending) =>
      run(
        attending,
        sql`insert into answers (event_id, user_id, answered_at) values (${event}, ${bob.id}, now())`,
      ),
    );
    expect(outcome).toBe('ok');
    expect(await messages()).toEqual({ bob: ['Ada deleted Harbour Rowers. “Regatta” does not take place.'] });
  });
});

/** An event that starts in 25 hours, with Bob as attendee and Cyd as follower; its reminder is due in one hour. */
async function eventIn25Hours(name = 'Regatta') {
  const { id: event } = await w.event(club, ada, { name, startsIn: 25 });
  await bob.api.answers.attend({ event });
  await cyd.api.answers.subscribe({ event });
  await clearNotifications();
  return event;
}
const reminder = [expect.stringMatching(/^\w{3} \d+ \w{3}.*, \d+:\d\d [ap]m: Regatta$/)];
const hours = (count: number) => new Date(Date.parse(w.now()) + count * 3_600_000).toISOString();
const remind = (at: string) => inTransaction(w.db, (db) => remindAttendees(db, at));

describe('reminder', () => {
  test('is sent to attendees once, a day before the event, and not again if they delete the notification', async () => {
    await eventIn25Hours();
    await remind(hours(0));
    expect(await messages()).toEqual({});
    await remind(hours(1.1));
    expect(await messages()).toEqual({ ada: reminder, bob: reminder });
    await bob.api.notifications.clear({});
    await Promise.all([remind(hours(1.2)), remind(hours(2))]);
    expect(await messages()).toEqual({ ada: reminder });
  });

  test('is sent again a day before a new start, even to attendees who were reminded of the old start [TIME-15]', async () => {
    const event = await eventIn25Hours();
    const edit = (start: number) => ada.api.events.edit({ event, club: club.id, start_time: hours(start) });
    await remind(hours(1.1));
    await edit(72);
    await clearNotifications();
    await remind(hours(2));
    expect(await messages()).toEqual({});
    await remind(hours(48.1));
    expect(await messages()).toEqual({ ada: reminder, bob: reminder });
  });

  test('is not sent for a new start within a day, because the notice of the change serves as a reminder [TIME-15]', async () => {
    const event = await eventIn25Hours();
    await ada.api.events.edit({ event, club: club.id, start_time: hours(20) });
    await clearNotifications();
    for (const at of [0, 5, 19]) await remind(hours(at));
    expect(await messages()).toEqual({});
  });

  test('is not sent to recent sign-ups, or for cancelled or started events', async () => {
    const event = await eventIn25Hours();
    await run(w.db, sql`update answers set answered_at = ${hours(1.05)} where user_id = ${bob.id}`);
    const cancelled = await eventIn25Hours('Cancelled');
    await ada.api.events.cancel({ event: cancelled });
    const begun = await eventIn25Hours('Begun');
    await run(w.db, sql`update events set start_time = ${hours(1)} where id = ${begun}`);
    await clearNotifications();
    await remind(hours(1.1));
    expect(await messages()).toEqual({ ada: reminder });
    expect(
      await all(
        w.db,
        sql`select id from events where reminded_at is not null and owner_club_id = ${club.id}`,
      ),
    ).toEqual([{ id: event }]);
  });

  test('can be switched off', async () => {
    await eventIn25Hours();
    await optOut(bob, 'event_reminder');
    await remind(hours(1.1));
    expect(await messages()).toEqual({ ada: reminder });
  });

  test('is sent by a job that runs at start-up and every five minutes', async () => {
    const due = async (name: string) => {
      const event = await eventIn25Hours(name);
      await run(w.db, sql`update events set start_time = start_time - interval '2 h' where id = ${event}`);
      await run(w.db, sql`update answers set answered_at = answered_at - interval '2 h'`);
    };
    const comes = async (name: string) => {
      const isThere = async () => (await messages())['bob']?.some((message) => message.includes(name));
      for (let tries = 0; tries < 200 && !(await isThere()); tries++) await sleep(25);
      expect(await isThere()).toBe(true);
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await due('Regatta');
    const { config, databaseUrl } = w;
    const server = await startServer({ config, databaseUrl, log: createLog('silent') });
    await comes('Regatta');
    await due('Race');
    await sleep(300);
    expect(await messages()).toEqual({});
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    await comes('Race');
    await server.close();
    vi.useRealTimers();
  });
});

describe('list', () => {
  test('returns the newest notifications first, each with its six fields and its link target [API-42 DATA-19 DATA-20]', async () => {
    const event = await w.event(club, ada, { name: 'Regatta' });
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    const response = await send(w, bob, 'GET /v1/notifications');
    expect(response).toMatchObject({ status: 200, error: null });
    const timestamps = {
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      seen_at: null,
      actioned_at: null,
    };
    expect(response.data).toEqual([
      {
        id: expect.any(String),
        message: 'Ada published an update in Harbour Rowers.',
        ...timestamps,
        metadata: { club_slug: club.slug },
      },
      {
        id: expect.any(String),
        message: 'Ada planned “Regatta” in Harbour Rowers.',
        ...timestamps,
        metadata: { event_slug: event.slug, event_name: 'Regatta' },
      },
    ]);
  });

  test('returns the two hundred newest notifications', async () => {
    await run(
      w.db,
      sql`insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
          select gen_random_uuid(), ${bob.id}, 'member_removed', gen_random_uuid(),
            jsonb_build_object('club_name', 'Number ' || n, 'club_id', gen_random_uuid()), now() + n * interval '1 second'
          from generate_series(1, 201) n`,
    );
    const list = await bob.api.notifications.list({});
    expect(list).toHaveLength(200);
    expect(list[0]?.message).toContain('Number 201');
    expect(list.at(-1)?.message).toContain('Number 2.');
  });

  test('uses the current name of the actor, and no name after their account is deleted', async () => {
    const zoe = await w.person('Zoe', 'Canary');
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    await zoe.api.invites.join({ invite });
    expect((await messages())['ada']).toEqual(['Zoe Canary joined Harbour Rowers.']);
    expect(JSON.stringify(await all(w.db, sql`select facts from notices`))).not.toMatch(/Zoe|Canary/);
    await zoe.api.users.update({ first_name: 'Zora' });
    expect((await messages())['ada']).toEqual(['Zora Canary joined Harbour Rowers.']);
    await run(w.db, sql`delete from users where id = ${zoe.id}`);
    expect((await messages())['ada']).toEqual(['Someone joined Harbour Rowers.']);
  });

  test('seen: sets seen_at once [API-43 NOTIF-18 BELL-12]', async () => {
    const { id } = await notificationFor(bob);
    const response = await send(w, bob, `POST /v1/notifications/${id}/seen`, {});
    const { seen_at } = response.data as Notification;
    expect(response.status).toBe(200);
    expect(seen_at).not.toBeNull();
    w.later('1 minute');
    await bob.api.notifications.seen({ id });
    expect(await bob.api.notifications.list({})).toMatchObject([{ id, seen_at, actioned_at: null }]);
  });

  test('actioned: sets actioned_at once [API-44 NOTIF-20]', async () => {
    const { id } = await notificationFor(bob);
    const response = await send(w, bob, `POST /v1/notifications/${id}/actioned`, {});
    const { actioned_at } = response.data as Notification;
    expect(response.status).toBe(200);
    expect(actioned_at).not.toBeNull();
    w.later('1 minute');
    await bob.api.notifications.actioned({ id });
    expect(await bob.api.notifications.list({})).toMatchObject([{ id, seen_at: null, actioned_at }]);
  });

  test('remove: deletes only the given notification [API-45 NOTIF-25]', async () => {
    const { id: older } = await notificationFor(bob);
    const { id } = await notificationFor(bob);
    expect((await send(w, bob, `DELETE /v1/notifications/${id}`)).status).toBe(200);
    expect((await bob.api.notifications.list({})).map((each) => each.id)).toEqual([older]);
    await expect(bob.api.notifications.remove({ id })).rejects.toEqual(apiError(404, 'not_found'));
  });

  test('clear: deletes all notifications of the user and no notification of other users [API-46 NOTIF-11]', async () => {
    await notificationFor(bob);
    await notificationFor(bob);
    expect((await send(w, bob, 'DELETE /v1/notifications')).status).toBe(200);
    expect(await bob.api.notifications.list({})).toEqual([]);
    expect(await cyd.api.notifications.list({})).toHaveLength(2);
  });

  test('seen, actioned and remove: 404 for a notification of another user', async () => {
    const { id } = await notificationFor(bob);
    for (const operation of ['seen', 'actioned', 'remove'] as const)
      await expect(cyd.api.notifications[operation]({ id })).rejects.toEqual(apiError(404, 'not_found'));
    expect(await bob.api.notifications.list({})).toMatchObject([{ id, seen_at: null, actioned_at: null }]);
  });
});

describe('settings', () => {
  const shown =
    'event_reminder answer_wanted answered_for_you seat_given seat_free lift_changed role_changed event_message question ' +
    'answers_changed not_reached update_important event_cancelled member_removed new_event club_update event_updated member_joined';
  const kinds = shown.split(' ');
  const pushedAtFirst = new Set(kinds.slice(0, 14));
  const atFirst = Object.fromEntries([
    ...kinds.flatMap((kind) => [
      [kind, true],
      [`email_${kind}`, true],
      [`push_${kind}`, pushedAtFirst.has(kind)],
    ]),
    ['email_attending', true],
    ['weekly_email', false],
  ]);

  test('are booleans; at first all are true, except the weekly email and pushes of news [API-47 NOTIFSET-06 CHAN-02 CHAN-04]', async () => {
    const response = await send(w, bob, 'GET /v1/notification-settings');
    expect([response.status, response.data]).toEqual([200, atFirst]);
  });

  test('two changes of different settings at once are both kept [CHAN-02]', async () => {
    const changes = [
      { push_new_event: true, weekly_email: true },
      { push_question: false, new_event: false },
    ];
    for (let round = 0; round < 10; round++) {
      await run(w.db, sql`delete from notification_opt_outs`);
      await Promise.all(changes.map((change) => bob.api.notifications.saveSettings(change)));
      expect(await bob.api.notifications.settings({})).toEqual(Object.assign({ ...atFirst }, ...changes));
    }
  });

  test('are returned as saved [NOTIFSET-05 API-48 CHAN-02]', async () => {
    const mixed = Object.fromEntries(settingKeys().map((key, nth) => [key, nth % 3 > 0]));
    for (const map of [mixed, atFirst, Object.fromEntries(settingKeys().map((key) => [key, false])), mixed]) {
      expect(await send(w, bob, 'PUT /v1/notification-settings', map)).toMatchObject({
        status: 200,
        data: map,
      });
      expect(await bob.api.notifications.settings({})).toEqual(map);
    }
    expect(await cyd.api.notifications.settings({})).toEqual(atFirst);
  });

  test('keep their value when the key is omitted', async () => {
    await optOut(bob, 'new_event', 'email_new_event', 'answered_for_you');
    await bob.api.notifications.saveSettings({ new_event: true });
    await bob.api.notifications.saveSettings({});
    const off = { email_new_event: false, answered_for_you: false };
    expect(await bob.api.notifications.settings({})).toEqual({ ...atFirst, ...off });
  });

  test('about answers are true by default, and keep their value if omitted [MOVE-03]', async () => {
    const answerKeys = (['answer_wanted', 'seat_given', 'answered_for_you'] as const).flatMap(
      (kind) => [kind, `email_${kind}`] as const,
    );
    const chosen = async () => {
      const settings = await bob.api.notifications.settings({});
      return answerKeys.map((key) => settings[key]);
    };
    expect(await chosen()).toEqual(answerKeys.map(() => true));
    await optOut(bob, ...answerKeys);
    const others = settingKeys().filter((key) => !answerKeys.some((each) => each === key));
    for (const value of [false, true]) {
      await bob.api.notifications.saveSettings(Object.fromEntries(others.map((key) => [key, value])));
      expect(await chosen()).toEqual(answerKeys.map(() => false));
    }
  });

  test.each<Record<string, unknown>>([
    { new_events: false },
    { new_event: false, more: true },
    { new_event: 'false' },
    { new_event: null },
    { new_event: 0 },
    { constructor: false },
    { push_new_event: true, push_attending: true },
    { weekly_email: 'true' },
    { weekly_email: true, quiet_hours: true },
  ])('reject %o and change nothing [CHAN-02]', async (map) => {
    expect((await send(w, bob, 'PUT /v1/notification-settings', map)).status).toBe(400);
    expect(await bob.api.notifications.settings({})).toEqual(atFirst);
  });

  test('stop notifications of a kind, except cancellations, removals and location changes', async () => {
    const { id: event } = await w.event(club, ada, { name: 'Regatta' });
    for (const { api } of [bob, cyd]) await api.answers.attend({ event });
    await clearNotifications();
    await optOut(bob, ...inApp());
    await optOut(cyd, ...inApp().map((key) => `email_${key}`));
    await w.event(club, ada, { name: 'Race' });
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    await ada.api.events.edit({ event, club: club.id, description: 'With cake' });
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
    expect(await messages()).toEqual({ cyd: [expect.any(String), expect.any(String), expect.any(String)] });
    await ada.api.events.edit({ event, club: club.id, location_name: 'Pier 4' });
    await ada.api.events.cancel({ event });
    const always = ['Ada cancelled “Regatta” in Harbour Rowers.', 'Ada moved “Regatta” to Pier 4.'];
    expect((await messages())['bob']).toEqual(always);
    await ada.api.members.eject({ club: club.id, member: bob.id });
    // Former members must not see a later name of the event, so they no longer see the notification of the move.
    expect((await messages())['bob']).toEqual(['Ada removed you from Harbour Rowers.', always[0]]);
  });

  test('unsubscribe link: switches off only the emails of its kind', async () => {
    const token = unsubscribeToken(w.config, bob.id, 'email_club_update');
    expect(await w.anyone.notifications.unsubscribe({ token })).toEqual({ key: 'email_club_update' });
    await w.anyone.notifications.unsubscribe({ token });
    expect(await bob.api.notifications.settings({})).toEqual({ ...atFirst, email_club_update: false });
    const [user = '', , proof = ''] = token.split('.');
    for (const forged of [
      `${user}.email_new_event.${proof}`,
      `${cyd.id}.email_club_update.${proof}`,
      `${user}.email_club_update.`,
      `${user}.email_club_update`,
      `x.email_club_update.${proof}`,
      `${user}.else.${proof}`,
      '',
    ])
      await expect(w.anyone.notifications.unsubscribe({ token: forged || '.' })).rejects.toEqual(
        apiError(404, 'not_found'),
      );
    expect(await cyd.api.notifications.settings({})).toEqual(atFirst);
  });
});

test('unsubscribe URL of an email: opening it redirects to the page with the button and changes nothing [T49]', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
  const mail = await w.mail(bob.email);
  const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  const address = header.slice(1, -1).replace(w.config.publicUrl, w.origin);
  const before = await bob.api.notifications.settings({});
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await fetch(address, { method, redirect: 'manual' });
    expect(status).toBe(302);
    expect(mail.text).toContain(`${w.config.publicUrl}${headers.get('location')}\n`);
    expect(headers.get('cache-control')).toContain('no-store');
  }
  expect(await bob.api.notifications.settings({})).toEqual(before);
  const forged = await fetch(`${w.origin}/api/v1/notification-settings/unsubscribe/a%20%22%3E%2F%2F.b`, {
    redirect: 'manual',
  });
  expect(forged.headers.get('location')).toBe('/unsubscribe?token=a+%22%3E%2F%2F.b');
  await fetch(address, { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') });
  expect(await bob.api.notifications.settings({})).toEqual({ ...before, email_club_update: false });
});
