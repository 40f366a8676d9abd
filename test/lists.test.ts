import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { world, type ClubHandle, type Person, type World } from '#test/world.ts';

let w: World;
let people: Record<'ada' | 'bob' | 'cyd' | 'dan' | 'eve', Person>;
let club: ClubHandle;

beforeAll(async () => {
  w = await world();
  const [ada, bob, cyd, dan, eve] = (await Promise.all(
    ['Ada', 'Bob', 'Cyd', 'Dan', 'Eve'].map((name) => w.person(name)),
  )) as [Person, Person, Person, Person, Person];
  people = { ada, bob, cyd, dan, eve };
});
beforeEach(async () => {
  await run(w.db, sql`delete from rate_limits`);
  const { ada, bob, cyd, dan } = people;
  club = await w.club([ada, bob, cyd, dan]);
  await ada.api.users.update({ language: 'en', time_zone: 'UTC' });
});
afterAll(() => w[Symbol.asyncDispose]());

/** The lines of a file whose cells contain no quote, separator or line break. */
const linesOf = (content: string) =>
  content
    .replace('\uFEFF', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => line.replaceAll('"', ''));

describe('answers', () => {
  test('has a row for each member and everybody else who answered, in the order of names and the language of the reader [LIST-01]', async () => {
    const { ada, bob, cyd, dan, eve } = people;
    const { invite_link } = await ada.api.invites.ofClub({ club: club.id });
    await eve.api.invites.join({ invite: invite_link });
    const crews = await ada.api.sections.save({
      club: club.id,
      sections: [{ name: 'Tenor' }, { name: 'Bass' }],
    });
    for (const { id } of crews)
      await ada.api.sections.changeMembers({ club: club.id, section: id, add: [bob.id] });
    const event = await w.event(club, ada, { name: 'Supper', guests_max: 2, question: 'Which menu?' });
    await bob.api.answers.answer({
      event: event.id,
      answer: 'going',
      guests: 2,
      reply: 'Vegan',
      note: '=1+1',
    });
    await cyd.api.answers.answer({ event: event.id, answer: 'maybe', reply: 'Meat' });
    await dan.api.answers.answer({ event: event.id, answer: 'no', reply: 'Meat' });
    await eve.api.answers.attend({ event: event.id });
    const start = sql`now() - interval '3 hours'`;
    await run(
      w.db,
      sql`update events set start_time = ${start}, end_time = now() - interval '1 hour' where id = ${event.id}`,
    );
    await ada.api.checkins.save({
      event: event.id,
      users: [
        { user_id: bob.id, came: true },
        { user_id: eve.id, came: false },
      ],
    });
    // The answers of former members to past events stay.
    await eve.api.members.leave({ club: club.id });
    const { file_name, content } = await ada.api.answers.export({ event: event.slug });
    expect(file_name).toMatch(/^\d{4}-\d\d-\d\d-answers-supper\.csv$/);
    expect(linesOf(content)).toEqual([
      'Name,Sections,Answer,Guests,Reply,Note,Came',
      'Ada,,Going,0,,,',
      "Bob,Tenor, Bass,Going,2,Vegan,'=1+1,Yes",
      'Cyd,,Maybe,0,Meat,,',
      "Dan,,Can't go,0,,,",
      'Eve,,Going,0,,,No',
    ]);
    await ada.api.users.update({ language: 'de' });
    const german = await ada.api.answers.export({ event: event.slug });
    expect(german.file_name).toMatch(/^\d{4}-\d\d-\d\d-antworten-supper\.csv$/);
    expect(linesOf(german.content)).toEqual([
      'Name;Gruppen;Antwort;Gäste;Rückmeldung;Notiz;Anwesend',
      'Ada;;Zugesagt;0;;;',
      "Bob;Tenor, Bass;Zugesagt;2;Vegan;'=1+1;Ja",
      'Cyd;;Vielleicht;0;Meat;;',
      'Dan;;Abgesagt;0;;;',
      'Eve;;Zugesagt;0;;;Nein',
    ]);
  });

  test('lists members without an answer, and is for runners alone [LIST-01]', async () => {
    const { ada, bob, eve } = people;
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
    const event = await w.event(club, bob);
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 0 });
    const { content } = await bob.api.answers.export({ event: event.id });
    expect(linesOf(content).slice(1)).toEqual([
      'Ada,,No answer,0,,,',
      'Bob,,Going,0,,,',
      'Cyd,,No answer,0,,,',
      'Dan,,No answer,0,,,',
    ]);
    expect(await outcomeOf(people.cyd.api.answers.export({ event: event.id }))).toBe('403 not_runner');
    expect(await outcomeOf(eve.api.answers.export({ event: event.id }))).toBe('403 not_member');
  });
});

describe('members', () => {
  test('has names, email, role, sections, the day of joining and phones that admins may see, and adds an entry to the log [LIST-02]', async () => {
    const { ada, bob, cyd, dan } = people;
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
    await cyd.api.users.update({ last_name: 'Byron' });
    const [crew] = await ada.api.sections.save({ club: club.id, sections: [{ name: 'Crew' }] });
    await ada.api.sections.changeMembers({ club: club.id, section: crew?.id ?? '', add: [cyd.id] });
    // Dan shows his phone to nobody.
    for (const { api } of [bob, dan]) await api.users.update({ phone: '+49 30 1' });
    await bob.api.members.setContact({ club: club.id, phone_for: 'hosts' });
    await run(w.db, sql`update members set joined_at = '2026-03-01T23:30:00Z' where club_id = ${club.id}`);
    const { file_name, content } = await ada.api.members.export({ club: club.slug });
    expect(file_name).toMatch(/^\d{4}-\d\d-\d\d-members-.*\.csv$/);
    expect(linesOf(content)).toEqual([
      'First name,Last name,Email,Role,Sections,Joined,Phone',
      `Ada,,${ada.email},Admin,,2026-03-01,`,
      `Bob,,${bob.email},Organiser,,2026-03-01,'+49 30 1`,
      `Cyd,Byron,${cyd.email},Member,Crew,2026-03-01,`,
      `Dan,,${dan.email},Member,,2026-03-01,`,
    ]);
    await ada.api.users.update({ language: 'de', time_zone: 'Europe/Berlin' });
    expect(linesOf((await ada.api.members.export({ club: club.id })).content).slice(0, 3)).toEqual([
      'Vorname;Nachname;E-Mail;Rolle;Gruppen;Beitritt;Telefon',
      `Ada;;${ada.email};Admin;;2026-03-02;`,
      `Bob;;${bob.email};Team;;2026-03-02;'+49 30 1`,
    ]);
    const { entries } = await ada.api.members.log({ club: club.id });
    expect(entries.slice(0, 2)).toMatchObject([
      { kind: 'export', actor: { first_name: 'Ada' }, person: null, details: { list: 'members' } },
      { kind: 'export' },
    ]);
  });

  test('is for admins alone, and a refused download adds no entry [LIST-02]', async () => {
    const { ada, bob, cyd, eve } = people;
    await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
    await ada.api.clubs.update({ club: club.id, organisers_plan: true });
    expect(await outcomeOf(bob.api.members.export({ club: club.id }))).toBe('403 not_admin');
    expect(await outcomeOf(cyd.api.members.export({ club: club.id }))).toBe('403 not_admin');
    expect(await outcomeOf(eve.api.members.export({ club: club.id }))).toBe('404 not_found');
    const { entries } = await ada.api.members.log({ club: club.id });
    expect(entries.filter(({ kind }) => kind === 'export')).toEqual([]);
  });
});

test('lists: the eleventh of a person in an hour is refused, whatever its kind, and adds no entry [LIST-05]', async () => {
  const { ada, bob } = people;
  const event = await w.event(club, ada);
  for (let n = 0; n < 5; n++) {
    await ada.api.members.export({ club: club.id });
    await ada.api.answers.export({ event: event.id });
  }
  for (const path of [`/v1/clubs/${club.id}/members/export`, `/v1/events/${event.id}/answers/export`]) {
    const { status, error, headers } = await send(w, ada, `POST ${path}`, {});
    expect([status, error]).toEqual([429, 'too_often']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500);
  }
  const { entries } = await ada.api.members.log({ club: club.id });
  expect(entries.filter(({ kind }) => kind === 'export')).toHaveLength(5);
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 200 });
  expect(await outcomeOf(bob.api.members.export({ club: club.id }))).toBe('ok');
});

test('lists: are kept in no cache and not on the server [LIST-05]', async () => {
  const { ada } = people;
  const event = await w.event(club, ada);
  for (const path of [`/v1/clubs/${club.id}/members/export`, `/v1/events/${event.id}/answers/export`]) {
    await run(w.db, sql`delete from idempotency_keys`);
    const key = { 'idempotency-key': 'a-list' };
    const { status, headers } = await send(w, ada, `POST ${path}`, {}, key);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await all(w.db, sql`select from idempotency_keys`)).toEqual([]);
  }
});

test('lists: are complete with 5,000 members [LIST-05]', async () => {
  const { ada } = people;
  const event = await w.event(club, ada);
  await run(
    w.db,
    sql`
      with people as (
        insert into users (id, email, first_name, last_name, calendar_secret, created_at)
        select gen_random_uuid(), n || '@example.net', 'Mia', n::text, 'list-' || n, now()
        from generate_series(1, 4996) as n returning id)
      insert into members (club_id, user_id, calendar_secret, joined_at)
      select ${club.id}, id, 'list-' || id, now() from people`,
  );
  for (const { content } of [
    await ada.api.members.export({ club: club.id }),
    await ada.api.answers.export({ event: event.id }),
  ])
    expect(new Set(linesOf(content)).size).toBe(5001);
});
