import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { prepareDatabase } from '#app/server.ts';
import { databaseAt } from '#test/database.ts';
import { sql } from '#test/postgres.ts';
import { isolatedWorld } from '#test/world.ts';

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
        'IRMA',
        'irma',
        'Zoë',
        'Éva',
        'ömer',
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
      expect(await clubs('e')).toEqual(['Aachen', 'Straßenlauf İzmir', 'ölberg']);
    } finally {
      await sql(server, `drop database ${name} with (force)`);
    }
  },
);
