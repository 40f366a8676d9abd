import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import type { MessageList } from '#features/updates/contract.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { codeFor } from '#test/races/people.ts';
import { sentEmails } from '#test/sent-emails.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let people: Record<'ada' | 'hal' | 'gil' | 'may' | 'sam' | 'tim' | 'zoe', Person>;
let club: ClubHandle;
let event: { id: string; slug: string };

beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

/** Makes a member who is no planner the only host of an event of Ada's. */
const makeHost = (host: Person, { id }: { id: string }) =>
  people.ada.api.hosts.handOver({ event: id, user_id: host.id });

/** An event of Hal's, a member: Gil is going, May has answered 'maybe', Tim 'no', and Sam has not answered. Ada is the admin. */
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  const [ada, hal, gil, may, sam, tim, zoe] = (await Promise.all(
    ['Ada', 'Hal', 'Gil', 'May', 'Sam', 'Tim', 'Zoe'].map((name) => w.person(name)),
  )) as [Person, Person, Person, Person, Person, Person, Person];
  people = { ada, hal, gil, may, sam, tim, zoe };
  club = await w.club([ada, hal, gil, may, sam, tim]);
  event = await w.event(club, ada, { name: 'Tuesday run', startsIn: 48 });
  await makeHost(hal, event);
  await ada.api.answers.answer({ event: event.id, answer: 'no' });
  await gil.api.answers.attend({ event: event.id });
  await may.api.answers.answer({ event: event.id, answer: 'maybe' });
  await tim.api.answers.answer({ event: event.id, answer: 'no' });
  await sentEmails(w);
});

interface Written {
  by?: Person;
  to?: MessageList[];
  content?: string;
  pictures?: string[];
}
const write = ({ by = people.hal, to = ['going', 'maybe'], content = 'North gate', ...more }: Written = {}) =>
  by.api.updates.sendMessage({ event: event.id, content, to, ...more });
const messagesFor = async ({ api }: Person, of = event) => (await api.events.get({ event: of.id })).messages;
const textsFor = async (person: Person) => (await messagesFor(person)).map(({ content }) => content);

const emailsTo = async ({ email }: Person, text = '') =>
  (await sentEmails(w)).filter((mail) => mail.to?.[0]?.address === email && mail.text?.includes(text));
const bellOf = async ({ api }: Person) =>
  (await api.notifications.list({})).map(({ message }) => message).filter((each) => each.includes('wrote'));

async function upload(by: Person): Promise<string> {
  const square = sharp({ create: { width: 40, height: 30, channels: 3, background: '#456' } });
  return (await by.api.media.addToUpdate({ club: club.id, file: await square.png().toBuffer() })).name;
}
const later = (span: string) =>
  run(
    w.db,
    sql`update events set start_time = start_time - ${span}::interval, end_time = end_time - ${span}::interval,
          entry_until_time = entry_until_time - ${span}::interval where id = ${event.id}`,
  );

test('message: sent by the host to the members on the chosen lists, with their number; members get not_runner, outsiders not_member [MSG-01]', async () => {
  const { ada, hal, gil, zoe } = people;
  const line = `POST /v1/events/${event.slug}/messages`;
  const picture = await upload(hal);
  const body = { content: ' North gate ', pictures: [picture], to: ['going', 'maybe', 'going'] };
  const response = await send(w, hal, line, body);
  expect(response).toMatchObject({
    status: 201,
    data: {
      message: {
        content: 'North gate',
        creator_id: hal.id,
        creator_first_name: 'Hal',
        version: 0,
        edited_at: null,
        pictures: [{ name: picture, width: 40, height: 30 }],
        to: ['going', 'maybe'],
      },
      people: 2,
    },
  });
  expect(await send(w, gil, line, body)).toMatchObject({ status: 403, error: 'not_runner' });
  expect(await send(w, zoe, line, body)).toMatchObject({ status: 403, error: 'not_member' });
  expect(await send(w, undefined, line, body)).toMatchObject({ status: 401 });
  expect(await outcomeOf(write({ by: ada, to: ['silent'] }))).toBe('ok');
  expect((await messagesFor(hal)).map(({ to }) => to)).toEqual([['silent'], ['going', 'maybe']]);
});

test('message: a host who plans nothing in the club cannot write to members without an answer, or while the time is open [MSG-01]', async () => {
  const { ada, hal } = people;
  expect(await outcomeOf(write({ to: ['silent'] }))).toBe('403 not_admin');
  expect(await outcomeOf(write({ to: ['going', 'silent'] }))).toBe('403 not_admin');
  const poll = await w.poll(club, ada);
  await makeHost(hal, poll);
  event = poll;
  expect(await outcomeOf(write({ to: ['silent'] }))).toBe('403 not_admin');
  expect(await outcomeOf(write({ to: ['going'] }))).toBe('403 not_admin');
  expect(await messagesFor(ada)).toEqual([]);
});

test('messages: shown to members whose answer is in the audience now, the newest first; runners and the author read all, with the audience [MSG-03]', async () => {
  const { ada, hal, gil, may, sam, tim } = people;
  await write({ to: ['going'], content: 'To the going' });
  w.later('1 minute');
  await write({ by: ada, to: ['silent'], content: 'To the silent' });
  w.later('1 minute');
  await write({ to: ['going', 'maybe'], content: 'To both' });
  expect(await textsFor(gil)).toEqual(['To both', 'To the going']);
  expect((await messagesFor(gil)).map(({ to }) => to)).toEqual([null, null]);
  expect(await textsFor(may)).toEqual(['To both']);
  expect(await textsFor(sam)).toEqual(['To the silent']);
  expect(await textsFor(tim)).toEqual([]);
  for (const runner of [ada, hal])
    expect((await messagesFor(runner)).map(({ to }) => to)).toEqual([
      ['going', 'maybe'],
      ['silent'],
      ['going'],
    ]);
  await tim.api.answers.attend({ event: event.id });
  await gil.api.answers.answer({ event: event.id, answer: 'no' });
  expect(await textsFor(tim)).toEqual(['To both', 'To the going']);
  expect(await textsFor(gil)).toEqual([]);
  await ada.api.hosts.handOver({ event: event.id, user_id: ada.id });
  await hal.api.answers.answer({ event: event.id, answer: 'no' });
  expect(await messagesFor(hal)).toMatchObject([{ to: ['going', 'maybe'] }, { to: ['going'] }]);
});

test('messages: at most the twenty newest are shown [MSG-03]', async () => {
  const { hal, gil } = people;
  await run(
    w.db,
    sql`insert into posts (id, club_id, event_id, audience, creator_id, content, created_at)
        select gen_random_uuid(), ${club.id}, ${event.id}, '{going}', ${hal.id}, 'No. ' || n, now() + n * interval '1 s'
        from generate_series(1, 21) as n`,
  );
  const shown = await textsFor(gil);
  expect(shown).toHaveLength(20);
  expect([shown[0], shown.at(-1)]).toEqual(['No. 21', 'No. 2']);
});

const versions = () =>
  all(
    w.db,
    sql`select club_id, part, version from club_versions union all select event_id, null, version from event_versions
        order by 1, 2, 3`,
  );

test('a message to one member changes no byte of any response to another member, and no version of a shared page [MSG-04]', async () => {
  const { ada, hal, gil, may, sam, tim, zoe } = people;
  await ada.api.updates.publish({ club: club.id, content: 'The boats are back' });
  await sentEmails(w);
  const feed = (await sam.api.clubs.get({ club: club.id })).ical_feed_url_id;
  const paths = [
    `/v1/updates/${club.slug}`,
    `/v1/clubs/${club.slug}`,
    `/v1/clubs/${club.slug}/events`,
    `/v1/events/${event.slug}`,
    '/v1/users/events',
    '/v1/users/clubs/events',
    '/v1/users',
    '/v1/notifications',
    '/v1/events/clubs/filter?q=gate',
    `/v1/clubs/${club.slug}/ical/${feed}/calendar.ics`,
    `/v1/events/${event.slug}/calendar.ics`,
  ];
  const responses = async () => {
    const read = [];
    for (const person of [may, sam, tim, zoe])
      for (const path of paths) {
        const token = person.session.read()?.AccessToken.Token;
        const { status, text, headers } = await ask(w.origin, { method: 'GET', path }, undefined, token);
        read.push([person.email, path, status, text, headers.get('etag')]);
      }
    return read;
  };
  const before = { responses: await responses(), versions: await versions() };
  const readByMay = before.responses.filter(([email]) => email === may.email);
  expect(readByMay.map(([, , status]) => status)).toEqual(paths.map(() => 200));
  const secret = 'Regatta: meet at the north gate';
  const { message } = await write({ to: ['going'], content: secret, pictures: [await upload(hal)] });
  const unchanged = async () => {
    expect(await responses()).toEqual(before.responses);
    expect(await versions()).toEqual(before.versions);
  };
  await unchanged();
  expect(await textsFor(gil)).toEqual([secret]);
  expect(JSON.stringify(await gil.api.clubs.get({ club: club.id }))).not.toContain(secret);
  expect((await gil.api.search.find({ q: 'north gate' })).events).toEqual([]);
  await hal.api.updates.edit({ club: club.id, update: message.id, content: 'South gate', pictures: [] });
  await unchanged();
  await hal.api.updates.remove({ club: club.id, update: message.id });
  await unchanged();
});

describe('the email of a message', () => {
  test('goes at once to everybody in the audience but the author, with the whole text, the pictures and the answer links [MSG-05]', async () => {
    const { ada, hal, gil, may, sam, tim } = people;
    const content = `${'Meet at the north gate, not at the pier as usual. '.repeat(3)}\n\nBring a coat.`;
    const picture = await upload(hal);
    await write({ content, pictures: [picture] });
    const [mail, ...more] = await emailsTo(gil, 'Bring a coat.');
    expect(more).toEqual([]);
    expect(mail?.subject).toMatch(/^Tuesday run, \w{3} \d+ \w{3}: /);
    expect(mail?.subject?.split(': ')[1]).toBe(`${content.slice(0, 59)}…`);
    expect(mail?.text).toContain('Hal wrote about “Tuesday run”.');
    expect(mail?.html).toContain(picture);
    expect(mail?.text).toMatch(/\/answer\/\S+a=no/);
    expect(mail?.text).not.toMatch(/\/answer\/\S+a=going/);
    expect(await emailsTo(may, 'Bring a coat.')).toHaveLength(1);
    for (const other of [ada, hal, sam, tim]) expect(await emailsTo(other, 'Bring a coat.')).toEqual([]);
    expect(await bellOf(gil)).toEqual(['Hal wrote about “Tuesday run”.']);
    const [notice] = await gil.api.notifications.list({});
    expect(notice?.metadata.event_slug).toBe(event.slug);
    expect(JSON.stringify(notice)).not.toContain('coat');
  });

  test('and the notification are switched off by their settings [MSG-05]', async () => {
    const { gil, may } = people;
    await gil.api.notifications.saveSettings({ email_event_message: false });
    await may.api.notifications.saveSettings({ event_message: false });
    await write({ content: 'Settings' });
    expect([await emailsTo(gil, 'Settings'), await bellOf(may)]).toEqual([[], []]);
    expect(await emailsTo(may, 'Settings')).toHaveLength(1);
    expect(await bellOf(gil)).toHaveLength(1);
  });

  test('about a poll names no day and asks for votes; about a cancelled or past event it has no answer links [MSG-05 MSG-07]', async () => {
    const { ada, gil, sam } = people;
    const poll = await w.poll(club, ada, { name: 'Picnic' });
    await ada.api.updates.sendMessage({ event: poll.id, content: 'Please vote', to: ['silent'] });
    const [asked] = await emailsTo(sam, 'Please vote');
    expect(asked?.subject).toBe('Picnic: Please vote');
    await people.hal.api.events.cancel({ event: event.id });
    await write({ content: 'Sorry for that' });
    const [about] = await emailsTo(gil, 'Sorry for that');
    expect(about?.text).not.toContain('/answer/');
  });
});

describe('edit and removal', () => {
  test('by the author and by runners mark the message as edited and notify nobody; other members get not_author [MSG-06]', async () => {
    const { ada, hal, gil } = people;
    const { message } = await write();
    const before = (await sentEmails(w)).length;
    const edit = (by: Person, content: string) =>
      by.api.updates.edit({ club: club.slug, update: message.id, content });
    w.later('1 minute');
    await edit(hal, 'South gate');
    await edit(ada, 'West gate');
    expect(await messagesFor(gil)).toMatchObject([
      { content: 'West gate', version: 2, edited_at: expect.any(String), creator_first_name: 'Hal' },
    ]);
    expect(await outcomeOf(edit(gil, 'East gate'))).toBe('403 not_author');
    expect(await outcomeOf(edit(people.zoe, 'East gate'))).toBe('404 not_found');
    expect(await outcomeOf(gil.api.updates.remove({ club: club.slug, update: message.id }))).toBe(
      '403 not_author',
    );
    expect((await sentEmails(w)).length).toBe(before);
    expect(
      await outcomeOf(ada.api.updates.edit({ club: club.id, update: message.id, content: 'Old' }, 0)),
    ).toBe('412 changed_meanwhile');
    const line = `PATCH /v1/updates/${club.slug}/${message.id}`;
    await send(w, ada, line, { to: ['silent'], audience: ['silent'] });
    expect((await messagesFor(ada))[0]?.to).toEqual(['going', 'maybe']);
    await ada.api.updates.remove({ club: club.id, update: message.id });
    expect(await messagesFor(gil)).toEqual([]);
    expect(await bellOf(gil)).toEqual([]);
  });

  test('the author may change the message after handing over the event, and not after leaving the club [MSG-06]', async () => {
    const { ada, hal, gil } = people;
    const { message } = await write();
    await ada.api.hosts.handOver({ event: event.id, user_id: ada.id });
    const edit = () => hal.api.updates.edit({ club: club.id, update: message.id, content: 'By Hal' });
    await edit();
    expect(await textsFor(gil)).toEqual(['By Hal']);
    await hal.api.members.leave({ club: club.id });
    expect(await outcomeOf(edit())).toBe('404 not_found');
    expect(await textsFor(gil)).toEqual(['By Hal']);
  });

  test('emails that wait quote the new text, or are dropped with the message [MSG-06]', async () => {
    const { hal, gil, may } = people;
    await run(
      w.db,
      sql`create function wait_a_day() returns trigger language plpgsql as $$ begin
            new.send_at := now() + interval '1 day';
            return new;
          end $$`,
    );
    await run(
      w.db,
      sql`create trigger wait_a_day before insert on notice_emails for each row execute function wait_a_day()`,
    );
    const { message } = await write({ content: 'First text' });
    const { message: other } = await write({ content: 'Gone text', to: ['maybe'] });
    await run(w.db, sql`drop function wait_a_day cascade`);
    await hal.api.updates.edit({ club: club.id, update: message.id, content: 'Second text' });
    await hal.api.updates.remove({ club: club.id, update: other.id });
    expect(await emailsTo(gil, 'First text')).toEqual([]);
    expect(await emailsTo(gil, 'Second text')).toHaveLength(1);
    expect(await emailsTo(may, 'Gone text')).toEqual([]);
  });
});

test('messages: can be written until thirty days after the end, also about a cancelled event; later message_closed [MSG-07]', async () => {
  const { hal } = people;
  await hal.api.events.cancel({ event: event.id });
  expect(await outcomeOf(write())).toBe('ok');
  await later('31 days');
  expect(await outcomeOf(write())).toBe('ok');
  await later('2 days');
  expect(await outcomeOf(write())).toBe('409 message_closed');
});

test('poll: the only audience is everybody, and another one is bad_input [MSG-07]', async () => {
  const { ada, sam } = people;
  event = await w.poll(club, ada);
  expect(await outcomeOf(write({ by: ada, to: ['going'] }))).toBe('400 bad_input');
  expect(await outcomeOf(write({ by: ada, to: ['silent', 'maybe'] }))).toBe('400 bad_input');
  const { people: reached } = await write({ by: ada, to: ['silent'], content: 'Vote' });
  expect(reached).toBe(5);
  expect(await textsFor(sam)).toEqual(['Vote']);
});

const lineOf = ({ id }: { id: string }) => `POST /v1/events/${id}/messages`;

describe('limits', () => {
  test('the eleventh message a day about an event, and the fifty-first in a club, are 429 too_often with Retry-After [MSG-08]', async () => {
    const { hal, ada } = people;
    const body = { content: 'Again', to: ['going'] };
    for (let n = 0; n < 10; n++) expect((await send(w, hal, lineOf(event), body)).status).toBe(201);
    const refused = await send(w, hal, lineOf(event), body);
    expect([refused.status, refused.error]).toEqual([429, 'too_often']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    for (let n = 0; n < 5; n++) {
      const other = await w.event(club, ada, { name: `Run ${n}`, startsIn: 72 + n });
      await people.gil.api.answers.attend({ event: other.id });
      const results = [];
      for (let times = 0; times < 10; times++) results.push((await send(w, ada, lineOf(other), body)).status);
      expect(results).toEqual(Array.from({ length: 10 }, () => (n < 4 ? 201 : 429)));
    }
  });

  test('blank, too long or addressed to nobody, and pictures of others are 400 and store nothing [MSG-08]', async () => {
    const { ada, hal, gil } = people;
    const other = await w.club([hal], 'Another club');
    const square = sharp({ create: { width: 9, height: 9, channels: 3, background: '#456' } });
    const foreign = await hal.api.media.addToUpdate({ club: other.id, file: await square.png().toBuffer() });
    const used = await upload(ada);
    await ada.api.updates.publish({ club: club.id, content: 'News', pictures: [used] });
    const line = `POST /v1/events/${event.id}/messages`;
    const valid = { content: 'Hello', to: ['going'] };
    for (const wrong of [
      { content: '' },
      { content: ' \n\u200B ' },
      { content: 'x'.repeat(2001) },
      { to: [] },
      { to: ['no'] },
      { to: ['everybody'] },
      { to: ['waiting'] },
      { pictures: [foreign.name] },
      { pictures: [used] },
      { pictures: ['no-such-picture'] },
    ]) {
      const { status } = await send(w, hal, line, { ...valid, ...wrong });
      expect([wrong, status]).toEqual([wrong, 400]);
    }
    expect(
      await all(w.db, sql`select 1 from posts where event_id is not null and club_id = ${club.id}`),
    ).toEqual([]);
    expect((await send(w, hal, line, { ...valid, content: 'x'.repeat(2000) })).status).toBe(201);
    expect(await textsFor(gil)).toEqual(['x'.repeat(2000)]);
  });
});

test('pictures of messages are deleted with the message, the event and the club; a message of a deleted account has no author [MSG-09]', async () => {
  const { ada, hal, gil } = people;
  const pictures = () => all(w.db, sql`select 1 from pictures where club_id = ${club.id}`);
  const withPicture = async () => write({ pictures: [await upload(hal)] });
  const { message } = await withPicture();
  await hal.api.updates.remove({ club: club.id, update: message.id });
  expect(await pictures()).toEqual([]);
  await withPicture();
  await run(w.db, sql`delete from events where id = ${event.id}`);
  expect(await pictures()).toEqual([]);
  event = await w.event(club, ada, { startsIn: 90 });
  await makeHost(hal, event);
  await gil.api.answers.attend({ event: event.id });
  await withPicture();
  await hal.api.account.remove({ code: await codeFor(w, hal.email, 'ABCDEF', 'deletion') });
  expect(await messagesFor(gil)).toMatchObject([{ creator_id: null, creator_first_name: null }]);
  expect(await pictures()).toHaveLength(1);
  await ada.api.clubs.remove({ club: club.id });
  expect(await all(w.db, sql`select 1 from posts where club_id = ${club.id}`)).toEqual([]);
  expect(await pictures()).toEqual([]);
});

test('the own export has the messages with their audience [MSG-09]', async () => {
  const { hal } = people;
  const picture = await upload(hal);
  await write({ content: 'Exported', pictures: [picture] });
  const code = await codeFor(w, hal.email, 'ABCDEF', 'export');
  const { messages, updates } = (await hal.api.account.export({ code })) as unknown as Record<
    string,
    unknown
  >;
  expect(updates).toEqual([]);
  expect(messages).toMatchObject([
    {
      club_name: club.club_name,
      event_name: 'Tuesday run',
      to: ['going', 'maybe'],
      content: 'Exported',
      pictures: [expect.stringContaining(picture)],
    },
  ]);
});
