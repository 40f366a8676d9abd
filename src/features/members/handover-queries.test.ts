import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { settingNames } from '#features/notifications/settings-contract.ts';
import type { Afterwards } from '#features/members/handover-contract.ts';
import { shortDay } from '#wire/format.ts';
import { addSeconds } from '#wire/instant.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { codeFor } from '#test/races/people.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let ada: Person;
let ben: Person;
let mia: Person;
let olga: Person;
let zoe: Person;
let club: ClubHandle;
beforeAll(async () => {
  w = await world();
});
afterAll(() => w[Symbol.asyncDispose]());

/** Ada and Ben are admins of the club, Olga is an organiser, Mia a member, and Zoe is not in it. */
beforeEach(async () => {
  [ada, ben, mia] = [await w.person('Ada'), await w.person('Ben'), await w.person('Mia')];
  [olga, zoe] = [await w.person('Olga'), await w.person('Zoe')];
  club = await w.club([ada, ben, olga, mia]);
  await ada.api.members.changeRole({ club: club.id, member: ben.id, role: 200 });
  await ada.api.members.changeRole({ club: club.id, member: olga.id, role: 100 });
  await emails(olga);
  await run(w.db, sql`delete from notices`);
  await run(w.db, sql`delete from club_log`);
});

const offer = (to: Person = mia, afterwards: Afterwards = 'stay', by: Person = ada) =>
  by.api.members.offerHandover({ club: club.id, user_id: to.id, afterwards });
const accept = (by: Person = mia, from: Person = ada) =>
  by.api.members.acceptHandover({ club: club.id, from: from.id });
const decline = (by: Person = mia, from: Person = ada) =>
  by.api.members.declineHandover({ club: club.id, from: from.id });
const offerSeenBy = async ({ api }: Person) => (await api.clubs.get({ club: club.id })).handover;
const bellOf = async ({ api }: Person) => (await api.notifications.list({})).map(({ message }) => message);
const named = ({ id }: Person, first_name: string) => ({ id, first_name });

/** Waits until all waiting emails are sent, and returns those to one person, without those that are not about offers. */
async function emails(to: Person) {
  await w.hurry();
  const waiting = sql`select from jobs where name = 'send_notice' and (run_at <= now() or attempts > 0)`;
  await expect.poll(() => first(w.db, waiting), { timeout: 20_000 }).toBeUndefined();
  const mails = (await w.outbox()).filter((mail) => mail.to?.[0]?.address === to.email);
  return mails.filter(({ subject }) => /hand over|accepted|declined/.test(subject ?? ''));
}

/** Runs `act` while no email of a notice is sent. */
async function withMailsWaiting(act: () => Promise<unknown>): Promise<void> {
  await run(
    w.db,
    sql`create function away() returns trigger language plpgsql as $$ begin
      if new.name = 'send_notice' then new.run_at := 'infinity'; end if; return new; end $$`,
  );
  await run(
    w.db,
    sql`create trigger away before insert or update on jobs for each row execute function away()`,
  );
  await act();
  await run(w.db, sql`drop function away cascade`);
}

async function rolesOf() {
  const rows = await all(
    w.db,
    sql<{ name: string; role: number }>`
      select first_name as name, club_role as role from members join users on id = user_id where club_id = ${club.id}`,
  );
  return Object.fromEntries(rows.map(({ name, role }) => [name, role]));
}
const stateOf = async () => [await rolesOf(), await all(w.db, sql`select * from club_log order by id`)];
const exportOf = async ({ api, email }: Person) =>
  api.account.export({ code: await codeFor(w, email, 'ABCDEF', 'export') });

const before = { Ada: 200, Ben: 200, Mia: 0, Olga: 100 };

const logOf = async ({ api }: Person) =>
  (await api.members.log({ club: club.id })).entries.map(({ kind, actor, person, details }) => [
    actor?.first_name,
    kind,
    person?.first_name,
    details,
  ]);

test.each<[number, number, string, boolean]>([
  [5, 14.01, 'one admin', true],
  [4, 14.01, 'one admin', false],
  [5, 13.99, 'one admin', false],
  [5, 14.01, 'two admins', false],
])(
  'needs_second_admin: with %i members, %f days after the founding and %s it is %s for the admin and false for others [CARE-01]',
  async (count, days, admins, expected) => {
    const members = [ada, ...[ben, mia, olga, zoe].slice(0, count - 1)] as [Person, ...Person[]];
    const { id } = await w.club(members);
    await run(
      w.db,
      sql`update clubs set created_at = ${addSeconds(w.now(), -days * 86_400)}::timestamptz where id = ${id}`,
    );
    if (admins === 'two admins') await ada.api.members.changeRole({ club: id, member: ben.id, role: 200 });
    await ada.api.members.changeRole({ club: id, member: mia.id, role: 100 });
    const needs = members.map(async ({ api }) => (await api.clubs.get({ club: id })).needs_second_admin);
    expect(await Promise.all(needs)).toEqual([expected, ...members.slice(1).map(() => false)]);
  },
);

test('offer: changes no role and is seen by its two people for 14 days [CARE-03]', async () => {
  const { until } = await offer(mia, 'step_down');
  expect(Math.abs(Date.parse(until) - Date.parse(addSeconds(w.now(), 14 * 86_400)))).toBeLessThan(60_000);
  expect(await rolesOf()).toEqual(before);
  const seen = { from: named(ada, 'Ada'), to: named(mia, 'Mia'), afterwards: 'step_down', until };
  expect(await offerSeenBy(mia)).toMatchObject(seen);
  expect(await offerSeenBy(ada)).toMatchObject(seen);
  for (const other of [ben, olga]) expect(await offerSeenBy(other)).toBeNull();
  expect(await logOf(ben)).toEqual([['Ada', 'handover_offered', 'Mia', { afterwards: 'step_down' }]]);
  await run(w.db, sql`update handovers set until = now()`);
  expect(await offerSeenBy(mia)).toBeNull();
});

test('offer: the member gets a notification and an email, whatever the settings say, and nobody else does [CARE-03]', async () => {
  const off = Object.fromEntries(
    settingNames.flatMap((name) => [
      ...(name === 'attending' ? [] : [[name, false]]),
      [`email_${name}`, false],
    ]),
  );
  await mia.api.notifications.saveSettings(off);
  const { until } = await offer(mia, 'leave');
  expect(await bellOf(mia)).toEqual(['Ada would like to hand over Harbour Rowers to you.']);
  expect((await mia.api.notifications.list({}))[0]?.metadata).toEqual({ club_slug: club.slug });
  const [mail, ...more] = await emails(mia);
  expect(more).toEqual([]);
  expect(mail?.subject).toBe('Ada would like to hand over Harbour Rowers to you');
  expect(mail?.text).toContain('If you accept, you become an admin and Ada leaves the club.');
  expect(mail?.text).toContain(`You can accept or decline until ${shortDay(until, 'UTC')}.`);
  expect(mail?.text).toContain(`/app/clubs/${club.slug}`);
  expect(mail?.text).toContain('are always sent.');
  for (const other of [ada, ben, olga]) {
    expect(await bellOf(other)).toEqual([]);
    expect(await emails(other)).toEqual([]);
  }
});

test.each([
  ['stay', { ...before, Mia: 200 }, "You're still an admin too."],
  ['step_down', { ...before, Mia: 200, Ada: 0 }, "You're now a member."],
  ['leave', { Ben: 200, Mia: 200, Olga: 100 }, "You've left the club."],
] as const)(
  'accept: makes the member an admin, and afterwards is %s; the offering admin is told and the log has it [CARE-04]',
  async (afterwards, roles, text) => {
    await mia.api.answers.attend({ event: (await w.event(club, ada, { name: 'Regatta' })).id });
    await offer(mia, afterwards);
    expect(await accept()).toBeNull();
    expect(await rolesOf()).toEqual(roles);
    expect(await offerSeenBy(mia)).toBeNull();
    expect(await bellOf(ada)).toContain('Mia accepted and is now an admin of Harbour Rowers.');
    const [mail, ...more] = await emails(ada);
    expect([mail?.subject, more]).toEqual(['Mia accepted', []]);
    expect(mail?.text).toContain(text);
    expect((await logOf(mia))[0]).toEqual([
      'Mia',
      'handover_accepted',
      afterwards === 'leave' ? '' : 'Ada',
      { afterwards },
    ]);
    expect(await outcomeOf(accept())).toBe('409 offer_ended');
    // The longest-standing admin hosts the events of an admin who left.
    const { host } = (await mia.api.clubs.get({ club: club.id })).events[0] ?? {};
    expect(host?.host_first_name).toBe(afterwards === 'leave' ? 'Ben' : 'Ada');
  },
);

test('accept: the only admin can leave by it [CARE-04]', async () => {
  await ada.api.members.changeRole({ club: club.id, member: ben.id, role: 0 });
  await offer(mia, 'leave');
  await accept();
  expect(await rolesOf()).toEqual({ Ben: 0, Mia: 200, Olga: 100 });
  expect(await outcomeOf(ada.api.clubs.get({ club: club.id }))).toBe('404 not_found');
  expect(await bellOf(ada)).toEqual(['Mia accepted and is now an admin of Harbour Rowers.']);
});

test('decline: changes no role, and the offering admin is told and the log has it [CARE-04]', async () => {
  await offer(mia, 'leave');
  expect(await decline()).toBeNull();
  expect(await rolesOf()).toEqual(before);
  expect(await offerSeenBy(ada)).toBeNull();
  expect(await bellOf(ada)).toEqual(['Mia declined to take over Harbour Rowers.']);
  expect((await emails(ada)).map(({ subject }) => subject)).toEqual(['Mia declined']);
  expect(await bellOf(mia)).toEqual([]);
  expect((await logOf(ben))[0]).toEqual(['Mia', 'handover_ended', 'Ada', { reason: 'declined' }]);
  expect(await outcomeOf(accept())).toBe('409 offer_ended');
});

test('withdraw: ends the own offer with a log entry; a repetition is 200 and changes nothing [CARE-06]', async () => {
  await offer();
  const line = `DELETE /v1/clubs/${club.id}/handovers`;
  // Ben has no offer of his own.
  for (const [by, entries] of [
    [ben, 1],
    [ada, 2],
    [ada, 2],
  ] as const) {
    expect((await send(w, by, line)).status).toBe(200);
    expect(await logOf(ben)).toHaveLength(entries);
  }
  expect((await logOf(ben))[0]).toEqual(['Ada', 'handover_ended', 'Mia', { reason: 'withdrawn' }]);
  expect(await offerSeenBy(mia)).toBeNull();
  expect(await bellOf(mia)).toEqual([]);
  expect(await bellOf(ada)).toEqual([]);
});

test('offer: refused to oneself, to an admin, to somebody outside the club, and to other people than admins [CARE-05]', async () => {
  const line = `POST /v1/clubs/${club.id}/handovers`;
  const sent = async (by: Person, user_id: string, afterwards = 'stay') => {
    const { status, error } = await send(w, by, line, { user_id, afterwards });
    return `${status} ${error}`;
  };
  expect(await sent(ada, ada.id)).toBe('400 bad_input');
  expect(await sent(ada, mia.id, 'sleep')).toBe('400 bad_input');
  expect(await sent(ada, 'mia')).toBe('400 bad_input');
  expect(await sent(ada, ben.id)).toBe('409 already_admin');
  expect(await sent(ada, zoe.id)).toBe('404 not_found');
  expect(await sent(ada, '5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111')).toBe('404 not_found');
  expect(await sent(mia, olga.id)).toBe('403 not_admin');
  expect(await sent(olga, mia.id)).toBe('403 not_admin');
  expect(await sent(zoe, mia.id)).toBe('404 not_found');
  expect(await offerSeenBy(ada)).toBeNull();
  expect(await logOf(ben)).toEqual([]);
  expect(await bellOf(mia)).toEqual([]);
});

test('offer: a second one of the same admin replaces the first, and one of another admin does not [CARE-05]', async () => {
  await offer(mia);
  await offer(olga, 'leave');
  expect(await outcomeOf(accept(mia))).toBe('409 offer_ended');
  expect(await bellOf(mia)).toEqual([]);
  await offer(olga, 'stay', ben);
  expect(await offerSeenBy(ada)).toMatchObject({ to: named(olga, 'Olga'), afterwards: 'leave' });
  // Of two offers to her, Olga sees the one that ends last.
  expect(await offerSeenBy(olga)).toMatchObject({ from: named(ben, 'Ben') });
  await accept(olga, ben);
  await accept(olga, ada);
  expect(await rolesOf()).toEqual({ Ben: 200, Mia: 0, Olga: 200 });
});

test('offer: a member gets at most one email in 7 days about offers of a club, and the bell has the current offer [CARE-05]', async () => {
  await offer(mia, 'stay');
  expect(await emails(mia)).toHaveLength(1);
  await offer(mia, 'leave');
  await ada.api.members.withdrawHandover({ club: club.id });
  expect(await bellOf(mia)).toEqual([]);
  await offer(mia, 'stay', ben);
  expect(await bellOf(mia)).toEqual(['Ben would like to hand over Harbour Rowers to you.']);
  expect(await emails(mia)).toHaveLength(1);
  await run(w.db, sql`update rate_limits set window_ends_at = now() where key like 'handover-email:%'`);
  await offer(mia, 'stay', ben);
  expect((await emails(mia)).map(({ subject }) => subject)).toEqual([
    'Ada would like to hand over Harbour Rowers to you',
    'Ben would like to hand over Harbour Rowers to you',
  ]);
});

test('offer: one that replaces an offer whose email still waits is sent in its place [CARE-05]', async () => {
  await withMailsWaiting(async () => {
    await offer(mia, 'stay');
    await offer(mia, 'leave');
  });
  const mails = await emails(mia);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.text).toContain('Ada leaves the club.');
});

test('offer: the sixth of a club in a day is 429 too_often, and refused ones do not count [CARE-05]', async () => {
  for (let nth = 0; nth < 5; nth++) await outcomeOf(offer(ben));
  for (let nth = 0; nth < 5; nth++) await offer(nth % 2 ? olga : mia, 'stay', nth % 2 ? ada : ben);
  const sixth = await send(w, ada, `POST /v1/clubs/${club.id}/handovers`, {
    user_id: mia.id,
    afterwards: 'stay',
  });
  expect(sixth).toMatchObject({ status: 429, error: 'too_often' });
  expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(86_000);
  expect(await logOf(ben)).toHaveLength(5);
});

const endings: [string, () => Promise<unknown>][] = [
  ['14 days', () => run(w.db, sql`update handovers set until = now()`)],
  ['a withdrawal', () => ada.api.members.withdrawHandover({ club: club.id })],
  [
    'a demotion of the offering admin',
    () => ben.api.members.changeRole({ club: club.id, member: ada.id, role: 100 }),
  ],
  ['the offering admin has left', () => ada.api.members.leave({ club: club.id })],
  ['the ejection of the offering admin', () => ben.api.members.eject({ club: club.id, member: ada.id })],
  [
    'the offering admin has deleted the account',
    async () =>
      ada.api.account.remove({ code: await codeFor(w, ada.email, 'ABCDEF', 'deletion'), choices: [] }),
  ],
  ['a replacement', () => offer(olga)],
  ['the acceptance', () => accept()],
];

test.each(endings)(
  'accept and decline: 409 offer_ended after %s; nothing changes, and an email that still waits is not sent [CARE-06]',
  async (_, end) => {
    await withMailsWaiting(async () => {
      await offer();
      await end();
    });
    const then = await stateOf();
    expect(await outcomeOf(accept())).toBe('409 offer_ended');
    expect(await outcomeOf(decline())).toBe('409 offer_ended');
    expect(await stateOf()).toEqual(then);
    expect(await offerSeenBy(mia)).toBeNull();
    expect(await emails(mia)).toEqual([]);
  },
);

test('accept: a member who left and joined again has no offer any more [CARE-06]', async () => {
  await offer();
  await mia.api.members.leave({ club: club.id });
  expect(await outcomeOf(accept())).toBe('404 not_found');
  const { invite_link } = await ada.api.invites.ofClub({ club: club.id });
  await mia.api.invites.join({ invite: invite_link });
  expect(await outcomeOf(accept())).toBe('409 offer_ended');
});

test('accept and decline: refused to everybody but the member with the offer, and the offer stays [CARE-06]', async () => {
  await offer();
  for (const act of [accept, decline]) {
    for (const other of [ada, ben, olga]) expect(await outcomeOf(act(other))).toBe('409 offer_ended');
    expect(await outcomeOf(act(zoe))).toBe('404 not_found');
    expect(await outcomeOf(act(mia, ben))).toBe('409 offer_ended');
  }
  expect(await offerSeenBy(mia)).not.toBeNull();
});

test('export: has the own offers and log entries about them, without the names of other people [CARE-04]', async () => {
  await offer(mia, 'leave');
  await offer(mia, 'stay', ben);
  await decline(mia, ben);
  const [made, received] = [await exportOf(ada), await exportOf(mia)];
  const open = { club_name: 'Harbour Rowers', afterwards: 'leave' };
  expect(made.handovers).toMatchObject([{ ...open, offer: 'made' }]);
  expect(received.handovers).toMatchObject([{ ...open, offer: 'received' }]);
  const log = (data: typeof made) => data.club_log.map(({ kind, actor, person }) => [kind, actor, person]);
  expect(log(made)).toEqual([['handover_offered', 'you', 'a member']]);
  expect(log(received)).toEqual([
    ['handover_offered', 'an admin', 'you'],
    ['handover_offered', 'an admin', 'you'],
    ['handover_ended', 'you', 'an admin'],
  ]);
  expect(log(await exportOf(ben))).toEqual([
    ['handover_offered', 'you', 'a member'],
    ['handover_ended', 'a member', 'you'],
  ]);
  expect(JSON.stringify([received.handovers, received.club_log])).not.toMatch(/Ada|Ben|Mia/);
});
