import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, clockOf, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { noticeOf, type AnyNotice } from '#platform/notices/notice.ts';
import { raise } from '#platform/notices/raise.ts';
import { settingKeys } from '#platform/notices/settings.ts';
import type { AuthData } from '#wire/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { startSession } from '#features/auth/handlers.ts';
import { mutedClubs, onlyUsers } from '#features/members/queries.ts';
import { vapidKeys } from '#features/push/gateway.ts';
import { sendPushes } from '#features/push/jobs.ts';
import { noticeCases } from '#test/notice-cases.ts';
import { openPushService, type PushService } from '#test/push-service.ts';
import {
  isolatedWorld,
  memorySession,
  type Api,
  type ClubHandle,
  type Person,
  type World,
} from '#test/world.ts';

/** The push service of Bob's device, and another one. */
let service: PushService;
let other: PushService;
/** A host at which no server listens. */
const closedHost = '127.0.0.1:9';
/** The log of the server. */
let logged = '';
let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;
let event: { id: string; slug: string };
let device: ReturnType<PushService['subscribe']>;

beforeAll(async () => {
  [service, other] = [await openPushService(), await openPushService()];
  const log = { write: (line: string) => void (logged += line) };
  w = await isolatedWorld(
    { PUSH_HOSTS: `${service.host},${other.host},${closedHost}`, LOG_LEVEL: 'debug' },
    log,
  );
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

/** Creates a club of Ada's with Bob, who has a device, as a member. Its event is in three days. */
beforeEach(async () => {
  w.clockOffset.seconds = 0;
  for (const table of ['rate_limits', 'push_devices', 'notices', 'notice_emails', 'deliveries'])
    await run(w.db, sql`delete from ${sql.table(table)}`);
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  event = await w.event(club, ada, { name: 'Regatta', startsIn: 72 });
  await run(w.db, sql`delete from notices`);
  await delivered();
  device = service.subscribe();
  await bob.api.push.saveDevice(device);
  service.received.length = service.errors.length = other.received.length = 0;
  Object.assign(service.state, { requests: 0, closed: 0, respond: { status: 201 } });
});

/** Runs the job that sends pushes, and waits until it has ended. */
async function delivered(): Promise<void> {
  await run(w.db, sql`select enqueue_job('send_pushes', '{}')`);
  const due = sql`select from jobs where name in ('send_pushes', 'continue_notices') and (run_at <= now() or attempts > 0)`;
  for (let tries = 0; tries < 800 && (await first(w.db, due)); tries++) await sleep(25);
  expect(await first(w.db, due)).toBeUndefined();
  expect(service.errors).toEqual([]);
}

/** Logs Bob in on another device. */
async function anotherSession(): Promise<Api> {
  const session = memorySession();
  const { db, config } = w;
  session.write(
    (await startSession({ db, config, now: w.now(), record: () => {} }, bob.id, 'Test')) as AuthData,
  );
  return w.client(session);
}

const messages = (to = device) => service.messagesFor(to);
const bodies = (to = device) => messages(to).map(({ body }) => body);
const waiting = async () => (await all(w.db, sql`select from pushes`)).length;
const outcomes = () =>
  all(
    w.db,
    sql<{
      kind: string;
      state: string;
    }>`select kind, state from deliveries where channel = 'push' order by created_at, kind`,
  );
const nudge = () => ada.api.answers.nudge({ event: event.id, to: 'silent' });
const edit = (patch: object) => ada.api.events.edit({ event: event.id, club: club.id, ...patch });

const cases = noticeCases({
  get w() {
    return w;
  },
  get ada() {
    return ada;
  },
  get bob() {
    return bob;
  },
  get club() {
    return club;
  },
});
const kinds = Object.keys(cases).filter((kind) => noticeOf(kind)?.message);
const raiseTo = (kind: string, facts: Record<string, unknown>, to: Pick<Person, 'id'> = bob) => {
  const notice = noticeOf(kind) as AnyNotice;
  return inTransaction(w.db, (db) =>
    raise(db, notice, { facts: notice.facts.parse(facts), actor: ada.id, now: w.now() }, onlyUsers(to.id)),
  );
};

/** The number of requests to the push service now, and after each of these times. */
const requestsAfter = async (...spans: string[]) => {
  const counts = [service.state.requests];
  for (const span of spans) {
    w.later(span);
    await delivered();
    counts.push(service.state.requests);
  }
  return counts;
};

/** Events that take place one after the other. */
const eventsInARow = async (count: number) => {
  const made = [];
  for (let nth = 0; nth < count; nth++) made.push(await w.event(club, ada, { startsIn: 48 + nth }));
  await run(w.db, sql`delete from notices`);
  return made;
};

/** Raises notices of one kind about these events, and sends each at once. */
const oneByOne = async (kind: string, events: { id: string }[]) => {
  for (const { id } of events) {
    await raiseTo(kind, (await cases[kind]?.(id, 0)) ?? {});
    await delivered();
  }
};

test('push: names the club, says what the bell says in the language of the reader, and opens the same page [PUSH-07]', async () => {
  await bob.api.users.update({ language: 'de' });
  await nudge();
  await delivered();
  const [bell] = await bob.api.notifications.list({});
  const [push] = service.received;
  expect(push?.message).toMatchObject({
    title: 'Harbour Rowers',
    body: bell?.message,
    path: `/app/events/${event.slug}`,
    language: 'de',
    notification: bell?.id,
    tag: expect.stringMatching(/^[\w-]{32}$/),
  });
  expect(bell?.message).toMatch(/^Ada möchte wissen/);
  expect(push?.topic).toBe(push?.message.tag);
  expect(push?.urgency).toBe('normal');
  expect(Number(push?.ttl)).toBeGreaterThan(86_390);
  expect(Number(push?.ttl)).toBeLessThanOrEqual(86_400);
  expect(push?.bytes).toBeLessThanOrEqual(4096);
  const { link } = push?.message.answers ?? { link: '' };
  const { AccessToken, RefreshToken } = bob.session.read() ?? {};
  const text = JSON.stringify(push?.message).replace(link, '');
  for (const secret of [
    bob.email,
    ada.email,
    AccessToken?.Token,
    RefreshToken?.Token,
    link.split('/').at(-1),
  ])
    expect(text).not.toContain(secret);
  expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'accepted' }]);
  expect(await waiting()).toBe(0);
});

test.each(kinds)(
  '%s: has a sender, its push is urgent only if it is always sent, and it is sent whatever the settings say only then [CHAN-03 CHAN-06 PUSH-07]',
  async (kind) => {
    const notice = noticeOf(kind) as AnyNotice;
    const send = async () => {
      const facts = (await cases[kind]?.(event.id, 0)) ?? {};
      await run(w.db, sql`delete from notices`);
      await raiseTo(kind, facts);
      w.later('66 seconds');
      await delivered();
    };
    await bob.api.notifications.saveSettings({ [`push_${notice.setting}`]: true });
    await send();
    const [push] = service.received;
    expect(service.received).toHaveLength(1);
    expect(push?.message.title).toBe('Harbour Rowers');
    await bob.api.notifications.saveSettings(Object.fromEntries(settingKeys().map((key) => [key, false])));
    await bob.api.members.mute({ club: club.id, muted: true });
    await send();
    expect(service.received).toHaveLength(push?.urgency === 'high' ? 2 : 1);
    expect(push?.urgency).toBe(
      notice.group === 'always' || ['event_updated', 'time_fixed'].includes(kind) ? 'high' : 'normal',
    );
  },
);

test.each(kinds)('%s: its push has a title and a text in each language [PUSH-07]', async (kind) => {
  await bob.api.notifications.saveSettings({ [`push_${noticeOf(kind)?.setting}`]: true });
  for (const language of ['en', 'de'] as const) {
    await bob.api.users.update({ language });
    const facts = (await cases[kind]?.(event.id, 0)) ?? {};
    await run(w.db, sql`delete from notices`);
    await raiseTo(kind, facts);
    w.later('66 seconds');
    await delivered();
  }
  expect(service.received.map(({ message }) => [message.language, message.title])).toEqual([
    ['en', 'Harbour Rowers'],
    ['de', 'Harbour Rowers'],
  ]);
  const [english = '', german = ''] = bodies();
  expect(german).not.toBe(english);
  for (const text of [english, german]) {
    expect(text).toMatch(/\w{3}/);
    expect(text).not.toMatch(/[{}<>]|undefined|null|NaN|\[object/);
  }
});

describe('a push that waits for another attempt', () => {
  const happen: Record<string, () => Promise<unknown>> = {
    'its notice was seen': async () => {
      const [notice] = await bob.api.notifications.list({});
      await bob.api.notifications.seen({ id: notice?.id ?? '' });
    },
    'its notice was deleted': async () => {
      const [notice] = await bob.api.notifications.list({});
      await bob.api.notifications.remove({ id: notice?.id ?? '' });
    },
    'all notices were deleted': () => bob.api.notifications.clear({}),
    'the event was cancelled': async () => {
      await ada.api.events.cancel({ event: event.id });
      await run(w.db, sql`delete from notices where kind = 'event_cancelled'`);
    },
    'the answer was given': () => bob.api.answers.attend({ event: event.id }),
    'the member has left': () => bob.api.members.leave({ club: club.id }),
    'its kind was switched off for devices': () =>
      bob.api.notifications.saveSettings({ push_answer_wanted: false }),
    'its kind was switched off in the app': () =>
      bob.api.notifications.saveSettings({ answer_wanted: false }),
    'the club was muted': () => bob.api.members.mute({ club: club.id, muted: true }),
    'the device was switched off': () => bob.api.push.removeDevice({}),
    'the member has logged out': () => bob.api.auth.logout({}),
    'the session has expired': () =>
      run(w.db, sql`update sessions set ends_at = now() - interval '1 second' where user_id = ${bob.id}`),
    'the account was deleted': () => run(w.db, sql`delete from users where id = ${bob.id}`),
  };
  test.each(Object.entries(happen))(
    'is not sent after %s [PUSH-12 PUSH-13 CHAN-05 CHAN-06]',
    async (name, meanwhile) => {
      service.state.respond = { status: 503 };
      await nudge();
      await delivered();
      expect([service.state.requests, await waiting()]).toEqual([1, 1]);
      await meanwhile();
      service.state.respond = { status: 201 };
      w.later('61 seconds');
      await delivered();
      expect(service.state.requests).toBe(1);
      expect(await waiting()).toBe(0);
      if (/device was|logged out|expired/.test(name))
        expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'failed' }]);
    },
  );

  test('is sent if nothing has happened meanwhile, so that the tests above can fail [PUSH-11]', async () => {
    service.state.respond = { status: 503 };
    await nudge();
    await delivered();
    expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'pending' }]);
    service.state.respond = { status: 201 };
    w.later('61 seconds');
    await delivered();
    expect(service.state.requests).toBe(2);
    expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'accepted' }]);
  });
});

describe('a change of an event', () => {
  beforeEach(async () => {
    await bob.api.answers.attend({ event: event.id });
  });

  test('is pushed 65 seconds after it, and not before [PUSH-13]', async () => {
    await edit({ location_name: 'Hall' });
    w.later('64 seconds');
    await delivered();
    expect(bodies()).toEqual([]);
    w.later('2 seconds');
    await delivered();
    expect(bodies()).toEqual([expect.stringContaining('Hall')]);
    expect(service.received[0]?.urgency).toBe('high');
  });

  test('that is undone is not pushed [PUSH-13]', async () => {
    await edit({ location_name: 'Hall' });
    const { undo } = await ada.api.events.get({ event: event.id });
    await ada.api.events.undo({ event: event.id, change: undo?.change ?? '' });
    w.later('70 seconds');
    await delivered();
    expect(bodies()).toEqual([]);
    expect(await waiting()).toBe(0);
  });

  test('is not repeated after the start of the event [PUSH-11]', async () => {
    const soon = await w.event(club, ada, { startsIn: 2 });
    await bob.api.answers.attend({ event: soon.id });
    await ada.api.events.edit({ event: soon.id, club: club.id, location_name: 'Hall' });
    w.later('70 seconds');
    service.state.respond = { status: 503, headers: { 'retry-after': '7200' } };
    await delivered();
    expect(Number(service.received[0]?.ttl)).toBeLessThanOrEqual(7200 - 70);
    expect([service.state.requests, await waiting()]).toEqual([1, 0]);
    expect(await outcomes()).toEqual([{ kind: 'event_updated', state: 'failed' }]);
  });

  test('a newer one has the topic and tag of the older one, and another event has others [PUSH-15 CHAN-09]', async () => {
    const other = await w.event(club, ada, { name: 'Walk', startsIn: 50 });
    await bob.api.answers.attend({ event: other.id });
    for (const location_name of ['Hall', 'Attic']) {
      await edit({ location_name });
      w.later('70 seconds');
      await delivered();
    }
    await ada.api.events.edit({ event: other.id, club: club.id, location_name: 'Wood' });
    w.later('70 seconds');
    await delivered();
    expect(bodies()).toEqual(['Hall', 'Attic', 'Wood'].map((place) => expect.stringContaining(place)));
    const [first, second, third] = service.received.map(({ topic }) => topic);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(messages().map(({ tag }) => tag)).toEqual([first, second, third]);
  });
});

describe('retries', () => {
  test.each([429, 500, 503])(
    'after %i, a push is repeated after 1, 5, 30 and 120 minutes and then given up [PUSH-11]',
    async (status) => {
      service.state.respond = { status };
      await nudge();
      await delivered();
      expect(
        await requestsAfter(
          '59 seconds',
          '2 seconds',
          '299 seconds',
          '2 seconds',
          '1799 seconds',
          '2 seconds',
          '7199 seconds',
          '2 seconds',
          '23 hours',
        ),
      ).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
      expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'failed' }]);
      expect(await waiting()).toBe(0);
      const topics = new Set(service.received.map(({ topic }) => topic));
      expect(topics.size).toBe(1);
    },
  );

  test('Retry-After counts if it is later [PUSH-11]', async () => {
    service.state.respond = { status: 429, headers: { 'retry-after': '600' } };
    await nudge();
    await delivered();
    expect(await requestsAfter('599 seconds', '2 seconds')).toEqual([1, 1, 2]);
  });

  test('a nudge is not repeated after the cut-off, and its TTL ends there [PUSH-11]', async () => {
    const soon = await w.event(club, ada, { startsIn: 72, entryUntil: addSeconds(w.now(), 240) });
    await run(w.db, sql`delete from notices`);
    service.state.respond = { status: 503 };
    await ada.api.answers.nudge({ event: soon.id, to: 'silent' });
    await delivered();
    expect(Number(service.received[0]?.ttl)).toBeLessThanOrEqual(240);
    expect(await requestsAfter('61 seconds', '20 minutes')).toEqual([1, 2, 2]);
    expect(await waiting()).toBe(0);
  });

  test.each([404, 410, 401, 403])(
    '%i: the device is lost at once, and the push is not repeated [PUSH-10]',
    async (status) => {
      service.state.respond = { status };
      await nudge();
      await delivered();
      expect(await bob.api.push.device({})).toMatchObject({ is_on: false, is_lost: true });
      expect(await requestsAfter('61 seconds')).toEqual([1, 1]);
      expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'failed' }]);
      await ada.api.events.cancel({ event: event.id });
      expect(await requestsAfter('61 seconds')).toEqual([1, 1]);
    },
  );

  test.each([
    [200, 'accepted'],
    [202, 'accepted'],
    [400, 'failed'],
    [413, 'failed'],
    [302, 'failed'],
  ])('%i: the push is noted as %s and not repeated [PUSH-10]', async (status, state) => {
    service.state.respond = { status };
    await nudge();
    await delivered();
    expect(await requestsAfter('61 seconds')).toEqual([1, 1]);
    expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state }]);
  });

  test('several devices: one that accepts counts, whatever the others do [PUSH-10]', async () => {
    const phone = service.subscribe();
    await (await anotherSession()).push.saveDevice(phone);
    await nudge();
    await delivered();
    expect([messages().length, messages(phone).length]).toEqual([1, 1]);
    expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'accepted' }]);
  });
});

describe('many pushes', () => {
  test('more than three that are due for a device at once become one that counts them, in the language of the reader [PUSH-15]', async () => {
    await bob.api.users.update({ language: 'de' });
    const events = await eventsInARow(5);
    await inTransaction(w.db, async (db) => {
      for (const { id } of events) {
        const notice = noticeOf('answer_wanted') as AnyNotice;
        const facts = { event_id: id, list: 'silent' };
        await raise(db, notice, { facts, actor: ada.id, now: w.now() }, onlyUsers(bob.id));
      }
    });
    await delivered();
    expect(messages()).toEqual([
      expect.objectContaining({
        title: 'Muster',
        body: '5 neue Benachrichtigungen',
        path: '/app/notifications',
      }),
    ]);
    expect(messages()[0]).not.toHaveProperty('answers');
    expect(await waiting()).toBe(0);
    expect(await outcomes()).toHaveLength(5);
  });

  test('beyond six of one kind within an hour, the rest stays in the bell [PUSH-15]', async () => {
    const events = await eventsInARow(9);
    await oneByOne('answer_wanted', events.slice(0, 8));
    expect(messages()).toHaveLength(6);
    expect(await bob.api.notifications.list({})).toHaveLength(8);
    w.later('61 minutes');
    await oneByOne('answer_wanted', events.slice(8));
    expect(messages()).toHaveLength(7);
  });

  test('beyond six of one kind that is always sent, one notification counts the rest [PUSH-15 CHAN-03]', async () => {
    await oneByOne('event_cancelled', await eventsInARow(9));
    expect(messages()).toHaveLength(9);
    expect(bodies().slice(6)).toEqual(['1 new notification', '2 new notifications', '3 new notifications']);
    expect(new Set(messages().map(({ tag }) => tag)).size).toBe(7);
  });

  test.each(kinds)(
    '%s: thirty with one key show at most two notifications on a device [CHAN-09]',
    async (kind) => {
      await bob.api.notifications.saveSettings({ [`push_${noticeOf(kind)?.setting}`]: true });
      const facts = (await cases[kind]?.(event.id, 0)) ?? {};
      await run(w.db, sql`delete from notices`);
      for (let nth = 0; nth < 30; nth++) {
        await raiseTo(kind, facts);
        if (nth % 10 === 0) await delivered();
      }
      w.later('66 seconds');
      await delivered();
      expect(messages().length).toBeGreaterThan(0);
      expect(new Set(messages().map(({ tag }) => tag)).size).toBeLessThanOrEqual(2);
    },
  );

  test('one cause that is raised twice makes one push for each device, and none for the person who caused it [CHAN-09]', async () => {
    const phone = service.subscribe();
    await (await anotherSession()).push.saveDevice(phone);
    const notice = noticeOf('answer_wanted') as AnyNotice;
    const cause = { facts: { event_id: event.id, list: 'silent' }, dedupeKey: randomUUID(), now: w.now() };
    const raiseBy = (actor: string) =>
      inTransaction(w.db, (db) => raise(db, notice, { ...cause, actor }, onlyUsers(bob.id)));
    await raiseBy(bob.id);
    await delivered();
    expect(service.state.requests).toBe(0);
    await raiseBy(ada.id);
    await raiseBy(ada.id);
    await delivered();
    expect([messages().length, messages(phone).length]).toEqual([1, 1]);
  });
});

test('buttons: in German, also for an event that is full [PUSH-09]', async () => {
  await bob.api.users.update({ language: 'de' });
  await nudge();
  await delivered();
  expect(messages()[0]?.answers).toMatchObject({
    choices: [
      {
        action: 'going',
        title: 'Zusagen',
        done: 'Du hast zugesagt.',
        waiting: 'Du stehst auf der Warteliste.',
      },
      { action: 'no', title: 'Absagen', done: 'Du hast abgesagt.' },
    ],
    failed: 'Das hat nicht geklappt. Tippe, um den Termin zu öffnen.',
  });
});

test('log: no endpoint, key or text of a push reaches it at any level, whatever becomes of the push [PUSH-07]', async () => {
  const devices = [device];
  const renewed = async () => {
    devices.push(service.subscribe());
    await bob.api.push.saveDevice(devices.at(-1) as typeof device);
  };
  const [gone, broken, unreachable, ...events] = await eventsInARow(7);
  logged = '';
  for (const status of [201, 302, 400, 503]) {
    service.state.respond = { status, headers: { location: `http://${closedHost}/` } };
    await oneByOne('answer_wanted', events.splice(0, 1));
  }
  service.state.respond = { status: 410 };
  await oneByOne('answer_wanted', gone ? [gone] : []);
  await renewed();
  // PostgreSQL reports the whole row that violates a constraint.
  await run(w.db, sql`alter table push_devices add constraint kept check (endpoint is not null) not valid`);
  await raiseTo('answer_wanted', { event_id: broken?.id, list: 'silent' });
  await expect.poll(() => logged, { timeout: 10_000 }).toContain('kept');
  await run(w.db, sql`alter table push_devices drop constraint kept`);
  await run(w.db, sql`update jobs set run_at = now() where name = 'send_pushes'`);
  w.later('61 seconds');
  await delivered();
  await renewed();
  const closed = `http://${closedHost}/${randomUUID()}`;
  await run(w.db, sql`update push_devices set endpoint = ${closed} where user_id = ${bob.id}`);
  await oneByOne('answer_wanted', unreachable ? [unreachable] : []);
  expect((await outcomes()).map(({ state }) => state).toSorted()).toEqual([
    'accepted',
    ...Array<string>(5).fill('failed'),
    'pending',
  ]);

  const { privateKey, publicKey } = vapidKeys(w.config);
  const keys = devices.flatMap(({ p256dh, auth }) =>
    [p256dh, auth].flatMap((text) => [text, Buffer.from(text, 'base64url').toString('hex')]),
  );
  const texts = service.received.flatMap(({ message: { body, answers, tag } }) => [
    body,
    tag,
    answers?.link.split('/').at(-1) ?? '',
  ]);
  const endpoints = [closed, ...devices.map(({ endpoint }) => endpoint)].map((url) => new URL(url).pathname);
  for (const secret of [...keys, ...texts, ...endpoints, privateKey, publicKey])
    expect(logged).not.toContain(secret);
  expect(service.received.length).toBeGreaterThanOrEqual(7);
});

test('fan-out: without devices it writes no push and adds no job, with one it writes one of each [PUSH-07]', async () => {
  // In a transaction that is rolled back, so that no worker takes the job.
  const written = async () => {
    let found: object | undefined;
    await inTransaction(w.db, async (db) => {
      await run(db, sql`delete from jobs where name = 'send_pushes'`);
      const notice = noticeOf('answer_wanted') as AnyNotice;
      await raise(
        db,
        notice,
        { facts: { event_id: event.id, list: 'silent' }, now: w.now() },
        onlyUsers(bob.id),
      );
      found = await first(
        db,
        sql<{ pushes: number; jobs: number }>`
          select (select count(*)::int from pushes) as pushes, (select count(*)::int from jobs where name = 'send_pushes') as jobs`,
      );
      throw new Error('Rolled back');
    }).catch(() => {});
    return found;
  };
  expect(await written()).toEqual({ pushes: 1, jobs: 1 });
  await bob.api.notifications.saveSettings({ push_answer_wanted: false });
  expect(await written()).toEqual({ pushes: 0, jobs: 0 });
  await bob.api.notifications.saveSettings({ push_answer_wanted: true });
  await bob.api.push.removeDevice({});
  expect(await written()).toEqual({ pushes: 0, jobs: 0 });
});

test('two processes and many devices: each push is sent once [PUSH-16]', async () => {
  const people = await Promise.all(Array.from({ length: 120 }, () => w.person('Many')));
  const devices = await Promise.all(
    people.map(async ({ api }) => {
      const own = service.subscribe();
      await api.push.saveDevice(own);
      return own;
    }),
  );
  const tasks = [1, 2].map(() =>
    sendPushes({ db: w.db, config: w.config, clock: clockOf(w.clockOffset), mutedBy: mutedClubs }),
  );
  // The job of the server is the third process.
  await inTransaction(w.db, async (db) => {
    const notice = noticeOf('member_removed') as AnyNotice;
    const removed = { club_id: club.id, club_name: 'Harbour Rowers' };
    const audience = sql`select id as user_id from users where id = any(${people.map(({ id }) => id)}::uuid[])`;
    await raise(db, notice, { facts: notice.facts.parse(removed), now: w.now() }, audience);
  });
  const attempt = { stopping: new AbortController().signal };
  await Promise.all(tasks.map((task) => task['send_pushes']?.({} as never, attempt as never)));
  await delivered();
  for (const own of devices) expect(messages(own)).toHaveLength(1);
  expect(await waiting()).toBe(0);
});

test("buttons: a reminder and a nudge have 'Going' and \"Can't go\" with the answer link, a push to a host has none [PUSH-09 LINK-10]", async () => {
  await bob.api.users.update({ language: 'en' });
  await nudge();
  await raiseTo('event_reminder', (await cases['event_reminder']?.(event.id, 0)) ?? {});
  await delivered();
  const choices = [
    { action: 'going', title: 'Going', done: "You're going.", waiting: "You're on the waitlist." },
    { action: 'no', title: "Can't go", done: "You can't go." },
  ];
  for (const { answers } of messages().slice(-1))
    expect(answers).toEqual({
      link: expect.stringMatching(/^\/api\/v1\/answer-links\/[\w-]+$/),
      choices,
      failed: "That didn't work. Tap to open the event.",
    });
  const token = messages().at(-1)?.answers?.link.split('/').at(-1) ?? '';
  await bob.api.answers.answerByLink({ token, answer: 'no' });
  expect((await bob.api.events.get({ event: event.id })).my_answer).toBe('no');
  expect(JSON.stringify(await bob.api.notifications.list({}))).not.toContain(token);

  await bob.api.answers.attend({ event: event.id });
  await run(
    w.db,
    sql`update answers set host_no = 2, place = null where event_id = ${event.id} and user_id = ${bob.id}`,
  );
  await raiseTo('event_reminder', (await cases['event_reminder']?.(event.id, 0)) ?? {});
  await delivered();
  expect(messages().at(-1)?.body).toMatch(/Regatta/);
  expect(messages().at(-1)).not.toHaveProperty('answers');
});

test('a worker that is killed between sending and noting: another one repeats the push after a minute, with the same topic [PUSH-16]', async () => {
  service.state.respond = 'nothing';
  await nudge();
  await expect.poll(() => service.received.length).toBe(1);
  // The process dies: its outcome is never noted, and what it took becomes due again.
  const taken = await first(w.db, sql<{ attempts: number }>`select attempts from pushes`);
  expect(taken).toEqual({ attempts: 1 });
  service.state.respond = { status: 201 };
  w.later('59 seconds');
  const task = sendPushes({ db: w.db, config: w.config, clock: clockOf(w.clockOffset), mutedBy: mutedClubs });
  const attempt = { stopping: new AbortController().signal };
  await task['send_pushes']?.({} as never, attempt as never);
  expect(service.received).toHaveLength(1);
  w.later('2 seconds');
  await task['send_pushes']?.({} as never, attempt as never);
  expect(service.received).toHaveLength(2);
  expect(service.received[1]?.topic).toBe(service.received[0]?.topic);
  expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'accepted' }]);
  await delivered();
  expect(await outcomes()).toEqual([{ kind: 'answer_wanted', state: 'accepted' }]);
});

test('a push service that never answers delays neither pushes to other services nor login codes by more than two seconds [PUSH-16]', async () => {
  // The process sends nothing for a minute to the service that was silent in the test before.
  w.later('5 minutes');
  const cy = await w.person('Cy');
  const cysDevice = other.subscribe();
  await cy.api.push.saveDevice(cysDevice);
  service.state.respond = 'nothing';
  await nudge();
  await expect.poll(() => service.received.length).toBe(1);
  const since = performance.now();
  await raiseTo('member_removed', { club_id: club.id, club_name: 'Harbour Rowers' }, cy);
  await ada.api.auth.login({ email: cy.email });
  await expect.poll(() => other.received.length, { timeout: 2000, interval: 20 }).toBe(1);
  await w.mail(cy.email);
  expect(performance.now() - since).toBeLessThan(2000);
  expect(service.state.closed).toBe(0);
  await expect.poll(() => service.state.closed, { timeout: 15_000 }).toBe(1);
  // The service has not answered in time, so it gets nothing for a minute.
  await delivered();
  await raiseTo('member_removed', { club_id: club.id, club_name: 'Harbour Rowers' });
  await delivered();
  w.later('50 seconds');
  await delivered();
  expect(service.state.requests).toBe(1);
  service.state.respond = { status: 201 };
  w.later('20 seconds');
  await delivered();
  expect(service.state.requests).toBe(3);
}, 40_000);
