import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import type { DocumentEndpoint, Endpoint } from '#wire/endpoint.ts';
import { addSeconds } from '#wire/instant.ts';
import { pictureUrl } from '#wire/pictures.ts';
import { contracts } from '#features/contracts.ts';
import { AnswerList } from '#features/events/answers/contract.ts';
import { answerToken } from '#features/events/mail.ts';
import { readToken } from '#features/updates/mail.ts';
import { allScreens } from '#test/all-screens.ts';
import { ask } from '#test/ask.ts';
import { newSeries } from '#test/new-series.ts';
import { codeFor } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

/**
 * The viewers, in the order in which they read: runners come first, so that members would find in a cache what only
 * runners may see. `planner` and `organiser` are the same person, with the switch of the club on and off.
 */
const viewers = [
  'admin',
  'planner',
  'host',
  'organiser',
  'going',
  'silent',
  'author',
  'other',
  'former',
  'outsider',
  'nobody',
] as const;
type Viewer = (typeof viewers)[number];

const runners: readonly Viewer[] = ['admin', 'planner', 'host'];
const members: readonly Viewer[] = [...runners, 'organiser', 'going', 'silent', 'author', 'other'];

/** The texts that some viewers must not see, with the viewers who see them and the requirements. */
const canaries = {
  'a message to the going': { seenBy: [...runners, 'going'], rows: 'MSG-03 MSG-04' },
  'a picture of this message': { seenBy: [...runners, 'going'], rows: 'MSG-03 MSG-04' },
  'a message to members without an answer': { seenBy: [...runners, 'silent'], rows: 'MSG-03 SECT-04' },
  'a question': { seenBy: [...runners, 'author'], rows: 'ASK-02 ASK-03' },
  'its answer': { seenBy: [...runners, 'author'], rows: 'ASK-02 ASK-03' },
  'a shared question': { seenBy: members, rows: 'ASK-03' },
  'its answer to everyone': { seenBy: members, rows: 'ASK-03' },
  'the author of a question': { seenBy: runners, rows: 'ASK-03' },
  'a reply to the question of the event': { seenBy: [...runners, 'going'], rows: 'REPLY-04' },
  'a note to the hosts': { seenBy: [...runners, 'going'], rows: 'ANSWER-07' },
  'the name of a section': { seenBy: members, rows: 'SECT-03' },
  'the section of a member': { seenBy: members, rows: 'SECT-03' },
  'an entry of the log': { seenBy: ['admin'], rows: 'LOG-01 ROLE2-02' },
  'a phone that hosts may see': { seenBy: ['admin', 'host', 'going'], rows: 'CONTACT-02 CONTACT-04' },
  'the days of an absence': { seenBy: ['author'], rows: 'AWAY-05' },
  'that an absence gave the answer': { seenBy: ['author'], rows: 'AWAY-05' },
  'when a member has read an important update': {
    seenBy: ['admin', 'planner', 'author'],
    rows: 'READ-04 READ-08',
  },
  'why a change has not reached a member': { seenBy: runners, rows: 'KNOW-10' },
} as const satisfies Record<string, { seenBy: readonly Viewer[]; rows: string }>;
type Canary = keyof typeof canaries;

let w: World;
let texts: Record<Canary, string>;
/** The texts that each viewer has read, by the address. */
const readings = new Map<Viewer, Map<string, string>>();
/** The paths of the API that at least one viewer could read. */
const succeeded = new Set<string>();

/** All calls that read: also those that are no GET, because they are counted, or log that they were made. */
const reads = Object.values(contracts)
  .flatMap((contract) => Object.values<Endpoint | DocumentEndpoint>(contract))
  .filter((call) => call.method === 'GET' || ('unstored' in call && call.unstored));

/**
 * Ada, the admin, has made Hal, a member, the host of an event in three hours for the section Tenor. Gil is going and has
 * let hosts see the phone, Sam of the same section has not answered, Mia has asked two questions and is away, Tim is in
 * no section and has not answered, and Fay was going and has left the club.
 */
beforeAll(async () => {
  w = await world();
  const named = (name: string) => w.person(name);
  const [ada, olga, hal, gil] = [
    await named('Ada'),
    await named('Olga'),
    await named('Hal'),
    await named('Gil'),
  ];
  const [sam, mia, tim] = [await named('Sam'), await named('Mia'), await named('Tim')];
  const [fay, zoe] = [await named('Fay'), await named('Zoe')];
  const people: Record<Viewer, Person | undefined> = {
    admin: ada,
    planner: olga,
    host: hal,
    organiser: olga,
    going: gil,
    silent: sam,
    author: mia,
    other: tim,
    former: fay,
    outsider: zoe,
    nobody: undefined,
  };
  const club = await w.club([ada, olga, hal, gil, sam, mia, tim, fay]);
  await ada.api.members.changeRole({ club: club.id, member: olga.id, role: 100 });
  const [tenor] = await ada.api.sections.save({ club: club.id, sections: [{ name: 'Canary tenor' }] });
  const section = tenor?.id ?? '';
  await ada.api.sections.changeMembers({
    club: club.id,
    section,
    add: [gil, sam, mia, fay].map(({ id }) => id),
  });
  const event = await w.event(club, ada, {
    startsIn: 3,
    question: 'Which menu?',
    section_ids: [section],
    needed: { [section]: 4 },
  });
  const series = await ada.api.series.plan({ ...newSeries, club: club.id, section_ids: [section] });
  const poll = await w.poll(club, ada);
  await ada.api.hosts.handOver({ event: event.id, user_id: hal.id });
  await gil.api.users.update({ phone: '+49 30 9182736' });
  await gil.api.members.setContact({ club: club.id, phone_for: 'hosts' });
  const details = { note: 'Canary note', reply: 'Canary reply' };
  await gil.api.answers.answer({ event: event.id, answer: 'going', ...details });
  await fay.api.answers.attend({ event: event.id });
  for (const { api } of [ada, olga]) await api.answers.answer({ event: event.id, answer: 'no' });
  const dayIn = (days: number) => addSeconds(w.now(), days * 86_400).slice(0, 10);
  const days = { first_on: dayIn(0), last_on: dayIn(300) };
  await mia.api.absences.add(days);

  const square = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#456' } })
    .png()
    .toBuffer();
  const picture = await hal.api.media.addToUpdate({ club: club.id, file: square });
  const write = (by: Person, to: 'going' | 'silent', more = {}) =>
    by.api.updates.sendMessage({ event: event.id, content: `Canary to ${to}`, to: [to], ...more });
  await write(hal, 'going', { pictures: [picture.name] });
  await write(ada, 'silent');
  const update = await ada.api.updates.publish({ club: club.id, content: 'To all', important: true });
  await mia.api.updates.read({ club: club.id, update: update.id });
  const dialogue = async (about: string, shared: boolean) => {
    const { id } = await mia.api.questions.ask({ event: event.id, question: `Canary asks ${about}` });
    await hal.api.questions.answer({ question: id, answer: `Canary answers ${about}`, shared });
  };
  await dialogue('alone', false);
  await dialogue('openly', true);
  const { entries } = await ada.api.members.log({ club: club.id });
  const invite = (await ada.api.invites.create({ club_id: club.id })).invite_link;

  const [answered, changed, read] = [-1300, -1200, -1234].map((s) => addSeconds(w.now(), s));
  await run(w.db, sql`update update_reads set read_at = ${read}`);
  // Gil's answer is older than the new place, so that it has not reached him.
  await run(w.db, sql`update answers set answered_at = ${answered} where user_id = ${gil.id}`);
  await run(
    w.db,
    sql`insert into event_changes (id, event_id, kind, changed_at, sequence, before, after)
        values (gen_random_uuid(), ${event.id}, 'edit', ${changed}, 1, '{"location_name": "Pier 1"}', '{"location_name": "Pier 2"}')`,
  );

  const [secrets, ownFeeds] = [
    await all(
      w.db,
      sql<{ user_id: string; calendar_secret: string; answer_key: string }>`
        select user_id, calendar_secret, answer_key from members where club_id = ${club.id}`,
    ),
    await all(w.db, sql<{ id: string; calendar_secret: string }>`select id, calendar_secret from users`),
  ];
  await fay.api.members.leave({ club: club.id });

  texts = {
    'a message to the going': 'Canary to going',
    'a picture of this message': picture.name,
    'a message to members without an answer': 'Canary to silent',
    'a question': 'Canary asks alone',
    'its answer': 'Canary answers alone',
    'a shared question': 'Canary asks openly',
    'its answer to everyone': 'Canary answers openly',
    'the author of a question': '"author":{"first_name":"Mia"',
    'a reply to the question of the event': details.reply,
    'a note to the hosts': details.note,
    'the name of a section': 'Canary tenor',
    'the section of a member': section,
    'an entry of the log': entries.find(({ kind }) => kind === 'sections')?.id ?? '',
    'a phone that hosts may see': '9182736',
    'the days of an absence': days.last_on,
    'that an absence gave the answer': '"via":"away"',
    'when a member has read an important update': read ?? '',
    'why a change has not reached a member': '"why":"on_its_way"',
  };

  /** The values of the parameters of a path, as the viewer knows them. */
  function valuesOf(path: string, person: Person | undefined): Record<string, string> {
    const own = secrets.find(({ user_id }) => user_id === person?.id);
    const key = { user_id: person?.id ?? '', answer_key: own?.answer_key ?? '' };
    const tokenFor = () =>
      path.includes('read-links')
        ? readToken(w.config, { ...key, update_id: update.id })
        : answerToken(w.config, { ...key, event_id: event.id });
    const personal = ownFeeds.find(({ id }) => id === person?.id)?.calendar_secret;
    const feed = path.includes(':club') ? own?.calendar_secret : personal;
    return {
      club: club.slug,
      event: path.includes(':time') ? poll.slug : event.slug,
      time: poll.times[0],
      series: series.slug,
      user: gil.id,
      name: pictureUrl(picture.name, 'update').split('/').at(-1) ?? '',
      invite,
      secret: feed ?? 'a guess',
      update: update.id,
      token: own ? tokenFor() : 'a guess',
    };
  }

  async function readAll(viewer: Viewer): Promise<Map<string, string>> {
    await run(w.db, sql`delete from rate_limits`);
    await run(w.db, sql`delete from login_codes`);
    const person = people[viewer];
    const token = person?.session.read()?.AccessToken.Token;
    const found = new Map<string, string>();
    for (const call of reads) {
      const values = valuesOf(call.path, person);
      const names = call.path.match(/(?<=:)\w+/g) ?? [];
      const unknown = names.filter((name) => values[name] === undefined);
      if (unknown.length > 0) throw new Error(`${call.path} needs a value for ${unknown.join(', ')}.`);
      const input = Object.fromEntries(names.map((name) => [name, values[name]]));
      const states = 'state' in call.input.shape ? AnswerList.options : [];
      const inputs = [
        input,
        ...('q' in call.input.shape ? [{ ...input, q: 'canary' }] : []),
        ...states.map((state) => ({ ...input, state })),
      ];
      for (const each of inputs) {
        const { status, text } = await ask(w.origin, call, each, token);
        if (status < 300) succeeded.add(call.path);
        found.set(`${call.method} ${call.path} ${JSON.stringify(each)}`, text);
      }
    }
    if (person) {
      const code = await codeFor(w, person.email, 'ABCDEF', 'export');
      found.set('the own export', JSON.stringify(await person.api.account.export({ code })));
    }
    const subjects = { club: club.slug, event: event.slug, series: series.slug, update: update.id, section };
    for (const path of allScreens({ ...subjects, invite })) {
      const query = new URLSearchParams({ path, zone: 'UTC', rows: '100', wide: 'true' });
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      const screen = await fetch(`${w.origin}/api/screen?${query}`, { headers });
      const { data } = (await screen.json()) as {
        data: { html: string; responses: Record<string, string> } | null;
      };
      found.set(`screen ${path}`, data ? [data.html, ...Object.values(data.responses)].join('\n') : '');
      // A page has no session, so it is the same for everybody. It names its own address.
      const page = async () => (await (await fetch(w.origin + path)).text()).replaceAll(path, '');
      if (viewer === 'nobody') found.set(`page ${path}`, await page());
    }
    const link = `/answer/${valuesOf('', person)['token']}`;
    return found.set('page of the answer link', await (await fetch(w.origin + link)).text());
  }

  readings.set('admin', await readAll('admin'));
  readings.set('organiser', await readAll('organiser'));
  await ada.api.clubs.update({ club: club.id, organisers_plan: true });
  for (const viewer of viewers) if (viewer !== 'organiser') readings.set(viewer, await readAll(viewer));
});
afterAll(() => w[Symbol.asyncDispose]());

test('visibility: each call that reads succeeded for somebody, and the screens were rendered', () => {
  const unread = reads.map(({ path }) => path).filter((path) => !succeeded.has(path));
  // These need what is only in an email, or start a session.
  expect(unread).toEqual([
    '/v1/auth/login',
    '/v1/auth/confirm',
    '/v1/auth/refresh',
    '/v1/users/email/revert/:token',
  ]);
  const screens = [...(readings.get('host') ?? [])].filter(([place]) => place.startsWith('screen '));
  expect(screens.filter(([, text]) => text.includes(texts['a message to the going']))).toHaveLength(1);
});

test.each(Object.entries(canaries).map(([what, canary]) => ({ what: what as Canary, ...canary })))(
  'visibility: $what is seen by exactly those whom the table names [$rows]',
  ({ what, seenBy }) => {
    const places = (viewer: Viewer) =>
      [...(readings.get(viewer) ?? [])].filter(([, text]) => text.includes(texts[what]));
    const seen = viewers.filter((viewer) => places(viewer).length > 0);
    const unexpected = seen
      .filter((viewer) => !(seenBy as readonly Viewer[]).includes(viewer))
      .flatMap((viewer) => places(viewer).map(([place]) => `${viewer}: ${place}`));
    expect({ seen: seen.toSorted(), unexpected }).toEqual({ seen: seenBy.toSorted(), unexpected: [] });
  },
);
