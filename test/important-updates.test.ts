import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { first, run, sql } from '#platform/db/client.ts';
import { contracts } from '#features/contracts.ts';
import { LinkedUpdate } from '#features/updates/contract.ts';
import { readToken } from '#features/updates/mail.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { openDatabaseSnapshot } from '#test/database-snapshot.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let zoe: Person;
let club: ClubHandle;
let other: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, cyd, zoe] = [
    await w.person('Ada'),
    await w.person('Bob'),
    await w.person('Cyd'),
    await w.person('Zoe'),
  ];
  club = await w.club([ada, bob, cyd]);
  other = await w.club([zoe], 'Other');
});
beforeEach(async () => {
  await run(w.db, sql`delete from posts`);
  await run(w.db, sql`delete from rate_limits`);
  await run(w.db, sql`delete from notice_emails`);
  await run(w.db, sql`delete from notices`);
});
afterAll(() => w[Symbol.asyncDispose]());

const publish = (content = 'The slipway is closed.', important = true) =>
  ada.api.updates.publish({ club: club.id, content, important });
const readBy = (person: Person, update: string, of = club) =>
  person.api.updates.read({ club: of.id, update });
const readersOf = (update: string, by = ada) => by.api.updates.readers({ club: club.id, update });
const remind = (update: string, by = ada) => by.api.updates.remind({ club: club.id, update });

/** The token of a person's read link for an update. */
async function tokenOf(person: Person, update_id: string, of = club, on = w): Promise<string> {
  const row = await first(
    on.db,
    sql<{
      answer_key: string;
    }>`select answer_key from members where club_id = ${of.id} and user_id = ${person.id}`,
  );
  return readToken(on.config, { user_id: person.id, update_id, answer_key: row?.answer_key ?? '' });
}

/** The kinds of the notices in a person's bell. */
const bellOf = async (person: Person) =>
  (await person.api.notifications.list({})).map(({ message }) => message);

const versions = () =>
  first(w.db, sql`select array_agg(v order by part) as all from club_versions v where club_id = ${club.id}`);
const shown = (token: string) => w.anyone.updates.ofLink({ token });
const readByLink = (token: string) => w.anyone.updates.readByLink({ token });

/** The outcomes of opening a link and of confirming with it. */
const outcomes = async (token: string) => [await outcomeOf(shown(token)), await outcomeOf(readByLink(token))];

/** The emails about important updates that were sent to a person. */
const emailsTo = async ({ email }: Person) =>
  (await sentEmails(w)).filter(
    ({ to, subject = '' }) => to?.[0]?.address === email && /^(Important|Please read):/.test(subject),
  );

describe('publishing', () => {
  test('an important update is shown as important and raises update_important instead of club_update [READ-01]', async () => {
    const update = await publish();
    expect(update.important).toBe(true);
    expect((await bob.api.clubs.get({ club: club.id })).latest_update).toMatchObject({ important: true });
    const raised = await first(w.db, sql`select array_agg(distinct kind) as kinds from notices`);
    expect(raised).toEqual({ kinds: ['update_important'] });
    expect(await bellOf(bob)).toEqual(['Ada published an important update in Harbour Rowers.']);
    expect((await publish('An ordinary one', false)).important).toBe(false);
  });

  test('other members cannot publish an important update, and an edit neither makes one important nor ordinary [READ-01]', async () => {
    const byBob = bob.api.updates.publish({ club: club.id, content: 'News', important: true });
    expect(await outcomeOf(byBob)).toBe('403 not_admin');
    for (const important of [true, false]) {
      const { id } = await publish('News', important);
      const body = { content: 'Later', important: !important };
      const { data } = await send(w, ada, `PATCH /v1/updates/${club.id}/${id}`, body);
      expect(data).toMatchObject({ content: 'Later', important });
    }
  });

  test('the fourth important update within any 24 hours is refused, also when others were deleted; ordinary ones are not counted [READ-01]', async () => {
    await using v = await world();
    const eve = await v.person('Eve');
    const { id } = await v.club([eve]);
    const send3 = (important = true) =>
      send(v, eve, `POST /v1/updates/${id}`, { content: 'News', important });
    // The first window of the counter ends 24 hours after this update.
    const one = await send3();
    v.later('23 hours');
    await eve.api.users.me({});
    const two = (await send3()).data as { id: string };
    expect([one.status, (await send3()).status]).toEqual([201, 201]);
    await eve.api.updates.remove({ club: id, update: two.id });
    const refused = await send3();
    expect([refused.status, refused.error]).toEqual([429, 'too_often']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await send3(false)).status).toBe(201);
    v.later('2 hours');
    await eve.api.users.me({});
    expect([(await send3()).status, (await send3()).status]).toEqual([201, 201]);
    const again = await send3();
    expect([again.status, again.error]).toEqual([429, 'too_often']);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(21 * 3600);
  });
});

describe('reading', () => {
  test('keeps the first time when it is repeated, and shows it in the list and on the page of the club [READ-02]', async () => {
    const { id } = await publish();
    const { my_read_at } = await readBy(bob, id);
    w.later('1 hour');
    expect(await readBy(bob, id)).toEqual({ my_read_at });
    expect(await bob.api.updates.ofClub({ club: club.id })).toMatchObject([{ id, my_read_at }]);
    expect((await bob.api.clubs.get({ club: club.id })).latest_update_read_at).toBe(my_read_at);
    expect((await cyd.api.clubs.get({ club: club.id })).latest_update_read_at).toBeNull();
    expect(await cyd.api.updates.ofClub({ club: club.id })).toMatchObject([{ my_read_at: null }]);
  });

  test('refused for an ordinary update, for outsiders and for an update of another club [READ-02]', async () => {
    const { id } = await publish();
    const { id: ordinary } = await publish('News', false);
    expect(await outcomeOf(readBy(bob, ordinary))).toBe('409 not_important');
    expect(await outcomeOf(readBy(zoe, id))).toBe('404 not_found');
    expect(await outcomeOf(readBy(zoe, id, other))).toBe('404 not_found');
    const event = await w.event(club, ada);
    const { message } = await ada.api.updates.sendMessage({ event: event.id, content: 'Hi', to: ['silent'] });
    expect(await outcomeOf(readBy(bob, message.id))).toBe('404 not_found');
  });

  test('changes no version of the club; neither do lists and pages mark anything as read [READ-08 READ-09]', async () => {
    const { id } = await publish();
    await bob.api.clubs.get({ club: club.id });
    const before = await versions();
    await readBy(bob, id);
    expect(await versions()).toEqual(before);
    await cyd.api.clubs.get({ club: club.id });
    await cyd.api.updates.ofClub({ club: club.id });
    await cyd.api.notifications.list({});
    expect((await readersOf(id)).read_count).toBe(1);
  });

  test('an edit keeps the reads and sends nothing; a deletion deletes them and what waits [READ-09]', async () => {
    const { id } = await publish();
    await readBy(bob, id);
    await remind(id);
    const waiting = () => first(w.db, sql<{ n: number }>`select count(*)::int as n from notice_emails`);
    const before = await waiting();
    await ada.api.updates.edit({ club: club.id, update: id, content: 'The slipway is open.' });
    expect(await waiting()).toEqual(before);
    expect(await readersOf(id)).toMatchObject({ read_count: 1, reminders: 1 });
    await ada.api.updates.remove({ club: club.id, update: id });
    expect(
      await first(
        w.db,
        sql`select (select count(*)::int from update_reads) as reads, (select count(*)::int from update_reminders) as reminders`,
      ),
    ).toEqual({ reads: 0, reminders: 0 });
    expect(await bellOf(cyd)).toEqual([]);
  });
});

describe('readers', () => {
  test('planners see the counts and both lists; other members and outsiders do not [READ-04]', async () => {
    const { id } = await publish();
    const { my_read_at } = await readBy(bob, id);
    const readers = await readersOf(id);
    expect(readers).toEqual({
      read_count: 1,
      reader_count: 2,
      others: 1,
      reminders: 0,
      reminded_at: null,
      readers: [
        { id: bob.id, first_name: 'Bob', last_name: '', profile_picture_url: null, read_at: my_read_at },
      ],
      more: null,
    });
    const unread = await ada.api.updates.readers({ club: club.id, update: id, state: 'unread' });
    expect(unread.readers).toMatchObject([{ id: cyd.id, read_at: null }]);
    expect(await ada.api.updates.ofClub({ club: club.id })).toMatchObject([
      { read_count: 1, reader_count: 2 },
    ]);
    const [seen] = await bob.api.updates.ofClub({ club: club.id });
    expect(Object.keys(seen ?? {})).not.toContain('read_count');
    expect(Object.keys(seen ?? {})).not.toContain('reader_count');
    expect(await outcomeOf(readersOf(id, bob))).toBe('403 not_admin');
    expect(await outcomeOf(readersOf(id, zoe))).toBe('404 not_found');
    const { id: ordinary } = await publish('News', false);
    expect(await outcomeOf(readersOf(ordinary))).toBe('409 not_important');
    expect(Object.keys((await ada.api.updates.ofClub({ club: club.id }))[0] ?? {})).not.toContain(
      'read_count',
    );
  });

  test('the lists have a hundred names a page [READ-04]', async () => {
    await using v = await world();
    const eve = await v.person('Eve');
    const { id } = await v.club([eve]);
    await run(
      v.db,
      sql`with people as (
            insert into users (id, email, first_name, calendar_secret, created_at)
            select gen_random_uuid(), n || '@example.net', 'Person', n, now() from generate_series(1, 150) as n returning id)
          insert into members (club_id, user_id, calendar_secret, joined_at) select ${id}, id, id, now() from people`,
    );
    const { id: update } = await eve.api.updates.publish({ club: id, content: 'News', important: true });
    const page = (after?: string) => eve.api.updates.readers({ club: id, update, state: 'unread', after });
    const one = await page();
    const two = await page(one.more ?? '');
    expect([one.readers.length, two.readers.length, two.more]).toEqual([100, 50, null]);
    expect(new Set([...one.readers, ...two.readers].map((reader) => reader.id)).size).toBe(150);
    expect(await outcomeOf(page('x'))).toBe('400 bad_input');
  });

  test('are the current members who joined before the update, without its author; a read ends with the account [READ-05]', async () => {
    await using v = await world();
    const [eve, flo, gus] = [await v.person('Eve'), await v.person('Flo'), await v.person('Gus')];
    const { id } = await v.club([eve, flo, gus]);
    const { id: update } = await eve.api.updates.publish({ club: id, content: 'News', important: true });
    const counts = async () => {
      const { read_count, reader_count } = await eve.api.updates.readers({ club: id, update });
      return [read_count, reader_count];
    };
    const newcomer = await v.person('Late');
    const { invite_link } = await eve.api.invites.ofClub({ club: id });
    await newcomer.api.invites.join({ invite: invite_link });
    for (const reader of [eve, flo, gus, newcomer]) await reader.api.updates.read({ club: id, update });
    expect(await counts()).toEqual([2, 2]);
    await flo.api.members.leave({ club: id });
    expect(await counts()).toEqual([1, 1]);
    await run(v.db, sql`delete from users where id = ${gus.id}`);
    expect(await counts()).toEqual([0, 0]);
    expect(await first(v.db, sql`select 1 from update_reads where user_id = ${gus.id}`)).toBeUndefined();
  });
});

describe('reminder', () => {
  test('reaches those who have not read the update, without the person who reminds [READ-06]', async () => {
    const { id } = await publish();
    await readBy(bob, id);
    await run(w.db, sql`delete from notices`);
    expect(await remind(id)).toEqual({ reminded: 1 });
    expect(await bellOf(cyd)).toEqual(['Ada asks you to read an important update in Harbour Rowers.']);
    expect(await bellOf(bob)).toEqual([]);
    expect(await readersOf(id)).toMatchObject({ reminders: 1, reminded_at: expect.any(String) });
  });

  test('at most once in 24 hours and three times, and refused for others, ordinary updates and when everybody has read it [READ-07]', async () => {
    const { id } = await publish();
    expect(await outcomeOf(remind(id, bob))).toBe('403 not_admin');
    expect(await outcomeOf(remind(id, zoe))).toBe('404 not_found');
    for (const times of [1, 2, 3]) {
      expect(await remind(id)).toEqual({ reminded: 2 });
      const soon = await send(w, ada, `POST /v1/updates/${club.id}/${id}/remind`);
      expect([soon.status, soon.error]).toEqual(
        times < 3 ? [429, 'reminded_lately'] : [409, 'reminded_enough'],
      );
      if (times < 3) expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(86_000);
      w.later('24 hours');
      await ada.api.users.me({});
    }
    expect(await outcomeOf(remind(id))).toBe('409 reminded_enough');
    const { id: ordinary } = await publish('News', false);
    expect(await outcomeOf(remind(ordinary))).toBe('409 not_important');
    const { id: known } = await publish('Known');
    for (const reader of [bob, cyd]) await readBy(reader, known);
    expect(await outcomeOf(remind(known))).toBe('409 everyone_read');
  });
});

describe('read link', () => {
  test('GET shows club, day and first line and changes nothing; POST marks the update as read once [READ-03]', async () => {
    const { id, created_at } = await publish('Hello,\n\nthe slipway is closed.\nUse the north gate.');
    const token = await tokenOf(bob, id);
    const snapshot = await openDatabaseSnapshot(w.db);
    const before = await snapshot.state();
    const link = await shown(token);
    expect(await snapshot.state()).toBe(before);
    await run(w.db, sql`drop schema kept cascade`);
    expect(Object.keys(link).toSorted()).toEqual(Object.keys(LinkedUpdate.shape).toSorted());
    expect(link).toMatchObject({
      club_name: 'Harbour Rowers',
      created_at,
      first_line: 'The slipway is closed.',
      my_read_at: null,
    });
    const { my_read_at } = await readByLink(token);
    expect(await readByLink(token)).toMatchObject({ my_read_at });
    expect(await shown(token)).toMatchObject({ my_read_at });
    expect((await readersOf(id)).readers).toMatchObject([{ id: bob.id, read_at: my_read_at }]);
    expect(await first(w.db, sql`select via from update_reads`)).toEqual({ via: 'link' });
  });

  test('ends with the update, with the membership and when the member replaces their links [READ-03]', async () => {
    const { id } = await publish();
    const gus = await w.person('Gus');
    const { invite_link } = await ada.api.invites.ofClub({ club: club.id });
    await gus.api.invites.join({ invite: invite_link });
    const [ofGus, ofBob, ofCyd] = [await tokenOf(gus, id), await tokenOf(bob, id), await tokenOf(cyd, id)];
    expect(await outcomes(ofGus)).toEqual(['ok', 'ok']);
    await gus.api.members.leave({ club: club.id });
    expect(await outcomes(ofGus)).toEqual(['404 not_found', '404 not_found']);
    await bob.api.answers.replaceLinks({});
    expect(await outcomes(ofBob)).toEqual(['404 not_found', '404 not_found']);
    await ada.api.updates.remove({ club: club.id, update: id });
    expect(await outcomes(ofCyd)).toEqual(['404 not_found', '404 not_found']);
  });

  test('more than 60 wrong ones a minute from one network are refused; right ones are not counted [READ-03]', async () => {
    await using v = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
    const [eve, flo] = [await v.person('Eve'), await v.person('Flo')];
    const home = await v.club([eve, flo]);
    const { id } = await eve.api.updates.publish({ club: home.id, content: 'News', important: true });
    const token = await tokenOf(flo, id, home, v);
    const { ofLink, readByLink: post } = contracts.updates;
    const guess = (nth: number) => ask(v.origin, nth % 2 ? ofLink : post, { token: 'A'.repeat(64) });
    for (let nth = 0; nth < 60; nth++) expect((await guess(nth)).status).toBe(404);
    for (const nth of [0, 1]) {
      const { status, headers } = await guess(nth);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await v.anyone.updates.ofLink({ token })).toMatchObject({ my_read_at: null });
    v.later('61 seconds');
    expect((await guess(0)).status).toBe(404);
  });

  test('is not valid for an ordinary update, and not as an answer link [READ-03]', async () => {
    const { id: ordinary } = await publish('News', false);
    expect(await outcomes(await tokenOf(bob, ordinary))).toEqual(['404 not_found', '404 not_found']);
    const { id } = await publish();
    expect(await outcomeOf(w.anyone.answers.ofLink({ token: await tokenOf(bob, id) }))).toBe('404 not_found');
  });
});

/** Opens the page of a link, as a browser without scripts does. */
const open = async (token: string, init: RequestInit = {}) => {
  const response = await fetch(`${w.origin}/read/${token}`, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, page: await response.text() };
};
/** Sends the form of the page. Its origin is null, because the page sends no referrer. */
const submit = (token: string) =>
  open(token, {
    method: 'POST',
    headers: { origin: 'null', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(),
  });

describe('page of a read link', () => {
  test('works without a login and without scripts, is neither cached nor indexed, and does not contain the token [READ-03]', async () => {
    const { id } = await publish();
    const token = await tokenOf(bob, id);
    const opened = await open(token);
    for (const text of ['Harbour Rowers', 'The slipway is closed.', 'I have read this', 'Those who run'])
      expect(opened.page).toContain(text);
    const [head, submitted] = [await open(token, { method: 'HEAD' }), await open(`${token}x`)];
    expect([opened.status, head.status, submitted.status]).toEqual([200, 200, 404]);
    expect((await readersOf(id)).read_count).toBe(0);
    const saved = await submit(token);
    expect([saved.status, saved.headers.get('location'), saved.page]).toEqual([303, '?saved=', '']);
    expect((await readersOf(id)).read_count).toBe(1);
    const after = await open(`${token}?saved=`);
    expect(after.page).toContain('You read this on');
    expect(after.page).not.toContain('<form');
    for (const { page, headers } of [opened, submitted, saved, after]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(page + JSON.stringify([...headers])).not.toContain(token);
      expect(page).not.toMatch(/<script|http-equiv|method="get"/);
    }
    expect(opened.headers.get('x-robots-tag')).toBe('noindex');
  });

  test('is in the language of its member, and a wrong link in the language of the browser [READ-03]', async () => {
    const { id } = await publish();
    const token = await tokenOf(bob, id);
    await bob.api.users.update({ language: 'de' });
    const german = await open(token, { headers: { 'accept-language': 'en' } });
    await bob.api.users.update({ language: 'en' });
    expect(german.page).toContain('<html lang="de">');
    expect(german.page).toContain('Ich habe das gelesen');
    expect((await open(token, { headers: { 'accept-language': 'de' } })).page).toContain('I have read this');
    const wrong = await open('wrong', { headers: { 'accept-language': 'de' } });
    expect(wrong.page).toContain('Dieser Link funktioniert nicht mehr');
  });
});

describe('emails', () => {
  test('an important update is emailed at once with its text and a button that leads to the page, without anything that reports its opening [READ-01 READ-03 READ-09]', async () => {
    const content = `Slipway ${randomUUID()} is closed.`;
    const { id } = await publish(content);
    const mail = (await emailsTo(bob)).find(({ text }) => text?.includes(content));
    expect(mail?.subject).toMatch(/^Important: Harbour Rowers: Slipway/);
    const link = `${w.config.publicUrl}/read/${await tokenOf(bob, id)}`;
    expect(mail?.text).toContain(link);
    expect(mail?.html).toContain('I have read this');
    expect(mail?.html).not.toMatch(/<img[^>]+(read|open|token)/i);
    expect((await readersOf(id)).read_count).toBe(0);
  });

  test('a reminder is emailed to those who have not read it when it is sent, as their settings allow [READ-06]', async () => {
    const content = `Slipway ${randomUUID()} is closed.`;
    const { id } = await publish(content);
    await sentEmails(w);
    await cyd.api.notifications.saveSettings({ email_update_important: false });
    await remind(id);
    const reminders = async (person: Person) =>
      (await emailsTo(person)).filter(
        ({ subject = '', text }) => subject.startsWith('Please read: ') && text?.includes(content),
      );
    expect(await reminders(bob)).toHaveLength(1);
    expect(await reminders(cyd)).toEqual([]);
    await cyd.api.notifications.saveSettings({ email_update_important: true });
    expect(await bellOf(cyd)).toContain('Ada asks you to read an important update in Harbour Rowers.');
  });

  test('a reminder that waits is dropped once the reader has read the update, or it is deleted [READ-06 READ-09]', async () => {
    const contents = [`Read ${randomUUID()}`, `Deleted ${randomUUID()}`] as const;
    const [known, deleted] = [await publish(contents[0]), await publish(contents[1])];
    await sentEmails(w);
    // No email is sent before the read and the deletion.
    await run(
      w.db,
      sql`create function later() returns trigger language plpgsql as $$ begin new.run_at := now() + interval '1 hour'; return new; end $$`,
    );
    await run(w.db, sql`create trigger later before insert on jobs for each row execute function later()`);
    for (const { id } of [known, deleted]) await remind(id);
    await readBy(bob, known.id);
    await ada.api.updates.remove({ club: club.id, update: deleted.id });
    await run(w.db, sql`drop function later cascade`);
    const reminders = async (person: Person) =>
      (await emailsTo(person))
        .filter(({ subject = '' }) => subject.startsWith('Please read: '))
        .map(({ text = '' }) => text)
        .filter((text) => contents.some((content) => text.includes(content)));
    expect(await reminders(cyd)).toEqual([expect.stringContaining(contents[0])]);
    expect(await reminders(bob)).toEqual([]);
  });
});
