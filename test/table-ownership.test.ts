import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(file, 'utf8');
const withoutComments = (code: string) => code.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');

const migrations = globSync('migrations/*.sql').map(read);
const renamed = new Map(
  migrations.flatMap((migration) =>
    [...migration.matchAll(/^\s*alter table (\w+) rename to (\w+)/gm)].map(
      ([, from = '', to = '']): [string, string] => [from, to],
    ),
  ),
);

/** Every table with its definition. */
const tables = new Map(
  migrations.flatMap((migration) =>
    [...migration.matchAll(/^create (?:unlogged )?table (\w+) \(\n([^]*?)^\)/gm)].map(
      ([, name = '', definition = '']): [string, string] => [renamed.get(name) ?? name, definition],
    ),
  ),
);

/**
 * The part of the code that a file belongs to: a folder of the platform, or the file itself, such as the store of a
 * feature.
 */
const partOf = (file: string) => (file.startsWith('src/platform/') ? dirname(file) : file);

/** `table: part` for each table that a part writes, in any statement or common table expression. */
const writes = globSync('src/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) =>
    [...withoutComments(read(file)).matchAll(/\b(insert into|update|delete from)\s+(\w+|\$\{[^}]*\})/g)]
      .map(([, verb, table = '']) => ({ verb, table, part: partOf(file) }))
      .filter(({ verb, table }) => tables.has(table) || (table.startsWith('$') && verb !== 'update')),
  )
  .map(({ table, part }) => `${table}: ${part}`);

const exceptions = [
  // A restore replaces the jobs that the migration of the empty database added, and inserts the rows of every table.
  'jobs: src/app/backups.ts',
  '${quoted(name)}: src/platform/backup',
];

const owned = [...new Set(writes)].filter((write) => !exceptions.includes(write)).toSorted();

const ownerOf = (table: string) =>
  owned.find((write) => write.startsWith(`${table}: `))?.slice(table.length + 2);

test('tables: each is written by one store, or by one folder of the platform', () => {
  expect(tables.size).toBeGreaterThan(25);
  expect([...new Set(writes)]).toEqual(expect.arrayContaining(exceptions));
  expect(owned.map((write) => write.split(':', 1)[0])).toEqual(
    // Triggers write the versions.
    [...tables.keys()].filter((table) => !table.endsWith('_versions')).toSorted(),
  );
  expect(
    owned.filter((write) => !/: src\/(features\/(events\/)?\w+\/store\.ts|platform\/\w+)$/.test(write)),
  ).toEqual([]);
});

/** Tables whose rows about a user in a club stay when the membership ends, and the reason. */
const kept: Record<string, string> = {
  members: 'are the memberships',
  ejections: 'outlive the membership, so that old invite links do not work',
  club_log: 'says who changed what, also about former members',
  check_ins: 'show who was there, as the answers to past events do',
  posts: 'belong to the club',
  notification_emails: 'are deleted or sent within minutes, by rules of their own',
  pictures: 'belong to a user or to a club, never to both',
};

test('end of a membership: every feature that stores data of members has one listener', () => {
  const perMember = [...tables].filter(
    ([, definition]) => /references users/.test(definition) && /\b(club|event)_id\b/.test(definition),
  );
  expect(perMember.map(([table]) => table)).toEqual(expect.arrayContaining(Object.keys(kept)));
  const owners = new Set(perMember.filter(([table]) => !kept[table]).map(([table]) => ownerOf(table)));
  const registered = [
    ...read('src/app/features.ts').matchAll(
      /onMembershipEnded as [^}]*\} from '#(features\/[\w/]+\/store\.ts)'/g,
    ),
  ].map(([, file]) => `src/${file}`);
  expect(registered.toSorted()).toEqual([...owners].toSorted());
});
