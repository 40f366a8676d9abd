import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import { addSeconds } from '#wire/instant.ts';
import { openMailServer } from '#test/mail-server.ts';
import { isolatedWorld, type ClubHandle, type Person, type World } from '#test/world.ts';

/** The replies to `RCPT TO`, by recipient. All others are accepted. */
const replies = new Map<string, string>();

let smtp: Awaited<ReturnType<typeof openMailServer>>;
let w: World;
let ada: Person;
let club: ClubHandle;
let event: string;
let people: Person[];

beforeAll(async () => {
  smtp = await openMailServer(() => {}, {
    refuse: (command, recipient = '') => (command === 'RCPT' ? replies.get(recipient) : undefined),
  });
  w = await isolatedWorld({ SMTP_URL: smtp.url });
  ada = await w.person('Ada');
  people = [];
  for (let n = 0; n < 31; n++) people.push(await w.person(`P${String(n).padStart(2, '0')}`));
  club = await w.club([ada, ...people]);
  event = (await w.event(club, ada, { startsIn: 72 })).id;
  for (const { api } of people) await api.answers.answer({ event, answer: 'going' });
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await smtp.close();
});

/** Waits until no email is being sent and none is due. */
async function untilSent(): Promise<void> {
  await w.hurry();
  const busy = sql`
    select from jobs where name in ('send_notice', 'send_email', 'continue_notices')
      and (run_at <= now() and attempts < max_attempts or locked_until > now())`;
  await expect.poll(() => all(w.db, busy), { timeout: 60_000 }).toEqual([]);
}

const at = (...numbers: number[]) => numbers.map((n) => people[n] as Person);

/** The numbers and the names on the page of the event. */
async function card() {
  const { reach } = await ada.api.events.get({ event });
  const { all: n, reached, by, missing } = reach ?? {};
  const { answers } = await ada.api.answers.list({ event, state: 'unreached' });
  const names = answers.map(({ first_name, why }) => `${first_name} ${why}`);
  if (missing)
    expect(missing.map(({ first_name, why }) => `${first_name} ${why}`)).toEqual(names.slice(0, 5));
  return { reached: `${reached} of ${n}`, by, names };
}

const google = { 'user-agent': 'Google-Calendar-Importer' };
/** Fetches the feed of the club of a person, or else the personal feed, as a calendar app does. */
async function fetchFeed({ api }: Person, ofClub: boolean): Promise<void> {
  const secret = async () => (await api.clubs.get({ club: club.id })).ical_feed_url_id;
  const path = ofClub
    ? `/api/v1/clubs/${club.id}/ical/${await secret()}/calendar.ics`
    : `/api/v1/users/${(await api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
  expect((await fetch(w.origin + path, { headers: google })).status).toBe(200);
}

async function opensBell({ api }: Person): Promise<void> {
  for (const { id, seen_at } of await api.notifications.list({}))
    if (seen_at === null) await api.notifications.seen({ id });
}

test('31 people, 2 refused and 3 deferred emails, 10 calendars: numbers and names are exact after each step [KNOW-16]', async () => {
  await untilSent();
  w.later('1 minute');
  for (const { email } of at(0, 1)) replies.set(email, '550 5.1.1 Unknown');
  for (const { email } of at(2, 3, 4)) replies.set(email, '450 4.2.1 Greylisted');
  const nobody = { answered: 0, seen: 0, calendar: 0, push: 0, email: 0 };

  await ada.api.events.edit({
    event,
    club: club.id,
    start_time: addSeconds(w.now(), 80 * 3600),
    ask_again: true,
  });
  expect(await card()).toMatchObject({ reached: '0 of 31', by: nobody });
  expect((await card()).names).toHaveLength(31);
  expect((await ada.api.events.get({ event })).reach?.missing).toBeNull();

  await untilSent();
  w.later('10 minutes');
  expect(await card()).toEqual({
    reached: '26 of 31',
    by: { ...nobody, email: 26 },
    names: ['P00 not_delivered', 'P01 not_delivered', 'P02 on_its_way', 'P03 on_its_way', 'P04 on_its_way'],
  });

  for (const [n, person] of at(1, 2, 5, 6, 7, 8, 9, 10, 11, 12).entries())
    await fetchFeed(person, n % 2 === 0);
  await w.writeFetches();
  expect(await card()).toEqual({
    reached: '28 of 31',
    by: { ...nobody, calendar: 10, email: 18 },
    names: ['P00 not_delivered', 'P03 on_its_way', 'P04 on_its_way'],
  });

  for (const person of at(3, 12, 13, 14)) await opensBell(person);
  for (const { api } of at(15)) await api.notifications.clear({});
  expect(await card()).toEqual({
    reached: '29 of 31',
    by: { ...nobody, seen: 5, calendar: 9, email: 15 },
    names: ['P00 not_delivered', 'P04 on_its_way'],
  });

  for (const { api } of at(0, 3, 5, 13, 16, 17)) await api.answers.answer({ event, answer: 'going' });
  expect(await card()).toEqual({
    reached: '30 of 31',
    by: { answered: 6, seen: 3, calendar: 8, push: 0, email: 13 },
    names: ['P04 on_its_way'],
  });

  replies.clear();
  await untilSent();
  expect(await card()).toEqual({
    reached: '31 of 31',
    by: { answered: 6, seen: 3, calendar: 8, push: 0, email: 14 },
    names: [],
  });
}, 120_000);
