import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { languages } from '#languages/languages.ts';
import { createLog } from '#platform/log.ts';
import { prepareDatabase } from '#app/server.ts';
import { databaseAt } from '#test/database.ts';
import { sql } from '#test/postgres.ts';
import { isolatedWorld, world } from '#test/world.ts';

/** Turkish has other capitals of i and ı. Danish sorts Aa after Z. C knows only ASCII. */
const locales = [
  `locale 'C'`,
  `locale_provider icu icu_locale 'tr' locale 'C'`,
  `locale_provider icu icu_locale 'da' locale 'C'`,
];

test.each(locales)(
  'names: searched and sorted in the same way in a database with %s [OPER-03 ROBUST-05]',
  async (locale) => {
    const server = inject('databaseServer');
    const name = `locale_${randomUUID().replaceAll('-', '')}`;
    const url = databaseAt(server, name);
    await sql(server, `create database ${name} encoding 'UTF8' ${locale} template template0`);
    try {
      await prepareDatabase(url, createLog('silent'));
      await using w = await isolatedWorld({}, undefined, url);
      const people = ['Zoë', 'ömer', 'Éva', 'IRMA', 'irma', 'bob', 'Aage', 'ΚΩΣΤΑΣ'];
      const members = await Promise.all(people.map((first, at) => w.person(first, String(at))));
      const ada = await w.person('Ada');
      const club = await w.club([ada, ...members], 'Straßenlauf İzmir');
      await w.club([ada], 'ölberg');
      await w.club([ada], 'Aachen');
      await w.event(club, ada, { name: 'ÜBUNG IN ILMENAU' });

      const page = await ada.api.members.forAdmin({ club: club.id });
      expect(page.members.map(({ first_name }) => first_name)).toEqual([
        'Aage',
        'Ada',
        'bob',
        'Éva',
        'IRMA',
        'irma',
        'ömer',
        'Zoë',
        'ΚΩΣΤΑΣ',
      ]);
      const found = async (q: string) =>
        (await ada.api.members.forAdmin({ club: club.id, q })).members.map(({ first_name }) => first_name);
      expect(await found('éva')).toEqual(['Éva']);
      expect(await found('ÖMER')).toEqual(['ömer']);
      expect(await found('Irma')).toEqual(['IRMA', 'irma']);
      expect(await found(members[4]?.email ?? '')).toEqual(['irma']);
      expect(await found('κωσ')).toEqual(['ΚΩΣΤΑΣ']);
      expect((await ada.api.search.find({ q: 'übung ilmenau' })).events).toHaveLength(1);
      const written = [
        ['Café', ['cafe', 'CAFÉ', 'café'.normalize('NFC'), 'café'.normalize('NFD')]],
        ['Hauptstraße', ['hauptstrasse', 'STRASSE haupt', 'hauptstraße']],
        ['Łódź', ['lodz', 'ŁÓDŹ']],
        ['We’re back', ["we're", 'we’re']],
        ['Rock–n–Roll', ['rock-n-roll', 'rock‑n‑roll', 'rock n roll']],
        ['Ｆｕｌｌ', ['full']],
      ] as const;
      for (const [text, searches] of written) {
        const { slug } = await w.event(club, ada, { name: text });
        const { id } = await w.club([ada], text);
        await ada.api.users.update({ first_name: text });
        for (const q of searches) {
          const { events, clubs } = await ada.api.search.find({ q });
          expect([events.map((each) => each.slug), clubs.map((each) => each.club_name)]).toEqual([
            [slug],
            [text],
          ]);
          expect(await found(q)).toEqual([text]);
          const { people: listed } = await ada.api.checkins.list({ event: slug, q });
          expect(listed.map((each) => each.first_name)).toEqual([text]);
        }
        await ada.api.clubs.update({ club: id, club_name: 'Pool' });
      }
      const clubs = async (q: string) =>
        (await ada.api.search.find({ q })).clubs.map((each) => each.club_name);
      expect(await clubs('STRASSENLAUF')).toEqual(['Straßenlauf İzmir']);
      expect(await clubs('e')).toEqual(['Aachen', 'ölberg', 'Straßenlauf İzmir']);
    } finally {
      await sql(server, `drop database ${name} with (force)`);
    }
  },
);

// If a new language fails here, because it sorts Å after Z for example, see docs/decisions/0077-order-of-names.md.
test('names: every list of names has the order that names have in each language of the app [ROBUST-06]', async () => {
  await using w = await world();
  const names = [
    'Zoe',
    'Åsa',
    'Émile',
    'Angelica',
    'Ängelica',
    'emma',
    'Łukasz',
    'Asta',
    'Özlem',
    'Otto',
    'Bob',
  ];
  const [ada, ...others] = await Promise.all(['Ada', ...names].map((name) => w.person(name)));
  if (!ada) throw new Error('unreachable');
  const club = await w.club([ada, ...others]);
  const event = (await w.event(club, ada, { startsIn: 1 })).id;
  const answered = await w.event(club, ada);
  for (const each of others) {
    await each.api.answers.attend({ event });
    await each.api.answers.answer({ event: answered.id, answer: 'no' });
  }
  const lists = {
    'of members': (await ada.api.members.ofClub({ club: club.id })).members.slice(1),
    'of members, for admins': (await ada.api.members.forAdmin({ club: club.id })).members.slice(1),
    'of attendance': (await ada.api.checkins.attendance({ club: club.id })).members.slice(1),
    'of check-ins': (await ada.api.checkins.list({ event })).people.slice(1),
    'of answers': (await ada.api.answers.list({ event: answered.id, state: 'no' })).answers,
  };
  for (const [list, people] of Object.entries(lists))
    for (const language of Object.keys(languages))
      expect(
        people.map(({ first_name }) => first_name),
        `${list}, ${language}`,
      ).toEqual(names.toSorted(new Intl.Collator(language).compare));
});
