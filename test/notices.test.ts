import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { isMailServerDown } from '#platform/mail/mailer.ts';
import { defineNotice, notices, type AnyNotice } from '#platform/notices/notice.ts';
import { loadLanguages } from '#platform/languages.ts';
import { raise } from '#platform/notices/raise.ts';
import { settingKeys } from '#platform/notices/settings.ts';
import { addSeconds } from '#wire/instant.ts';
import { shortDayAndTime } from '#wire/format.ts';
import { addTranslations } from '#wire/messages.ts';
import { alwaysSent, settingNames } from '#features/notifications/settings-contract.ts';
import { onlyUsers } from '#features/members/queries.ts';
import { openMailServer, type Received } from '#test/mail-server.ts';
import { noticeCases } from '#test/notice-cases.ts';
import { clubsOf, eventsOf, manyPeople } from '#test/races/people.ts';
import { pseudoTexts, wordsOutside } from '#test/pseudo-language.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;
let event: { id: string; slug: string };

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

/** Creates a club of Ada's with Bob as a member and one event, and deletes all notices. */
beforeEach(async () => {
  [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  club = await w.club([ada, bob]);
  event = await w.event(club, ada, { name: 'Regatta', startsIn: 72 });
  await forget();
});

async function forget(): Promise<void> {
  await run(w.db, sql`delete from rate_limits`);
  await run(w.db, sql`delete from notices`);
  await run(w.db, sql`delete from notice_emails`);
}

/** Waits until all due emails are sent, and returns all emails to one person. */
async function mails(to = bob): Promise<Email[]> {
  const due = sql`
    select from jobs where name in ('send_notice', 'continue_notices', 'tell_about_lift') and (run_at <= now() or attempts > 0)`;
  for (let tries = 0; tries < 800 && (await first(w.db, due)); tries++) await sleep(25);
  expect(await first(w.db, due)).toBeUndefined();
  return (await w.outbox()).filter((mail) => mail.to?.[0]?.address === to.email);
}
const subjects = async (to = bob) => (await mails(to)).map(({ subject }) => subject);

/** Lets an hour pass: makes sent emails an hour older, makes pending ones due and waits until they are sent. */
async function hourLater(): Promise<void> {
  await mails();
  await run(
    w.db,
    sql`update notice_emails set sent_at = sent_at - interval '1 hour' where sent_at is not null`,
  );
  await run(w.db, sql`update notice_emails set send_at = now() where sent_at is null`);
  await w.hurry();
  await mails();
}

async function aNewEvent(): Promise<string> {
  await run(w.db, sql`delete from rate_limits`);
  const { id } = await w.event(club, ada, { name: 'Regatta', startsIn: 72 });
  return id;
}

/** For each kind of notice, makes facts about an event or a club true for Bob, and returns them. */
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

const raiseTo = (
  notice: AnyNotice,
  facts: Record<string, unknown>,
  to: Pick<Person, 'id'> = bob,
  { db: database, now }: Pick<World, 'db' | 'now'> = w,
) =>
  inTransaction(database, (db) =>
    raise(db, notice, { facts: notice.facts.parse(facts), now: now() }, onlyUsers(to.id)),
  );

/** Raises a notice 30 times with one key, as if the changes came in quick succession, and counts the emails. */
async function withOneKey(notice: AnyNotice, facts: () => Promise<Record<string, unknown>>): Promise<number> {
  const before = (await mails()).length;
  for (let nth = 0; nth < 30; nth++) {
    await raiseTo(notice, await facts());
    if (nth === 0) await mails();
  }
  await w.hurry();
  return (await mails()).length - before;
}

/** Facts of one kind about thirty different events, members, updates or clubs. */
async function run30(kind: string): Promise<Record<string, unknown>[]> {
  const made = [];
  for (let nth = 0; nth < 30; nth++) {
    const id = await aNewEvent();
    const facts = (await cases[kind]?.(id, nth)) ?? {};
    made.push(kind === 'member_removed' ? { ...facts, club_id: randomUUID() } : facts);
  }
  await forget();
  return made;
}

/** What people typed in these cases. */
const typed = /Harbour Rowers|\bHR\b|Regatta|Pier \d|Hall \d|Lift \d|News \d|Message \d|\b(Ada|Bob|Zoe)\b/g;

// The texts of each kind are not tested here, but by its feature.
describe('every kind of notice', () => {
  test('has a case here and a setting, and a setting whose notices are always sent is listed as such', () => {
    expect(notices.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(cases).toSorted());
    const shown = settingNames.filter((key) => key !== 'attending');
    expect(settingKeys().toSorted()).toEqual(
      [
        ...shown,
        ...settingNames.map((key) => `email_${key}`),
        ...shown.map((key) => `push_${key}`),
        'weekly_email',
      ].toSorted(),
    );
    const always = shown.filter((key) =>
      notices.every(({ setting, message, group }) => setting !== key || !message || group === 'always'),
    );
    expect(alwaysSent.toSorted()).toEqual(always.toSorted());
  });

  // test/pushes.test.ts has the same limit for the notifications that a device shows.
  test.each(Object.keys(cases))(
    '%s: thirty notices with one key make at most two emails to a person [CHAN-09]',
    async (kind) => {
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      const facts = (await cases[kind]?.(event.id, 0)) ?? {};
      const sent = await withOneKey(notice, async () => facts);
      expect(sent).toBeGreaterThan(0);
      expect(sent).toBeLessThanOrEqual(2);
    },
  );

  test.each(Object.keys(cases))(
    '%s: one cause that is raised twice makes one bell row and one email, and none for the person who caused it [CHAN-09]',
    async (kind) => {
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      const facts = notice.facts.parse((await cases[kind]?.(event.id, 0)) ?? {});
      await forget();
      const counts = async () => [
        (await all(w.db, sql`select from notices where user_id = ${bob.id}`)).length,
        (await all(w.db, sql`select from notice_emails where user_id = ${bob.id}`)).length,
      ];
      const cause = { facts, dedupeKey: randomUUID(), now: w.now() };
      // In one transaction, so that no worker sends the email in between.
      const raiseBy = (...actors: string[]) =>
        inTransaction(w.db, async (db) => {
          for (const actor of actors) await raise(db, notice, { ...cause, actor }, onlyUsers(bob.id));
        });
      await raiseBy(bob.id);
      expect(await counts()).toEqual([0, 0]);
      await raiseBy(ada.id, ada.id);
      expect(await counts()).toEqual([notice.message ? 1 : 0, 1]);
    },
  );

  /** The kinds that are sent whatever the settings say. The cases of a change and of a fixed time are such ones. */
  const always = new Set([
    'event_cancelled',
    'event_updated',
    'seat_given',
    'member_removed',
    'handover',
    'handover_answered',
    'club_deleted',
    'time_fixed',
    'unattended',
    'left',
  ]);

  test.each(Object.keys(cases))(
    '%s: with all settings off and its club muted, it reaches the bell and the email only if it is always sent [CHAN-03 CHAN-06]',
    async (kind) => {
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      await bob.api.notifications.saveSettings(Object.fromEntries(settingKeys().map((key) => [key, false])));
      await bob.api.members.mute({ club: club.id, muted: true });
      const facts = (await cases[kind]?.(event.id, 0)) ?? {};
      await forget();
      const before = (await mails()).length;
      await raiseTo(notice, facts);
      await w.hurry();
      const isSent = always.has(kind);
      expect((await mails()).length - before).toBe(isSent ? 1 : 0);
      expect(await bob.api.notifications.list({})).toHaveLength(isSent && notice.message ? 1 : 0);
    },
  );

  test.each(Object.keys(cases))(
    '%s: from a muted club, the bell shows it and its email is sent only if it always is [CHAN-06]',
    async (kind) => {
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      const facts = (await cases[kind]?.(event.id, 0)) ?? {};
      await forget();
      const before = (await mails()).length;
      await bob.api.members.mute({ club: club.id, muted: true });
      await raiseTo(notice, facts);
      await w.hurry();
      expect((await mails()).length - before).toBe(always.has(kind) ? 1 : 0);
      expect(await bob.api.notifications.list({})).toHaveLength(notice.message ? 1 : 0);
    },
  );

  test.each(Object.keys(cases))(
    '%s: its email and its entry in the bell have no text that is in no catalogue [LANG-01 LANG-21]',
    async (kind) => {
      addTranslations('de', await pseudoTexts());
      onTestFinished(loadLanguages);
      await run(w.db, sql`update users set language = 'de' where id = ${bob.id}`);
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      const before = (await mails()).length;
      await raiseTo(notice, (await cases[kind]?.(event.id, 0)) ?? {});
      await w.hurry();
      const sent = (await mails()).slice(before);
      const bell = (await bob.api.notifications.list({})).map(({ message }) => message);
      const texts = sent.flatMap(({ subject = '', text = '', html = '' }) => [
        subject,
        ...text.split('\n'),
        // The date tile has only numbers and names of days and months.
        ...html
          .replaceAll(/<style.*?<\/style>|<table [^>]*aria-hidden="true".*?<\/table>/gs, '')
          .split(/<[^>]*>/),
      ]);
      expect(sent).toHaveLength(1);
      expect(bell).toHaveLength(notice.message ? 1 : 0);
      expect([...texts, ...bell].filter((text) => wordsOutside(text, typed).length > 0)).toEqual([]);
    },
  );

  test('a notice that is raised while an email with the same key is being marked as sent waits for the cooldown', async () => {
    const notice = notices.find(({ kind }) => kind === 'role_changed') as AnyNotice;
    const facts = (await cases['role_changed']?.(event.id, 0)) ?? {};
    const before = (await mails()).length;
    await raiseTo(notice, facts);
    const pending = sql<{ wait: number }>`
      select extract(epoch from send_at - now())::float as wait from notice_emails where sent_at is null`;
    let raised: Promise<unknown> | undefined;
    await inTransaction(w.db, async (db) => {
      await run(db, sql`update notice_emails set sent_at = now() where sent_at is null`);
      raised = raiseTo(notice, facts);
      const blocked = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => all(w.db, blocked)).not.toEqual([]);
    });
    await raised;
    await run(w.db, sql`update notice_emails set send_at = now() where sent_at is null`);
    await run(w.db, sql`select pg_notify('jobs', '')`);
    await expect.poll(async () => (await first(w.db, pending))?.wait ?? 0).toBeGreaterThan(250);
    expect(await mails()).toHaveLength(before);
  });

  test('a notice with a random key makes more than two emails, so the tests with one key would detect a missing key', async () => {
    const randomised = defineNotice({
      kind: 'random',
      setting: 'new_event',
      group: 'news',
      merge: () => randomUUID(),
      delay: 0,
      facts: z.object({}),
      load: async (_db, recipients) => recipients.map(() => ({})),
      email: () => ({ subject: 'Random', sender: { id: '', name: '' }, paragraphs: [], why: '' }),
    }) as unknown as AnyNotice;
    notices.push(randomised);
    onTestFinished(() => void notices.splice(notices.indexOf(randomised), 1));
    expect(await withOneKey(randomised, async () => ({}))).toBeGreaterThan(2);
    // @ts-expect-error: a notice without a merge key does not compile.
    defineNotice({ kind: 'x', setting: 'new_event', delay: 0, facts: z.object({}), load: async () => [] });
  });

  test.each(
    Object.keys(cases).filter(
      (kind) => !['left', 'member_joined', 'role_changed', 'handover'].includes(kind),
    ),
  )(
    '%s: thirty notices with different keys make six emails within the hour, and then one that contains the rest',
    async (kind) => {
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      const ids = await run30(kind);
      const before = (await mails()).length;
      for (const facts of ids) await raiseTo(notice, facts);
      await w.hurry();
      expect((await mails()).length - before).toBe(6);
      await hourLater();
      const sent = (await mails()).slice(before);
      expect(sent).toHaveLength(7);
      expect(sent[6]?.subject).toContain('and 23 more');
      expect(await all(w.db, sql`select from notice_emails where sent_at is null`)).toEqual([]);
    },
    120_000,
  );
});

/** Changes that may happen after a notice is queued and before the mail server takes its email. */
const meanwhile: Record<string, (event: string) => Promise<unknown>> = {
  'the event is cancelled': (id) => ada.api.events.cancel({ event: id }),
  'the reader is removed': () => ada.api.members.eject({ club: club.id, member: bob.id }),
  'the club is deleted': () => ada.api.clubs.remove({ club: club.id }),
  'the event is moved': async (id) => {
    const { start_time } = await ada.api.events.get({ event: id });
    await ada.api.events.edit({ event: id, club: club.id, start_time: addSeconds(start_time, 86_400) });
  },
};

describe.each(Object.entries(meanwhile))('while the mail server is away, %s', (what, happen) => {
  test.each(Object.keys(cases))('%s: nothing outdated is sent afterwards', async (kind) => {
    const notice = notices.find((each) => each.kind === kind) as AnyNotice;
    const facts = (await cases[kind]?.(event.id, 0)) ?? {};
    const { start_time, time_zone, deleted_at } = await ada.api.events.get({ event: event.id });
    const before = (await mails()).length;
    await run(
      w.db,
      sql`create function away() returns trigger language plpgsql as $$ begin
      if new.name = 'send_notice' then new.run_at := 'infinity'; end if; return new; end $$`,
    );
    await run(
      w.db,
      sql`create trigger away before insert or update on jobs for each row execute function away()`,
    );
    await raiseTo(notice, facts);
    await happen(event.id).catch(() => undefined);
    await run(w.db, sql`drop function away cascade`);
    await w.hurry();
    const sent = (await mails()).slice(before);
    const news = sent.map(({ subject = '' }) => subject);
    // An email about the move may name the old time, but only beside the new one.
    const lines = sent.flatMap(({ subject, text = '' }) => [subject ?? '', ...text.split('\n')]);
    const old = shortDayAndTime(start_time, time_zone);
    if (what === 'the event is moved' && !deleted_at && kind !== 'club_deleted')
      expect([kind, lines.filter((line) => line.includes(old) && !/→|^Was: /.test(line))]).toEqual([
        kind,
        [],
      ]);
    const allowed: Record<string, RegExp> = {
      'the event is cancelled':
        /^Cancelled: Regatta|removed|You left|You are now|hand over|accepted$|joined Harbour Rowers|^(Important: )?Harbour Rowers: News|: Message \d$|^Question: |^Answer: |was deleted|^You can't go/,
      'the reader is removed': /^You were removed from|^You left|was deleted|accepted$/,
      'the club is deleted': /was deleted|^You were removed|^You left|^Cancelled: Regatta|accepted$/,
      'the event is moved': /^(?!Tomorrow|Today)/,
    };
    expect([kind, news.filter((subject) => !allowed[what]?.test(subject))]).toEqual([kind, []]);
  });
});

const reminder = () => notices.find(({ kind }) => kind === 'event_reminder') as AnyNotice;

/** A club with an event, which its two members attend, in an app with its own mail server. */
async function withMailServer(port: number) {
  const own = await isolatedWorld({ SMTP_URL: `smtp://127.0.0.1:${port}` });
  const [host, member, other] = (await manyPeople(own, 3)) as [Person, Person, Person];
  const [id = ''] = await clubsOf(own, [host], [member, other], 1);
  const [race = ''] = await eventsOf(own, [id], host);
  for (const { api } of [member, other]) await api.answers.attend({ event: race });
  await run(own.db, sql`delete from notice_emails`);
  const { start_time } = await host.api.events.get({ event: race });
  const remind = (to: Person) => raiseTo(reminder(), { event_id: race, start_time }, to, own);
  const pending = sql`select from notice_emails where sent_at is null`;
  const untilSent = () =>
    expect
      .poll(async () => (await own.hurry(), (await all(own.db, pending)).length), { timeout: 30_000 })
      .toBe(0);
  return { own, host, member, other, id, race, remind, untilSent };
}

/** A port on which no mail server listens. */
async function freePort(): Promise<number> {
  const { port, close } = await openMailServer(() => {});
  await close();
  return port ?? 0;
}

describe('changes before the mail server has accepted an email', () => {
  test('an event is cancelled and a member removed while the server refuses connections: nothing outdated is sent afterwards', async () => {
    const port = await freePort();
    const { own, host, member, other, id, race, remind, untilSent } = await withMailServer(port);
    await using _ = own;
    for (const person of [member, other]) await remind(person);
    await own.hurry();
    // The SQL join leaves out jobs of the set-up, which may still fail, but whose emails are deleted. An email that is
    // pending again while its job waits for the next attempt gets a second job, of which only one sends it.
    const failed = sql`
      select distinct e.id from jobs j join notice_emails e on j.payload ->> 'id' = e.id::text
      where j.name = 'send_notice' and j.last_error ~ '^The mail server is unavailable'
        and e.user_id in (${member.id}, ${other.id}) and e.kind = 'event_reminder'`;
    await expect.poll(() => all(own.db, failed), { timeout: 30_000 }).toHaveLength(2);
    await run(own.db, sql`update jobs set created_at = now() - interval '1 minute' where attempts > 0`);
    expect(await isMailServerDown(own.db)).toBe(true);
    await host.api.members.eject({ club: id, member: other.id });
    await host.api.events.cancel({ event: race });
    const received: string[] = [];
    const receive = ({ to, mail }: Received) =>
      received.push(`${to.join()}: ${mail.subject?.replace(/^(Cancelled: Race), .*/, '$1')}`);
    const server = await openMailServer(receive, { port });
    await untilSent();
    await expect
      .poll(() => received.toSorted())
      .toEqual([`${member.email}: Cancelled: Race`, `${other.email}: You were removed from Race`].toSorted());
    await server.close();
  });

  test('an event that is cancelled while the connection to the mail server is open: the email is not handed over', async () => {
    const received: string[] = [];
    let cancelNow: (() => Promise<unknown>) | undefined;
    const receive = ({ mail }: Received) => received.push(mail.subject ?? '');
    const server = await openMailServer(receive, {
      async refuse(command) {
        if (command !== 'RCPT') return undefined;
        const cancelEvent = cancelNow;
        cancelNow = undefined;
        // An email that was rendered within the last second is not rendered again.
        if (cancelEvent) await sleep(1100);
        await cancelEvent?.();
        return undefined;
      },
    });
    const { own, host, member, race, remind, untilSent } = await withMailServer(server.port ?? 0);
    await using _ = own;
    cancelNow = () => host.api.events.cancel({ event: race });
    await remind(member);
    await untilSent();
    await expect.poll(() => received).toContainEqual(expect.stringMatching(/^Cancelled: Race, /));
    expect(received.filter((subject) => !subject.startsWith('Cancelled: '))).toEqual([]);
    await server.close();
  });
});

describe('unsubscribing by the link of an email', () => {
  test.each(Object.keys(cases))(
    '%s: works for exactly this notice, or the email offers no link and says why',
    async (kind) => {
      const notice = notices.find((each) => each.kind === kind) as AnyNotice;
      const facts = (await cases[kind]?.(event.id, 0)) ?? {};
      const before = (await mails()).length;
      await raiseTo(notice, facts);
      await w.hurry();
      const mail = (await mails())[before];
      const header = mail?.headers.find(({ key }) => key === 'list-unsubscribe')?.value;
      const link = /unsubscribe\?token=(\S+)/.exec(mail?.text ?? '')?.[1];
      if (!header) {
        expect(link).toBeUndefined();
        expect([kind, /always sent|you were a member|are a member/.test(mail?.text ?? '')]).toEqual([
          kind,
          true,
        ]);
        return;
      }
      expect(header).toContain(decodeURIComponent(link ?? ''));
      await w.anyone.notifications.unsubscribe({ token: decodeURIComponent(link ?? '') });
      await forget();
      await raiseTo(notice, (await cases[kind]?.(event.id, 1)) ?? facts);
      await w.hurry();
      expect((await mails()).length).toBe(before + 1);
    },
  );
});

const cancel = (id: string) => ada.api.events.cancel({ event: id });
const edit = (patch: object) => ada.api.events.edit({ event: event.id, club: club.id, ...patch });
const weekday = () => new Date(addSeconds(w.now(), 86_400)).getUTCDay() || 7;
const plan = () =>
  ada.api.series.plan({
    club: club.id,
    name: 'Tuesday run',
    location_name: 'Pier 3',
    freq: 'weekly',
    weekdays: [weekday()],
    local_time: '19:00',
    minutes: 90,
    starts_on: addSeconds(w.now(), 86_400).slice(0, 10),
    count: 3,
  });
const datesOf = async (series: string) => (await ada.api.series.get({ series })).events;
const sinceThen = async (act: () => Promise<unknown>, to = bob) => {
  const before = (await mails(to)).length;
  await act();
  await w.hurry();
  return (await subjects(to)).slice(before);
};

describe('notices to people', () => {
  test('a series that is edited and ended within the delay: only the cancellation is sent', async () => {
    const { id } = await plan();
    for (const date of await datesOf(id)) await bob.api.answers.attend({ event: date.id });
    await w.hurry();
    const emails = await sinceThen(async () => {
      await ada.api.series.edit({ series: id, location_name: 'Hall B' });
      await ada.api.series.end({ series: id });
    });
    expect(emails).toEqual([expect.stringMatching(/^Cancelled: Tuesday run, every /)]);
  });

  test('a series that is edited, and one of its dates cancelled within the delay: the date is named once', async () => {
    const { id } = await plan();
    const [one, two, three] = await datesOf(id);
    for (const date of [one, two, three]) await bob.api.answers.attend({ event: date?.id ?? '' });
    await w.hurry();
    const before = (await mails()).length;
    await ada.api.series.edit({ series: id, location_name: 'Hall B' });
    await cancel(one?.id ?? '');
    await w.hurry();
    const news = (await mails()).slice(before);
    expect(news.map(({ subject }) => subject).toSorted()).toEqual([
      expect.stringMatching(/^Cancelled: Tuesday run, \w{3} \d+ \w{3}$/),
      expect.stringMatching(/^Moved: Tuesday run, every \w+ → Hall B$/),
    ]);
    const moved = news.find(({ subject }) => subject?.startsWith('Moved'));
    expect(moved?.text?.match(/^(When|Cancelled): /gm)).toEqual(['When: ', 'When: ']);
    const [message] = (await bob.api.notifications.list({})).map((each) => each.message);
    expect(message).toMatch(/^Ada cancelled “Tuesday run” on \w{3} \d+ \w{3}, 7:00 pm in Harbour Rowers\.$/);
  });

  test('three edits of a series make one email, and an edit that is reverted makes none', async () => {
    const { id } = await plan();
    await bob.api.answers.attend({ event: (await datesOf(id))[1]?.id ?? '' });
    await w.hurry();
    const move = (location_name: string) => ada.api.series.edit({ series: id, location_name });
    const three = async () => {
      for (const place of ['A', 'B', 'Hall']) await move(place);
    };
    expect(await sinceThen(three)).toEqual([expect.stringMatching(/^Moved: Tuesday run, every \w+ → Hall$/)]);
    const back = async () => {
      for (const place of ['Attic', 'Hall']) await move(place);
    };
    expect(await sinceThen(back)).toEqual([]);
    const often = async () => {
      for (let nth = 0; nth < 25; nth++) await move(`Room ${nth}`);
    };
    expect((await sinceThen(often)).length).toBeLessThanOrEqual(2);
  });

  test('a new host who cancels the event within the delay gets no email about hosting it', async () => {
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    await w.hurry();
    const emails = await sinceThen(async () => {
      await ada.api.hosts.handOver({ event: event.id, user_id: bob.id });
      await bob.api.events.cancel({ event: event.id });
    });
    expect(emails).toEqual([]);
  });

  test('a host who is changed back and forth: at most two emails, and none if the host is the same in the end', async () => {
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    await w.hurry();
    const toAndFro = async () => {
      for (let nth = 0; nth < 5; nth++)
        for (const { id } of [bob, ada]) await ada.api.hosts.handOver({ event: event.id, user_id: id });
    };
    expect(await sinceThen(toAndFro)).toEqual([]);
    const before = (await mails(ada)).length;
    await ada.api.hosts.handOver({ event: event.id, user_id: bob.id });
    expect(await sinceThen(toAndFro)).toEqual([]);
    expect((await mails(ada)).length - before).toBeLessThanOrEqual(2);
  });

  test('a seat in a lift that is taken and given back repeatedly: at most two emails', async () => {
    const cyd = await w.person('Cyd');
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    await cyd.api.invites.join({ invite: invite_link });
    await bob.api.answers.attend({ event: event.id });
    await cyd.api.answers.attend({ event: event.id });
    const { slots } = await bob.api.slots.create({ event: event.id, kind: 'lift', title: 'Van', places: 3 });
    const loop = async () => {
      for (let nth = 0; nth < 40; nth++)
        await cyd.api.slots.claim({ slot: slots[0]?.id ?? '', places: nth % 2 ? 0 : 1 });
    };
    const emails = (await sinceThen(loop)).filter((subject) => subject?.includes('lift'));
    expect(emails.length).toBeLessThanOrEqual(2);
  });

  test('a club with many events that is deleted: one email, which names the club and lists the events', async () => {
    const ids = [event.id];
    for (let nth = 0; nth < 11; nth++) ids.push(await aNewEvent());
    for (const id of ids) await bob.api.answers.attend({ event: id });
    await forget();
    const before = (await mails()).length;
    expect(await sinceThen(() => ada.api.clubs.remove({ club: club.id }))).toEqual([
      'Harbour Rowers was deleted',
    ]);
    const mail = (await mails())[before];
    expect(mail?.text?.match(/Cancelled: Regatta, /g)).toHaveLength(12);
    expect(mail?.attachments).toHaveLength(12);
    expect(mail?.headers.find(({ key }) => key === 'list-unsubscribe')).toBeUndefined();
  });

  test('a new place: the email says that it is always sent, and therefore has no unsubscribe header', async () => {
    await bob.api.answers.attend({ event: event.id });
    await w.hurry();
    const before = (await mails()).length;
    await edit({ location_name: 'Hall' });
    await w.hurry();
    const mail = (await mails())[before];
    expect(mail?.subject).toMatch(/^Moved: Regatta, \w{3} \d+ \w{3}.* → Hall$/);
    expect(mail?.headers.find(({ key }) => key.startsWith('list-unsubscribe'))).toBeUndefined();
    expect(mail?.text).toContain('New times and places are always sent.');
    await forget();
    await edit({ description: 'With cake' });
    await w.hurry();
    const other = (await mails())[before + 1];
    expect(other?.headers.find(({ key }) => key === 'list-unsubscribe')).toBeDefined();
  });

  test('joins: one email about the first at once, one an hour about the others, whose subject names two, and a bell entry for each [MAILUX-06 CHAN-07]', async () => {
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    const people = [];
    for (let nth = 0; nth < 8; nth++) people.push(await w.person(`Joiner${nth}`));
    const before = (await mails(ada)).length;
    for (const { api } of people) {
      await api.invites.join({ invite });
      await mails(ada);
    }
    expect((await subjects(ada)).slice(before)).toEqual(['Joiner0 joined Harbour Rowers']);
    const waiting = sql<{ wait: number }>`
      select extract(epoch from send_at - now())::int as wait from notice_emails where kind = 'member_joined' and sent_at is null`;
    expect((await first(w.db, waiting))?.wait).toBeLessThanOrEqual(3600);
    await hourLater();
    expect((await subjects(ada)).slice(before)).toEqual([
      'Joiner0 joined Harbour Rowers',
      'Joiner1, Joiner2 and 5 others joined Harbour Rowers',
    ]);
    expect((await mails(ada)).at(-1)?.text).toContain('Joiner6\nJoiner7\n');
    const bell = (await ada.api.notifications.list({})).map(({ message }) => message);
    for (let nth = 0; nth < 8; nth++) expect(bell).toContain(`Joiner${nth} joined Harbour Rowers.`);

    // These two wait for the end of the hour. Nobody else joins in the hour after it.
    for (const name of ['Late', 'Later']) await (await w.person(name)).api.invites.join({ invite });
    expect(await subjects(ada)).toHaveLength(before + 2);
    await hourLater();
    await hourLater();
    await (await w.person('Last')).api.invites.join({ invite });
    expect((await subjects(ada)).slice(before + 2)).toEqual([
      'Late and Later joined Harbour Rowers',
      'Last joined Harbour Rowers',
    ]);
  });

  test('joins of more people than an email names: it has the first 20 names, nobody who has left again or was deleted, and is not sent about nobody [CHAN-07]', async () => {
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    const join = async (...names: string[]) => {
      const people = [];
      for (const name of names) people.push(await w.person(name));
      await run(w.db, sql`delete from rate_limits`);
      for (const { api } of people) await api.invites.join({ invite });
      return people;
    };
    await join('First');
    const before = (await mails(ada)).length;
    const names = Array.from({ length: 26 }, (_, nth) => `Joiner${nth}`);
    const people = await join(...names);
    await people[0]?.api.members.leave({ club: club.id });
    await run(w.db, sql`delete from users where id = ${people[1]?.id}`);
    await run(w.db, sql`update users set first_name = 'Renamed' where id = ${people[2]?.id}`);
    await hourLater();
    const sent = (await mails(ada)).slice(before);
    expect(sent.map(({ subject }) => subject)).toEqual([
      'Renamed, Joiner3 and 22 others joined Harbour Rowers',
    ]);
    const named = sent[0]?.text?.match(/^(Joiner\d+|Renamed|and 4 more)$/gm);
    expect(named).toEqual(['Renamed', ...names.slice(3, 22), 'and 4 more']);

    const [last] = await join('Last');
    await last?.api.members.leave({ club: club.id });
    await hourLater();
    expect(await mails(ada)).toHaveLength(before + 1);
    expect(await all(w.db, sql`select from notice_emails where sent_at is null`)).toEqual([]);
  });

  test('joins: in German, the email about several people names two and counts the others [CHAN-07]', async () => {
    await run(w.db, sql`update users set language = 'de' where id = ${ada.id}`);
    const { invite_link: invite } = await ada.api.invites.create({ club_id: club.id });
    const before = (await mails(ada)).length;
    for (const name of ['Uwe', 'Anna', 'Ben', 'Ida', 'Tom']) {
      await (await w.person(name)).api.invites.join({ invite });
      await mails(ada);
    }
    await hourLater();
    expect((await subjects(ada)).slice(before)).toEqual([
      'Uwe ist Harbour Rowers beigetreten',
      'Anna, Ben und 2 weitere Personen sind Harbour Rowers beigetreten',
    ]);
  });

  test('a reminder that waits until the day of the event says Today or Tonight, and a reminder after the start is not sent', async () => {
    await bob.api.answers.attend({ event: event.id });
    const notice = notices.find(({ kind }) => kind === 'event_reminder') as AnyNotice;
    const facts = (await cases['event_reminder']?.(event.id, 0)) ?? {};
    onTestFinished(() => void (w.clockOffset.seconds = 0));
    await forget();
    const before = (await mails()).length;
    const remind = async (hours: number) => {
      w.clockOffset.seconds = hours * 3600;
      await raiseTo(notice, facts);
      await w.hurry();
      const news = (await subjects()).slice(before);
      await forget();
      return news;
    };
    expect(await remind(48)).toEqual([
      expect.stringMatching(/^Tomorrow at \d+:\d\d [ap]m: Regatta, \w{3} \d+ \w{3}/),
    ]);
    expect((await remind(71.9)).at(-1)).toMatch(
      /^To(day|night|morrow) at \d+:\d\d [ap]m: Regatta, \w{3} \d+ \w{3}/,
    );
    expect(await remind(72.1)).toHaveLength(2);
  });
});
