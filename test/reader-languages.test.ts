import { once } from 'node:events';
import type { Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { all, run, sql } from '#platform/db/client.ts';
import type { Language } from '#languages/languages.ts';
import { contracts } from '#features/contracts.ts';
import { updateUser } from '#features/auth/store.ts';
import { ask } from '#test/ask.ts';
import { livePath } from '#test/authorisation-matrix.ts';
import { openMailServer } from '#test/mail-server.ts';
import { codeIn, isolatedWorld, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let mailServer: Awaited<ReturnType<typeof openMailServer>>;
const received: Email[] = [];
let ada: Person;
let bob: Person;
let cyd: Person;
let club: ClubHandle;

beforeAll(async () => {
  mailServer = await openMailServer(({ mail }) => received.push(mail));
  w = await isolatedWorld({ SMTP_URL: mailServer.url });
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await mailServer.close();
});

/** Bob reads German, Cyd English. */
beforeEach(async () => {
  [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
  club = await w.club([ada, bob, cyd]);
  await setLanguage(bob, 'de');
  await run(w.db, sql`delete from notices`);
});

const setLanguage = (person: Person, language: Language) => updateUser(w.db, person.id, { language });

/** The only email to an address whose text contains `text`. */
async function emailTo(address: string, text: string): Promise<Email> {
  const found = () =>
    received.filter((mail) => mail.to?.[0]?.address === address && mail.text?.includes(text));
  await expect.poll(found).toHaveLength(1);
  return found()[0] as Email;
}

const htmlLanguage = ({ html }: Email) => /<html lang="(\w+)">/.exec(html ?? '')?.[1];
const headerOf = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value;

/** Requests a login code. */
const requestCode = (email: string, accepted: string) =>
  ask(w.origin, contracts.auth.login, { email }, undefined, { 'accept-language': accepted });

const languageOf = async (email: string) =>
  (await all(w.db, sql<{ language: string }>`select language from users where email = ${email}`))[0]
    ?.language;

async function logIn(email: string, accepted: string): Promise<void> {
  const headers = { 'accept-language': accepted };
  received.length = 0;
  await requestCode(email, accepted);
  const code = codeIn(await emailTo(email, 'Muster'));
  const { status } = await ask(w.origin, contracts.auth.confirm, { email, code }, undefined, headers);
  expect(status).toBe(200);
}

const bellOf = async ({ api }: Person) => (await api.notifications.list({})).map(({ message }) => message);

describe('email', () => {
  test('each reader of an update gets it in their language, with the footer and the link to unsubscribe [LANG-07]', async () => {
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    const german = await emailTo(bob.email, 'Boats are back');
    const english = await emailTo(cyd.email, 'Boats are back');
    expect(german.text).toContain('Ada hat für Harbour Rowers eine Neuigkeit veröffentlicht.');
    expect(german.text).toContain('Du bekommst diese E-Mail, weil du bei Muster Mitglied von');
    expect(german.text).toContain('Diese E-Mails abbestellen:\nhttp');
    expect(german.html).toContain('>Club öffnen</a>');
    expect(english.text).toContain('Ada published an update in Harbour Rowers.');
    expect(english.text).toContain('You get this email because you are a member of');
    expect(english.text).toContain('Unsubscribe from these emails:\nhttp');
    expect([htmlLanguage(german), htmlLanguage(english)]).toEqual(['de', 'en']);
    for (const mail of [german, english]) expect(headerOf(mail, 'list-unsubscribe')).toMatch(/^<http/);
  });

  test('the subject is in the language of the reader [LANG-07]', async () => {
    await ada.api.events.create({
      club: club.id,
      name: 'Regatta',
      location_name: 'Pier 3',
      time_zone: 'Europe/Berlin',
      start_time: '2030-11-22T18:30:00.000Z',
      end_time: '2030-11-22T20:00:00.000Z',
    });
    expect((await emailTo(bob.email, 'Regatta')).subject).toMatch(/^Neuer Termin: Regatta, Fr/);
    expect((await emailTo(cyd.email, 'Regatta')).subject).toMatch(/^New event: Regatta, Fri 22 Nov/);
  });

  test('a pending email is sent in the language that its reader has by then [LANG-07]', async () => {
    const event = await w.event(club, ada, { name: 'Regatta' });
    for (const { api } of [bob, cyd]) await api.answers.answer({ event: event.id, answer: 'maybe' });
    await ada.api.events.edit({
      event: event.id,
      club: club.id,
      location_name: 'Hall',
      reason: 'weather',
      words: 'Storm',
    });
    const pending = sql`select from notice_emails where kind = 'event_updated' and sent_at is null`;
    await expect.poll(() => all(w.db, pending)).toHaveLength(2);
    await setLanguage(bob, 'en');
    await setLanguage(cyd, 'de');
    await w.hurry();
    const english = await emailTo(bob.email, 'Was: Pier 3\nNow: Hall');
    expect(english.subject).toMatch(/^Moved: Regatta, \w{3} \d+ \w{3}.* → Hall$/);
    expect(english.text).toContain('Ada moved “Regatta” to Hall. Weather: Storm.');
    const german = await emailTo(cyd.email, 'Bisher: Pier 3\nJetzt: Hall');
    expect(german.subject).toMatch(/^Verlegt: Regatta, \w{2}\., \d+\. .* → Hall$/);
    expect(german.text).toContain('Ada hat „Regatta“ verlegt. Neuer Ort: Hall. Wetter: Storm.');
    expect([htmlLanguage(english), htmlLanguage(german)]).toEqual(['en', 'de']);
  });

  test('about a change of the address is in the language of the account [LANG-07]', async () => {
    const next = `new-${bob.email}`;
    await bob.api.auth.sendCode({ purpose: 'email_change' });
    const code = codeIn(await emailTo(bob.email, 'Mit diesem Code'));
    await bob.api.users.update({ email: next, code });
    expect(htmlLanguage(await emailTo(bob.email, `in ${next} zu ändern`))).toBe('de');
    const confirmation = await emailTo(next, 'Du möchtest');
    expect(confirmation.subject).toBe('Bestätige deine neue E-Mail-Adresse für Muster');
    await bob.api.users.confirmEmail({ code: codeIn(confirmation) });
    const done = await emailTo(bob.email, 'Rückgängig machen');
    expect(done.subject).toBe('Deine E-Mail-Adresse für Muster wurde geändert');
    const token = /token=([^\s"]+)/.exec(done.text ?? '')?.[1] ?? '';
    await w.anyone.users.revertEmail({ token: decodeURIComponent(token) });
    expect((await emailTo(next, 'zurückgesetzt')).subject).toContain('Muster wurde zurückgesetzt');
  });
});

describe('email with a login code', () => {
  test('is in the language of a known account, whatever the request accepts [LANG-08]', async () => {
    await requestCode(bob.email, 'en');
    await requestCode(cyd.email, 'de');
    const german = await emailTo(bob.email, 'einmal');
    expect(german.subject).toMatch(/^[A-Z\d]{6} ist dein Code für Muster$/);
    expect(htmlLanguage(german)).toBe('de');
    const english = await emailTo(cyd.email, 'It works once');
    expect(english.subject).toMatch(/^[A-Z\d]{6} is your Muster code$/);
    expect(htmlLanguage(english)).toBe('en');
  });

  test('is in the language of the request for an unknown address [LANG-08]', async () => {
    const languages = ['de-AT,de;q=0.9,en;q=0.8', 'fr', 'en'];
    for (const [nth, accepted] of languages.entries())
      await requestCode(`unknown-${nth}-${bob.email}`, accepted);
    const sent = await Promise.all(
      languages.map((_, nth) => emailTo(`unknown-${nth}-${bob.email}`, 'Muster')),
    );
    expect(sent.map(htmlLanguage)).toEqual(['de', 'en', 'en']);
    expect(sent[0]?.text).toContain('Mit diesem Code');
  });

  test('the email to a former address is in the language of the account for which it is reserved [LANG-08]', async () => {
    const former = `former-${bob.email}`;
    await run(
      w.db,
      sql`insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
          values (gen_random_uuid(), ${bob.id}, ${former}, ${bob.email}, now(), now(), now(), now() + interval '1 day')`,
    );
    await requestCode(former, 'en');
    expect((await emailTo(former, 'Muster')).subject).toBe(
      'Das ist nicht mehr deine E-Mail-Adresse für Muster',
    );
  });
});

describe('first login', () => {
  test.each([
    ['fr, de-AT;q=0.9, en;q=0.8', 'de'],
    ['fr, es', 'en'],
    ['*', 'en'],
  ])('with Accept-Language %j stores %s [LANG-03]', async (accepted, language) => {
    const email = `${language}-${bob.email}`;
    await logIn(email, accepted);
    expect(await languageOf(email)).toBe(language);
  });

  test('later logins keep the language [LANG-03]', async () => {
    const email = `later-${bob.email}`;
    await logIn(email, 'de');
    w.later('2 minutes');
    await logIn(email, 'en');
    expect(await languageOf(email)).toBe('de');
  });
});

async function openSocket({ session }: Person): Promise<WebSocket> {
  const token = encodeURIComponent(session.read()?.AccessToken.Token ?? '');
  const socket = new WebSocket(`${w.origin.replace(/^http/, 'ws')}${livePath}?token=${token}`);
  await once(socket, 'open');
  return socket;
}

describe('bell', () => {
  test('each reader sees messages in their language, and after a change all in the new one [LANG-09]', async () => {
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    const event = await w.event(club, ada, { name: 'Regatta' });
    for (const { api } of [bob, cyd]) await api.answers.answer({ event: event.id, answer: 'maybe' });
    await ada.api.answers.answerFor({ event: event.id, user: bob.id, answer: 'no' });
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    const german = [
      'Ada hat deine Rolle bei Harbour Rowers geändert. Deine neue Rolle: Admin.',
      'Ada hat bei „Regatta“ für dich geantwortet: Du bist nicht dabei.',
      'Ada hat für Harbour Rowers den Termin „Regatta“ geplant.',
      'Ada hat für Harbour Rowers eine Neuigkeit veröffentlicht.',
    ];
    await expect.poll(() => bellOf(bob)).toEqual(german);
    expect(await bellOf(cyd)).toEqual([
      'Ada planned “Regatta” in Harbour Rowers.',
      'Ada published an update in Harbour Rowers.',
    ]);
    await bob.api.users.update({ language: 'en' });
    expect(await bellOf(bob)).toEqual([
      'Ada made you an admin of Harbour Rowers.',
      'Ada put you down as not going to “Regatta”.',
      'Ada planned “Regatta” in Harbour Rowers.',
      'Ada published an update in Harbour Rowers.',
    ]);
    await bob.api.users.update({ language: 'de' });
    expect(await bellOf(bob)).toEqual(german);
  });

  test('live messages about one update are in the language of each reader [LANG-09]', async () => {
    const sockets = await Promise.all([bob, cyd].map(openSocket));
    const messages = Promise.all(
      sockets.map(async (socket) => {
        const [data] = (await once(socket, 'message')) as [Buffer];
        return (JSON.parse(data.toString()) as { message: string }).message;
      }),
    );
    await ada.api.updates.publish({ club: club.id, content: 'Boats are back' });
    expect(await messages).toEqual([
      'Ada hat für Harbour Rowers eine Neuigkeit veröffentlicht.',
      'Ada published an update in Harbour Rowers.',
    ]);
    for (const socket of sockets) socket.terminate();
  });
});

test('shared responses do not depend on the language that a request accepts [LANG-03]', async () => {
  const { id } = await w.event(club, ada);
  const { ical_feed_url_id: secret } = await bob.api.clubs.get({ club: club.id });
  const token = bob.session.read()?.AccessToken.Token;
  for (const path of [
    `/v1/clubs/${club.slug}`,
    `/v1/events/${id}`,
    `/v1/updates/${club.id}`,
    '/v1/users/events',
    '/v1/users/clubs/events',
    `/v1/clubs/${club.id}/ical/${secret}/calendar.ics`,
  ]) {
    const [first, ...others] = await Promise.all(
      ['de', 'en', 'fr;q=0.1'].map(async (accepted) => {
        const endpoint = { method: 'GET', path } as const;
        const { status, headers, text } = await ask(w.origin, endpoint, {}, token, {
          'accept-language': accepted,
        });
        return { status, text, etag: headers.get('etag'), vary: headers.get('vary') };
      }),
    );
    expect(first?.status).toBe(200);
    expect(first?.vary ?? '').not.toMatch(/accept-language/i);
    for (const other of others) expect(other).toEqual(first);
  }
});
