import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { first, run, sql } from '#platform/db/client.ts';
import { signed } from '#platform/token.ts';
import { contracts } from '#features/contracts.ts';
import { LinkedAnswer } from '#features/events/answers/contract.ts';
import { remindAttendees } from '#features/events/store.ts';
import { answerToken } from '#features/events/mail.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import type { Instant } from '#wire/instant.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf } from '#test/calls.ts';
import { openDatabaseSnapshot } from '#test/database-snapshot.ts';
import { codeIn, isolatedWorld, world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let cyd: Person;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
  club = await w.club([ada, bob, cyd]);
});
// Otherwise the emails of several tests would exceed the hourly limit of their kind and be collected into one.
beforeEach(() => run(w.db, sql`delete from notice_emails`));
afterAll(() => w[Symbol.asyncDispose]());

const apiError = (status: number, error: string) => expect.objectContaining({ status, error });

/** The token of a person's answer links for an event. Valid only if the person is a member of the event's club. */
async function tokenOf(person: Person, event_id: string, on = w): Promise<string> {
  const row = await first(
    on.db,
    sql<{ answer_key: string }>`
      select m.answer_key from members m join events e on e.owner_club_id = m.club_id
      where e.id = ${event_id} and m.user_id = ${person.id}`,
  );
  return answerToken(on.config, { user_id: person.id, event_id, answer_key: row?.answer_key ?? '' });
}

const { ofLink, answerByLink } = contracts.answers;
const look = (token: string, on = w) => on.anyone.answers.ofLink({ token });
const answer = (token: string, choice: 'going' | 'maybe' | 'no', guests?: number) =>
  w.anyone.answers.answerByLink({ token, answer: choice, guests });
/** The outcomes of opening a link and of answering with it. */
const outcomes = (token: string) => Promise.all([outcomeOf(look(token)), outcomeOf(answer(token, 'no'))]);
const takeBack = (token: string, { undo }: { undo: string | null }) =>
  w.anyone.answers.answerByLink({ token, undo: undo ?? '' });

const stored = (person: Person, event: string) =>
  first(
    w.db,
    sql<{ answer: string; guests: number; via: string; answered_at: Instant }>`
      select answer, guests, via, answered_at from answers where event_id = ${event} and user_id = ${person.id}`,
  );

/** An event and Bob's token for it. */
async function eventWithLink(input: Parameters<World['event']>[2] = {}) {
  await run(w.db, sql`delete from rate_limits`);
  const event = await w.event(club, ada, input);
  return { ...event, token: await tokenOf(bob, event.id) };
}

/** `close` moves the cut-off of an event into the past, `end` its start and end. */
const close = (id: string) =>
  run(w.db, sql`update events set entry_until_time = now() - interval '1 minute' where id = ${id}`);
const end = (id: string) =>
  run(
    w.db,
    sql`update events set start_time = now() - interval '2 h', end_time = now() - interval '1 h' where id = ${id}`,
  );

test("answer link: shows the event and the member's own answer, and nothing about other people [LINK-03]", async () => {
  const { id, slug, token } = await eventWithLink({ guests_max: 2, details: 'The code is 4711' });
  await bob.api.answers.answer({ event: id, answer: 'going', guests: 1, note: 'By bike' });
  await cyd.api.answers.answer({ event: id, answer: 'maybe', note: 'Perhaps' });
  const shown = await look(token);
  expect(Object.keys(shown).toSorted()).toEqual(Object.keys(LinkedAnswer.shape).toSorted());
  expect(shown).toMatchObject({
    slug,
    name: 'Tuesday run',
    club_name: 'Harbour Rowers',
    location_name: 'Pier 3',
    first_name: 'Bob',
    my_answer: 'going',
    my_guests: 1,
    choices: ['going', 'maybe', 'no'],
    guests_max: 2,
    closed: false,
  });
  expect(JSON.stringify(shown)).not.toMatch(/4711|bike|Perhaps|Cyd|Ada|@/);
});

test('answer link: opening it by the API or the page, with GET or HEAD, changes nothing [LINK-02]', async () => {
  const { token } = await eventWithLink();
  const before = await openDatabaseSnapshot(w.db);
  const state = await before.state();
  for (const path of [
    `/api/v1/answer-links/${token}`,
    `/answer/${token}?a=going`,
    `/answer/${token}?answer=going&saved=&undo=x`,
  ])
    for (const method of ['GET', 'HEAD', 'GET'])
      await fetch(w.origin + path, { method }).then((response) => response.arrayBuffer());
  expect(await before.state()).toBe(state);
  await run(w.db, sql`drop schema kept cascade`);
});

/** Opens the page of a link, as a browser without scripts does. */
const open = async (token: string, query = '', init: RequestInit = {}, on = w) => {
  const response = await fetch(`${on.origin}/answer/${token}${query}`, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, page: await response.text() };
};
/** Sends a form of the page. Its origin is null, because the page sends no referrer. */
const submit = (token: string, fields: Record<string, string>, on = w) => {
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' };
  return open(token, '?a=no', { method: 'POST', headers, body: new URLSearchParams(fields) }, on);
};
/** Follows the redirect after a form was saved. */
async function submitted(token: string, fields: Record<string, string>) {
  const { status, headers, page } = await submit(token, fields);
  const location = headers.get('location') ?? '';
  expect({ status, page }).toEqual({ status: 303, page: '' });
  const undo = new URLSearchParams(location).get('undo');
  return { location, undo, ...(await open(token, location)) };
}
const textsIn = (page: string) =>
  page
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll('&#x27;', "'")
    .replaceAll(/\s*\n\s*/g, '\n');

test('answer link: the page is neither cached nor indexed, sends no referrer and does not contain the token [LINK-03]', async () => {
  const { token } = await eventWithLink();
  const { undo } = await submitted(token, { answer: 'maybe' });
  const responses = [
    await open(token, '?a=no'),
    await open(token, `?saved=&undo=${undo}`),
    await open(`${token}x`),
    await submit(token, { answer: 'going', guests: '9' }),
    await submit(token, { answer: 'going' }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 400, 303]);
  for (const { headers, page } of responses) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(page + JSON.stringify([...headers])).not.toContain(token);
  }
  for (const { headers, page } of responses.slice(0, -1)) {
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(page).toContain('<meta name="robots" content="noindex" />');
    // The page has nothing that a scanner would run or follow.
    expect(page).not.toMatch(/<script|http-equiv|method="get"/);
  }
});

test("answer link: the page's form saves the answer, the page then shows it, and a reload saves nothing [LINK-02 LINK-04]", async () => {
  const { id, slug, token } = await eventWithLink({ guests_max: 2 });
  const { page } = await open(token, '?a=going');
  expect(page).toMatch(/ checked="" value="going"/);
  expect(page.match(/ checked=""/g)).toHaveLength(1);
  const first = await submitted(token, { answer: 'going', guests: '2' });
  expect(await stored(bob, id)).toMatchObject({ answer: 'going', guests: 2, via: 'link' });
  const saved = await stored(bob, id);
  for (const shown of [first.page, (await open(token, first.location)).page]) {
    expect(textsIn(shown)).toMatch(/\nYou're going to Tuesday run, .*, with 2 guests\.\nUndo\n/);
    expect(shown).toContain(`href="/app/events/${slug}"`);
  }
  expect(await stored(bob, id)).toEqual(saved);
});

test('answer link: the page is in the language and clock of its member, whatever the browser prefers [LANG-06 LINK-03]', async () => {
  const { token } = await eventWithLink({ time_zone: 'Europe/Berlin' });
  await bob.api.users.update({ language: 'de', clock: '12', time_zone: 'Asia/Tokyo' });
  const headers = { 'accept-language': 'en' };
  const pages = [
    await open(token, '?a=going&lang=en', { headers }),
    await submit(token, { answer: 'going', guests: '9' }),
  ];
  await bob.api.users.update({ language: 'en', clock: 'auto', time_zone: null });
  for (const { page, headers: sent } of pages) {
    expect([/<html lang="(\w+)">/.exec(page)?.[1], sent.get('content-language')]).toEqual(['de', 'de']);
    expect(textsIn(page)).toContain('Bob, kommst du?');
    expect(textsIn(page)).toMatch(/\d:\d\d\s[AP]M bis /);
  }
  expect(textsIn(pages[1]?.page ?? '')).toContain('Deine Antwort wurde nicht gespeichert. ');
  const shown = await open(token, '', { headers: { 'accept-language': 'de' } });
  expect(shown.page).toContain('<html lang="en">');
  expect(shown.page).toContain('<title>Your answer</title>');
  expect(textsIn(shown.page)).toContain('Bob, are you coming?');
  // Nobody knows whose link this is.
  const unknown = await open(`${token}x`, '', { headers: { 'accept-language': 'de' } });
  expect(textsIn(unknown.page)).toContain('Dieser Link funktioniert nicht mehr');
});

/** A series of Ada's with three dates, and the token of Bob's links to the first one. */
async function seriesWithLink(input: { guests_max?: number } = {}) {
  await run(w.db, sql`delete from rate_limits`);
  const weekday = new Date(Date.parse(w.now()) + 86_400_000).getUTCDay() || 7;
  const { id } = await ada.api.series.plan({
    club: club.id,
    name: 'Tuesday run',
    location_name: 'Pier 3',
    freq: 'weekly',
    weekdays: [weekday],
    local_time: '19:00',
    minutes: 90,
    starts_on: w.now().slice(0, 10),
    count: 3,
    ...input,
  });
  const ofBob = async () => {
    const { my_standing, events } = await bob.api.series.get({ series: id });
    return { my_standing, answers: events.map(({ my_answer }) => my_answer) };
  };
  const { events } = await bob.api.series.get({ series: id });
  const [first, second] = events.map((event) => ({ id: event.id })) as [{ id: string }, { id: string }];
  return { id, first, second, ofBob, token: await tokenOf(bob, first.id) };
}

test('answer link: `every` gives the standing answer to the series, and undo takes it back [LINK-01 LINK-04 HOSTUX-09]', async () => {
  const { token, second, ofBob } = await seriesWithLink({ guests_max: 2 });
  await bob.api.answers.answer({ event: second.id, answer: 'no' });
  const { page } = await open(token, '?a=every');
  expect(page).toMatch(/ checked="" value="every"/);
  expect(textsIn(page)).toMatch(/\nEvery \w+day: going\n/);
  expect(await ofBob()).toMatchObject({ my_standing: null });
  const saved = await submitted(token, { answer: 'every', guests: '1' });
  expect(saved.location).toContain('saved=every');
  expect(textsIn(saved.page)).toMatch(
    /You're going to Tuesday run, every \w+day, until you change it\.\nUndo/,
  );
  expect(saved.page).not.toContain('value="every"');
  expect(await ofBob()).toEqual({
    my_standing: { answer: 'going', guests: 1, dates: 2 },
    answers: ['going', 'no', 'going'],
  });
  const back = await submitted(token, { undo: saved.undo ?? '' });
  expect(textsIn(back.page)).toContain("Taken back. You haven't answered yet.");
  expect(await ofBob()).toEqual({ my_standing: null, answers: [null, 'no', null] });
  expect((await submit(token, { undo: saved.undo ?? '' })).status).toBe(412);
});

test('answer link: undo restores the standing answer of before, but only within a minute [LINK-05]', async () => {
  const { id, token, ofBob } = await seriesWithLink();
  await bob.api.series.standing({ series: id, answer: 'no', guests: 0 });
  const { undo } = await submitted(token, { answer: 'every' });
  expect(await ofBob()).toMatchObject({ my_standing: { answer: 'going' } });
  await submitted(token, { undo: undo ?? '' });
  expect(await ofBob()).toMatchObject({ my_standing: { answer: 'no' }, answers: ['no', 'no', 'no'] });
  const again = await submitted(token, { answer: 'every' });
  w.later('2 minutes');
  expect((await submit(token, { undo: again.undo ?? '' })).status).toBe(412);
  expect(await ofBob()).toMatchObject({ my_standing: { answer: 'going' } });
});

test('answer link: undo of `every` is refused once the standing answer has been given again, with any value [LINK-05]', async () => {
  const { id, token, ofBob } = await seriesWithLink();
  const { undo } = await submitted(token, { answer: 'every' });
  for (const answer of ['going', 'no'] as const) {
    await bob.api.series.standing({ series: id, answer, guests: 0 });
    expect((await submit(token, { undo: undo ?? '' })).status).toBe(412);
    expect(await ofBob()).toMatchObject({ my_standing: { answer } });
  }
});

test('answer link: `every` is refused for an event without a series, after the end of the series and with too many guests [LINK-08]', async () => {
  const single = await eventWithLink();
  expect((await open(single.token)).page).not.toContain('value="every"');
  expect((await submit(single.token, { answer: 'every' })).status).toBe(400);
  const { id, second, token, ofBob } = await seriesWithLink();
  expect((await submit(token, { answer: 'every', guests: '3' })).status).toBe(400);
  const { start_time } = await ada.api.events.get({ event: second.id });
  await ada.api.series.end({ series: id, from: start_time.slice(0, 10) });
  expect((await open(token)).page).not.toContain('value="every"');
  expect((await submit(token, { answer: 'every' })).status).toBe(409);
  expect(await ofBob()).toMatchObject({ my_standing: null });
});

test('answer link: a form submitted twice, even concurrently, saves once', async () => {
  const { id, token } = await eventWithLink({ guests_max: 2 });
  const fields = { answer: 'going', guests: '1' };
  const both = await Promise.all([submit(token, fields), submit(token, fields)]);
  expect(both.map(({ status }) => status)).toEqual([303, 303]);
  expect(await ada.api.events.get({ event: id })).toMatchObject({ user_count: 2, guest_count: 1 });
  const saved = await stored(bob, id);
  const { page } = await submitted(token, fields);
  expect(textsIn(page)).toContain("You're going to Tuesday run");
  expect(page).not.toContain('Undo');
  expect(await stored(bob, id)).toEqual(saved);
});

test("answer link: the page's form undoes an answer, but only once [LINK-04 LINK-05]", async () => {
  const { id, token } = await eventWithLink();
  const { undo, page } = await submitted(token, { answer: 'maybe' });
  expect(page).toContain(`name="undo" value="${undo}"`);
  const back = await submitted(token, { undo: undo ?? '' });
  expect(textsIn(back.page)).toContain("\nTaken back. You haven't answered yet.");
  expect(back.page).not.toContain('name="undo"');
  expect(await stored(bob, id)).toBeUndefined();
  const again = await submit(token, { undo: undo ?? '' });
  expect(again.status).toBe(412);
  expect(textsIn(again.page)).toContain(
    "\nYour answer wasn't taken back. It has changed since, or more than a minute has passed.\n",
  );
});

test('answer link: the page says in one sentence why nothing was saved, and still offers the choices [LINK-08 LINK-11]', async () => {
  const { id, token } = await eventWithLink({ capacity: 1, waitlist: false });
  const failed = async (fields: Record<string, string>) => {
    const { status, page } = await submit(token, fields);
    expect(page).toContain('name="answer"');
    return [status, /role="alert"[^>]*>([^<]*)</.exec(page)?.[1]?.replaceAll('&#x27;', "'")];
  };
  expect(await failed({ answer: 'going' })).toEqual([409, "Your answer wasn't saved. This event is full."]);
  const missing = "Your answer wasn't saved. Part of the request is missing or invalid.";
  const wrong: Record<string, string>[] = [{}, { answer: 'perhaps' }, { answer: 'going', guests: 'x' }];
  for (const fields of wrong) expect(await failed(fields)).toEqual([400, missing]);
  await close(id);
  expect(await failed({ answer: 'maybe' })).toEqual([
    409,
    "Your answer wasn't saved. Sign-up for this event has closed.",
  ]);
  expect((await submit(token, { answer: 'maybe' })).page).not.toMatch(/ checked=""/);
  expect(await stored(bob, id)).toBeUndefined();
  for (let nth = 0; nth < 10; nth++) await submit(token, { answer: 'no' });
  expect(await failed({ answer: 'no' })).toEqual([
    429,
    "Your answer wasn't saved. Too many requests. Wait a moment and try again.",
  ]);
});

test('answer link: when opened and when its form is submitted, the page explains that the link is invalid or the event over or cancelled [LINK-07 LINK-11]', async () => {
  const [over, cancelled] = [await eventWithLink(), await eventWithLink()];
  await end(over.id);
  await ada.api.events.cancel({ event: cancelled.id });
  for (const [token, status, title] of [
    ['A'.repeat(64), 404, "This link doesn't work any more"],
    ['%00', 400, "This link doesn't work any more"],
    [over.token, 409, 'This event is over'],
    [cancelled.token, 409, 'This event has been cancelled'],
  ] as const)
    for (const response of [await open(token), await submit(token, { answer: 'no' })]) {
      expect({ token, status: response.status }).toEqual({ token, status });
      expect(textsIn(response.page)).toContain(`\n${title}\n`);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
});

test('answer link: the page accepts only a small URL-encoded form', async () => {
  const { id, token } = await eventWithLink();
  const send = async (type: string, body: string) => {
    const headers = { 'content-type': type };
    return (await open(token, '', { method: 'POST', headers, body })).status;
  };
  expect(await send('application/json', '{"answer":"no"}')).toBe(415);
  expect(await send('text/plain', 'answer=no')).toBe(415);
  expect(await send('multipart/form-data; boundary=x', '--x--')).toBe(415);
  expect(await send('application/x-www-form-urlencoded', `answer=no&x=${'x'.repeat(3000)}`)).toBe(413);
  expect(await send('application/x-www-form-urlencoded', 'answer=no&answer=maybe')).toBe(303);
  expect(await stored(bob, id)).toMatchObject({ answer: 'maybe' });
});

test('answer link: an answer by link is saved like one in the app, and repeating it changes nothing', async () => {
  const { id, token } = await eventWithLink({ guests_max: 2 });
  expect(await answer(token, 'going', 2)).toMatchObject({
    my_answer: 'going',
    my_guests: 2,
    my_role: 'attendee',
  });
  const saved = await stored(bob, id);
  expect(saved).toMatchObject({ answer: 'going', guests: 2, via: 'link' });
  expect(await answer(token, 'going')).toMatchObject({ my_answer: 'going', my_guests: 2, undo: null });
  expect(await stored(bob, id)).toEqual(saved);
  expect(await ada.api.events.get({ event: id })).toMatchObject({ user_count: 2, guest_count: 2 });
  expect((await ada.api.answers.list({ event: id })).answers).toContainEqual(
    expect.objectContaining({ id: bob.id, via: 'link', answered_by: null }),
  );
  expect(await answer(token, 'no')).toMatchObject({ my_answer: 'no', my_guests: 0, my_role: null });
});

test('answer link: undo restores the previous answer with its time and guests, or removes the answer if it was the first [LINK-05]', async () => {
  const { id, token } = await eventWithLink({ guests_max: 2 });
  const first = await answer(token, 'maybe', 1);
  expect(await takeBack(token, first)).toMatchObject({ my_answer: null, my_guests: 0, undo: null });
  expect(await stored(bob, id)).toBeUndefined();
  await bob.api.answers.answer({ event: id, answer: 'going', guests: 2, note: 'By bike' });
  const before = await stored(bob, id);
  const refused = await answer(token, 'no');
  // An undo works even after the cut-off, when the member could not give that answer again.
  await close(id);
  expect(await takeBack(token, refused)).toMatchObject({ my_answer: 'going', my_guests: 2, closed: true });
  expect(await stored(bob, id)).toEqual({ ...before, via: 'link' });
  expect((await bob.api.events.get({ event: id })).my_note).toBe('By bike');
  await expect(answer(token, 'maybe')).rejects.toEqual(apiError(409, 'event_closed'));
});

test('answer link: undo is refused with another link, with a modified undo token, after a minute and after a newer answer', async () => {
  const { id, token } = await eventWithLink();
  const given = await answer(token, 'going');
  const other = await eventWithLink();
  await expect(takeBack(other.token, given)).rejects.toEqual(apiError(404, 'not_found'));
  await expect(takeBack(token, { undo: `${given.undo}x` })).rejects.toEqual(apiError(404, 'not_found'));
  await expect(takeBack(await tokenOf(cyd, id), given)).rejects.toEqual(apiError(404, 'not_found'));
  await bob.api.answers.answer({ event: id, answer: 'maybe' });
  await expect(takeBack(token, given)).rejects.toEqual(apiError(412, 'changed_meanwhile'));
  const again = await answer(token, 'going');
  const [, ...parts] = ['undo-answer', ...(again.undo ?? '').split('.').slice(0, -1)] as [
    string,
    ...string[],
  ];
  const expired = parts.with(2, String(Number(parts[2]) - 61_000));
  const undo = signed(w.config.secretKey, 'undo-answer', ...expired);
  await expect(takeBack(token, { undo })).rejects.toEqual(apiError(412, 'changed_meanwhile'));
  expect(await stored(bob, id)).toMatchObject({ answer: 'going' });
});

const anyAnswer = {
  answer: fc.constantFrom('going' as const, 'maybe' as const, 'no' as const),
  guests: fc.integer({ min: 0, max: 2 }),
};
const anyStep = fc.record({
  by: fc.constantFrom('app' as const, 'link' as const, 'host' as const),
  ...anyAnswer,
});

test('answer link: undo is refused once the answer has changed, even if it was changed back [LINK-05 C21]', async () => {
  const property = fc.asyncProperty(
    fc.option(fc.record(anyAnswer)),
    fc.record(anyAnswer),
    fc.array(anyStep, { maxLength: 3 }),
    async (before, linked, steps) => {
      const { id, token } = await eventWithLink({ guests_max: 2 });
      if (before) await bob.api.answers.answer({ event: id, ...before });
      const given = await answer(token, linked.answer, linked.guests);
      if (!given.undo) return;
      const give = {
        app: (input: typeof linked) => bob.api.answers.answer({ event: id, ...input }),
        link: (input: typeof linked) => answer(token, input.answer, input.guests),
        host: (input: typeof linked) => ada.api.answers.answerFor({ event: id, user: bob.id, ...input }),
      };
      const shown = async () => {
        const { my_answer, my_guests } = await bob.api.events.get({ event: id });
        return `${my_answer} ${my_guests}`;
      };
      const states = [await shown()];
      // The last step gives the same answer as the link.
      for (const { by, ...input } of steps.length > 0 ? [...steps, { by: 'app' as const, ...linked }] : []) {
        await give[by](input);
        states.push(await shown());
      }
      expect(states.at(-1)).toBe(states[0]);
      const isChanged = new Set(states).size > 1;
      expect(await outcomeOf(takeBack(token, given))).toBe(isChanged ? '412 changed_meanwhile' : 'ok');
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

/** The beginning of a token, which holds both ids. */
const idsOf = (user: string, event: string) =>
  Buffer.from((user + event).replaceAll('-', ''), 'hex')
    .toString('base64url')
    .slice(0, 42);

test('answer link: the token contains a 128-bit digest and is stored nowhere; a modified token gets the same 404 as an unknown one [LINK-06]', async () => {
  const { id, token } = await eventWithLink();
  const other = await eventWithLink();
  const snapshot = await openDatabaseSnapshot(w.db);
  expect(Buffer.from(token, 'base64url')).toHaveLength(16 + 16 + 128 / 8);
  await answer(token, 'going');
  expect(await snapshot.rowsWith(token, token.slice(43))).toEqual([]);
  await run(w.db, sql`drop schema kept cascade`);
  const at = (nth: number) => token.slice(0, nth) + (token[nth] === 'A' ? 'B' : 'A') + token.slice(nth + 1);
  const wrong = [
    ...Array.from(token, (_, nth) => at(nth)),
    idsOf(bob.id, other.id) + token.slice(42),
    idsOf(cyd.id, id) + token.slice(42),
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    'x',
    randomUUID(),
    answerToken(w.config, { user_id: bob.id, event_id: id, answer_key: '' }),
  ];
  const unknown = await ask(w.origin, ofLink, { token: 'A'.repeat(64) });
  for (const each of wrong)
    for (const call of [ofLink, answerByLink]) {
      const { status, text } = await ask(w.origin, call, { token: each, answer: 'no' });
      expect({ each, status, text }).toEqual({ each, status: 404, text: unknown.text });
    }
  expect(await stored(bob, id)).toMatchObject({ answer: 'going' });
});

test('answer link: returns 409 if the event is over or cancelled', async () => {
  const [over, cancelled] = [await eventWithLink(), await eventWithLink()];
  await end(over.id);
  await ada.api.events.cancel({ event: cancelled.id });
  for (const [{ token }, error] of [
    [over, 'event_ended'],
    [cancelled, 'event_cancelled'],
  ] as const)
    expect(await outcomes(token)).toEqual([`409 ${error}`, `409 ${error}`]);
});

test('answer link: stops working when the event is over, the membership ends, the email changes, all sessions are logged out or the member replaces the links [LINK-07]', async () => {
  const over = await eventWithLink();
  await end(over.id);
  await expect(look(over.token)).rejects.toEqual(apiError(409, 'event_ended'));

  const dan = await w.person('Dan');
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  const join = () => dan.api.invites.join({ invite: invite_link });
  const { id } = await w.event(club, ada);
  await join();
  let token = await tokenOf(dan, id);
  const renewed = async () => {
    expect(await outcomes(token)).toEqual(['404 not_found', '404 not_found']);
    token = await tokenOf(dan, id);
    expect(await look(token)).toMatchObject({ first_name: 'Dan' });
  };
  await dan.api.auth.sendCode({ purpose: 'email_change' });
  await dan.api.users.update({ last_name: 'Stone' });
  expect(await look(token)).toMatchObject({ first_name: 'Dan' });

  await dan.api.members.leave({ club: club.id });
  await expect(look(token)).rejects.toEqual(apiError(404, 'not_found'));
  await join();
  await renewed();

  await dan.api.answers.replaceLinks({});
  await renewed();

  const next = `next-${dan.email}`;
  await dan.api.users.update({ email: next, code: codeIn(await w.mail(dan.email)) });
  expect(await look(token)).toMatchObject({ first_name: 'Dan' });
  const code = /email_code=([\w-]+)/.exec((await w.mail(next)).text ?? '')?.[1] ?? '';
  await dan.api.users.confirmEmail({ code });
  await renewed();
  const revert = /revert-email\?token=(\S+)/.exec((await w.mail(dan.email, 1)).text ?? '')?.[1] ?? '';
  await w.anyone.users.revertEmail({ token: decodeURIComponent(revert) });
  await renewed();

  await dan.api.auth.login({ email: dan.email });
  dan.session.write(await w.anyone.auth.confirm({ email: dan.email, code: codeIn(await newest(dan.email)) }));
  await dan.api.auth.logout({});
  expect(await look(token)).toMatchObject({ first_name: 'Dan' });
  await dan.api.auth.login({ email: dan.email });
  dan.session.write(await w.anyone.auth.confirm({ email: dan.email, code: codeIn(await newest(dan.email)) }));
  await dan.api.auth.logout({ all: true });
  await renewed();

  await ada.api.members.eject({ club: club.id, member: dan.id });
  await expect(look(token)).rejects.toEqual(apiError(404, 'not_found'));
  // The links of other members still work.
  expect(await look(await tokenOf(bob, id))).toMatchObject({ first_name: 'Bob' });
});

/** The newest email with a code. */
async function newest(to: string): Promise<Email> {
  await sentEmails();
  const mails = (await w.outbox()).filter(
    (mail) => mail.to?.[0]?.address === to && /\b[A-Z2-9]{6}\b/.test(mail.text ?? ''),
  );
  return mails.at(-1) as Email;
}

test('answer link: the same rules apply as to answers in the app [LINK-08]', async () => {
  const { id, token } = await eventWithLink({ guests_max: 1 });
  await expect(answer(token, 'going', 2)).rejects.toEqual(apiError(400, 'too_many_guests'));
  await expect(w.anyone.answers.answerByLink({ token })).rejects.toEqual(apiError(400, 'bad_input'));
  const host = await tokenOf(ada, id);
  expect(await look(host)).toMatchObject({ my_role: 'organiser', choices: ['going'] });
  await expect(answer(host, 'no')).rejects.toEqual(apiError(400, 'host_stays'));
  await answer(token, 'going', 1);
  await close(id);
  expect(await look(token)).toMatchObject({ closed: true, choices: ['going', 'no'], guests_max: 1 });
  await expect(answer(token, 'maybe')).rejects.toEqual(apiError(409, 'event_closed'));
  expect(await answer(token, 'no')).toMatchObject({ my_answer: 'no', choices: ['no'], guests_max: 0 });
});

test('answer link: answering a full event leads to the waitlist, and so does an undo if the seat has been taken since [LINK-03 LINK-05 LINK-08]', async () => {
  const { id, token } = await eventWithLink({ capacity: 2 });
  const cydsToken = await tokenOf(cyd, id);
  expect(await answer(token, 'going')).toMatchObject({ my_answer: 'going', seats_left: 0 });
  expect(await look(cydsToken)).toMatchObject({ seats_left: 0, waiting_count: 0 });
  expect(await answer(cydsToken, 'going')).toMatchObject({ my_answer: 'waiting', my_place: 1 });
  const taken = await answer(token, 'no');
  expect(await look(cydsToken)).toMatchObject({ my_answer: 'going', my_place: null });
  expect(await takeBack(token, taken)).toMatchObject({ my_answer: 'waiting', my_place: 1, waiting_count: 1 });
  await answer(token, 'no');
  await ada.api.events.edit({ event: id, club: club.id, waitlist: false });
  expect(await look(token)).toMatchObject({ choices: ['maybe', 'no'] });
  await expect(answer(token, 'going')).rejects.toEqual(apiError(409, 'event_full'));
});

test('answer link: answers by link and in the app share one limit of ten a minute for a user and an event [LINK-08]', async () => {
  const { id, token } = await eventWithLink();
  for (let nth = 0; nth < 5; nth++) {
    await answer(token, nth % 2 ? 'no' : 'going');
    await bob.api.answers.answer({ event: id, answer: 'maybe' });
  }
  await expect(answer(token, 'no')).rejects.toEqual(apiError(429, 'too_often'));
  await expect(bob.api.answers.answer({ event: id, answer: 'no' })).rejects.toEqual(
    apiError(429, 'too_often'),
  );
  expect(await look(token)).toMatchObject({ my_answer: 'maybe' });
  await expect(answer(await tokenOf(cyd, id), 'no')).resolves.toMatchObject({ my_answer: 'no' });
});

test('answer link: after sixty wrong tokens in a minute from one address, wrong tokens get 429 and right ones still work [LINK-08]', async () => {
  await using other = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
  const host = await other.person('Host');
  const { id } = await other.event(await other.club([host]), host);
  const token = await tokenOf(host, id, other);
  const guess = (nth: number) =>
    ask(other.origin, nth % 2 ? ofLink : answerByLink, { token: 'A'.repeat(64), answer: 'no' });
  for (let nth = 0; nth < 60; nth++) expect((await guess(nth)).status).toBe(404);
  for (const nth of [0, 1]) {
    const { status, headers } = await guess(nth);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await look(token, other)).toMatchObject({ first_name: 'Host' });
  other.later('61 seconds');
  expect((await guess(0)).status).toBe(404);
});

test('answer link: each wrong token on the page counts once towards the limit of wrong tokens, and the page explains the 429 [LINK-08]', async () => {
  await using other = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
  const wrong = 'A'.repeat(64);
  const guess = (nth: number) =>
    nth % 2 ? open(wrong, '', {}, other) : submit(wrong, { answer: 'no' }, other);
  for (let nth = 0; nth < 60; nth++) expect((await guess(nth)).status).toBe(404);
  for (const nth of [0, 1]) {
    const { status, headers, page } = await guess(nth);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(textsIn(page)).toContain('\nToo many attempts\n');
  }
});

const statusOf = async (
  call: Pick<Endpoint, 'method' | 'path'>,
  input: Record<string, unknown>,
  bearer?: string,
) => (await ask(w.origin, call, input, bearer)).status;

test('answer link: its token opens nothing else, and no other token opens it [LINK-09]', async () => {
  const { id, token } = await eventWithLink();
  const { ical_feed_url_id } = await bob.api.users.me({});
  expect(await statusOf(contracts.users.me, {}, token)).toBe(401);
  expect(await statusOf(contracts.answers.answer, { event: id, answer: 'no' }, token)).toBe(401);
  for (const [call, input] of [
    [contracts.calendar.personalFeed, { secret: token }],
    [contracts.calendar.clubFeed, { club: club.id, secret: token }],
    [contracts.invites.get, { invite: token }],
    [contracts.notifications.unsubscribe, { token }],
    [contracts.users.emailChange, { token }],
    [contracts.users.revertEmail, { token }],
  ] as const)
    expect({ path: call.path, status: await statusOf(call, input) }).toEqual({
      path: call.path,
      status: 404,
    });
  expect(await statusOf(contracts.auth.refresh, { token })).toBe(401);
  const access = bob.session.read()?.AccessToken.Token ?? '';
  for (const other of [
    unsubscribeToken(w.config, bob.id, 'email_new_event'),
    ical_feed_url_id,
    access,
    bob.id,
  ])
    await expect(look(other)).rejects.toEqual(apiError(404, 'not_found'));
});

test('answer link: answers for its member even if somebody else is signed in [LINK-12]', async () => {
  const { id, token } = await eventWithLink();
  const as = cyd.session.read()?.AccessToken.Token;
  expect(JSON.parse((await ask(w.origin, ofLink, { token }, as)).text)).toMatchObject({
    data: { first_name: 'Bob' },
  });
  for (const bearer of [as, 'garbage'])
    expect((await ask(w.origin, answerByLink, { token, answer: 'maybe' }, bearer)).status).toBe(200);
  const headers = { authorization: `Bearer ${as}` };
  expect((await open(token, '', { headers })).page).toContain('Bob, are you coming?');
  const body = new URLSearchParams({ answer: 'no' });
  expect((await open(token, '', { method: 'POST', headers, body })).status).toBe(303);
  expect(await stored(bob, id)).toMatchObject({ answer: 'no' });
  expect(await stored(cyd, id)).toBeUndefined();
});

test('answer link: its token is in no log and in no notification [LINK-10]', async () => {
  const lines: string[] = [];
  await using other = await isolatedWorld(
    { LOG_LEVEL: 'debug' },
    { write: (line: string) => void lines.push(line) },
  );
  const [host, guest] = [await other.person('Host'), await other.person('Guest')];
  const home = await other.club([host, guest]);
  const { id } = await other.event(home, host);
  const mail = await other.mail(guest.email);
  const token = /\/answer\/([\w-]{64})\?a=going/.exec(mail.text ?? '')?.[1] ?? '';
  expect(token).toBe(await tokenOf(guest, id, other));
  await look(token, other);
  await other.anyone.answers.answerByLink({ token, answer: 'going' });
  const wrong = token.replace(/.{3}$/, 'AAA');
  await look(wrong, other).catch(() => {});
  for (const path of [
    `/answer/${token}?a=no`,
    `/answer/${wrong}`,
    `/answer/${token}/x`,
    `/answer/${token}?saved=&undo=${token}`,
    `/api/v1/answer-links/${token}/x`,
  ])
    await fetch(other.origin + path).then((response) => response.arrayBuffer());
  const { headers } = await submit(token, { answer: 'no' }, other);
  const undo = new URLSearchParams(headers.get('location') ?? '').get('undo') ?? '';
  expect(undo.length).toBeGreaterThan(50);
  await submit(token, { undo }, other);
  await submit(token, { undo }, other);
  expect(lines.some((line) => line.includes('/api/v1/answer-links/:token'))).toBe(true);
  expect(lines.some((line) => line.includes('/answer/:token'))).toBe(true);
  const inbox = JSON.stringify(await guest.api.notifications.list({}));
  for (const text of [...lines, inbox]) {
    expect(text).not.toContain(token.slice(0, 20));
    expect(text).not.toContain(token.slice(-20));
    expect(text).not.toContain(undo.slice(-20));
  }
});

test('log out everywhere: does not revoke the answer links of other users', async () => {
  const { id } = await eventWithLink();
  const token = await tokenOf(cyd, id);
  const eve = await w.person('Eve');
  await eve.api.auth.logout({ all: true });
  expect(await look(token)).toMatchObject({ first_name: 'Cyd' });
});

/** The emails sent so far, after all due email jobs are done. */
async function sentEmails(): Promise<Email[]> {
  const waiting = sql`
    select 1 from jobs where name in ('send_notice', 'send_email') and (run_at <= now() or attempts > 0)`;
  for (let tries = 0; tries < 400 && (await first(w.db, waiting)); tries++) await sleep(25);
  return w.outbox();
}

/** Runs `change` and returns the emails that it sends to a person. */
async function mailsAfter(person: Person, change: () => Promise<unknown>): Promise<Email[]> {
  await w.hurry();
  const earlier = (await sentEmails()).length;
  await change();
  await w.hurry();
  return (await sentEmails()).slice(earlier).filter((mail) => mail.to?.[0]?.address === person.email);
}

const subjects = (mails: readonly Email[]) => mails.map(({ subject }) => subject);
const linksIn = (mail: Email | undefined) =>
  [...(mail?.text ?? '').matchAll(/\/answer\/([\w-]{64})\?a=(\w+)/g)].map(([, token, choice]) => [
    token,
    choice,
  ]);

test('emails: each has links for the answers that its reader has not given [LINK-01]', async () => {
  let id = '';
  const created = await mailsAfter(bob, async () => ({ id } = await eventWithLink()));
  const token = await tokenOf(bob, id);
  const offered = (...choices: string[]) => choices.map((choice) => [token, choice]);
  expect(linksIn(created[0])).toEqual(offered('going', 'maybe', 'no'));
  expect(created[0]?.html).toContain(`http://muster.test/answer/${token}?a=no`);
  const attending = await mailsAfter(bob, () => bob.api.answers.attend({ event: id }));
  expect(linksIn(attending[0])).toEqual(offered('maybe', 'no'));
  const moved = await mailsAfter(bob, () =>
    ada.api.events.edit({ event: id, club: club.id, location_name: 'Pier 4' }),
  );
  expect([subjects(moved), linksIn(moved[0])]).toEqual([
    [expect.stringMatching(/^Moved: Tuesday run, .* → Pier 4$/)],
    offered('maybe', 'no'),
  ]);
  const answered = await mailsAfter(bob, () =>
    ada.api.answers.answerFor({ event: id, user: bob.id, answer: 'maybe' }),
  );
  expect(linksIn(answered.find(({ subject }) => subject?.startsWith('Maybe')))).toEqual(
    offered('going', 'no'),
  );
  await bob.api.answers.attend({ event: id });
  await run(
    w.db,
    sql`update answers set answered_at = answered_at - interval '2 days' where event_id = ${id}`,
  );
  const reminded = await mailsAfter(bob, () => remindAttendees(w.db, w.now()));
  expect(linksIn(reminded.find(({ subject }) => subject?.startsWith('Tomorrow')))).toEqual(
    offered('maybe', 'no'),
  );
});

test('emails: those to hosts and those about cancellations and past events have no answer links', async () => {
  const { id } = await eventWithLink();
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 200 });
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 0 });
  const edit = (patch: object) => cyd.api.events.edit({ event: id, club: club.id, ...patch });
  const toHost = await mailsAfter(ada, () => edit({ location_name: 'Pier 4' }));
  expect([subjects(toHost), linksIn(toHost[0])]).toEqual([
    [expect.stringMatching(/^Moved: Tuesday run, .* → Pier 4$/)],
    [],
  ]);
  await bob.api.answers.attend({ event: id });
  const past = await mailsAfter(bob, async () => {
    await end(id);
    await edit({ description: 'It was great' });
  });
  expect(linksIn(past.find(({ subject }) => subject?.startsWith('Changed: Tuesday run')))).toEqual([]);
  const other = await eventWithLink();
  await bob.api.answers.attend({ event: other.id });
  const cancelled = await mailsAfter(bob, () => ada.api.events.cancel({ event: other.id }));
  expect(linksIn(cancelled.find(({ subject }) => subject?.startsWith('Cancelled: Tuesday run')))).toEqual([]);
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 0 });
});

test("can't go: if given by link or by somebody else, the answer is confirmed by an email with links to change it [ANSWER-23]", async () => {
  const { id, token } = await eventWithLink();
  const byLink = await mailsAfter(bob, () => answer(token, 'no'));
  expect(subjects(byLink)).toEqual(["You can't go: Tuesday run"]);
  expect(byLink[0]?.text).toContain("You can't go to “Tuesday run” in Harbour Rowers.");
  expect(linksIn(byLink[0])).toEqual([
    [token, 'going'],
    [token, 'maybe'],
  ]);
  expect(byLink[0]?.attachments).toEqual([]);
  expect(await mailsAfter(bob, () => answer(token, 'no'))).toEqual([]);
  const forCyd = await mailsAfter(cyd, () =>
    ada.api.answers.answerFor({ event: id, user: cyd.id, answer: 'no' }),
  );
  expect(subjects(forCyd)).toEqual(["You can't go: Tuesday run"]);
  expect(linksIn(forCyd[0]).map(([, choice]) => choice)).toEqual(['going', 'maybe']);
  const inApp = await eventWithLink();
  expect(await mailsAfter(bob, () => bob.api.answers.unattend({ event: inApp.id }))).toEqual([]);
});

test("can't go: one email withdraws a calendar file that was mailed before [ANSWER-23]", async () => {
  for (const refuse of [
    ({ token }: { token: string; id: string }) => answer(token, 'no'),
    ({ id }: { token: string; id: string }) => bob.api.answers.unattend({ event: id }),
  ]) {
    const event = await eventWithLink();
    const sent = await mailsAfter(bob, () => bob.api.answers.attend({ event: event.id }));
    expect(sent[0]?.attachments).toHaveLength(1);
    const mails = await mailsAfter(bob, () => refuse(event));
    expect(mails).toHaveLength(1);
    const [file] = mails[0]?.attachments ?? [];
    expect(new TextDecoder().decode(file?.content as ArrayBuffer)).toContain('STATUS:CANCELLED');
  }
});

test("can't go: if the answer is taken back within a minute, no email is sent and the calendar file stays", async () => {
  const { id, token } = await eventWithLink();
  const mails = await mailsAfter(bob, async () => takeBack(token, await answer(token, 'no')));
  expect(mails).toEqual([]);
  await mailsAfter(bob, () => bob.api.answers.attend({ event: id }));
  const back = await mailsAfter(bob, async () => takeBack(token, await answer(token, 'no')));
  expect(subjects(back)).toEqual([expect.stringMatching(/^You're going: Tuesday run/)]);
  expect(new TextDecoder().decode(back[0]?.attachments[0]?.content as ArrayBuffer)).toContain(
    'STATUS:CONFIRMED',
  );
});
