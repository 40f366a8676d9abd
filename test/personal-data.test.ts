import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import { hmac } from '#platform/token.ts';
import { personalData, textsOfClubs, type PersonalData } from '#features/account/rules.ts';
import { send } from '#test/calls.ts';
import type { Purpose } from '#features/auth/contract.ts';
import { findLeftovers } from '#test/leftovers.ts';
import { seedStores } from '#test/store-rows-data.ts';
import { isolatedWorld, type Person, type World } from '#test/world.ts';

let w: World;
let cyd: Person;
beforeAll(async () => {
  w = await isolatedWorld();
  ({ cyd } = await seedStores(w));
  await run(
    w.db,
    sql`insert into pictures (name, user_id, kind, created_at) values ('own', ${cyd.id}, 'person', now())`,
  );
  await send(w, cyd, 'PATCH /v1/users', { first_name: 'Cyd' }, { 'idempotency-key': 'key' });
});
afterAll(() => w[Symbol.asyncDispose]());

/** Columns with nothing that people wrote: hashes, secrets, keys, names of kinds, languages and zones, and ids of rows. */
const technical = `
  calendar_files.setting club_log.details clubs.language deletions.digest deliveries.code deliveries.kind deliveries.states email_changes.code_hash events.needed events.nudged events.section_ids events.time_zone idempotency_keys.body_hash
  idempotency_keys.request_hash idempotency_keys.response invite_links.token jobs.key jobs.last_error jobs.locked_by
  jobs.name login_codes.long_hash login_codes.network login_codes.short_hash members.answer_key
  members.calendar_secret members.section_ids notice_emails.kind notice_fanouts.dedupe_key notice_fanouts.kind notices.dedupe_key notices.kind
  notification_opt_outs.key posts.audience
  oauth_states.state_hash pictures.name push_devices.auth push_devices.endpoint push_devices.p256dh retired_feeds.entries retired_feeds.secret_hash schema_migrations.hash
  schema_migrations.name series.time_zone sessions.access_hash sessions.device sessions.parent_hash
  sessions.refresh_hash users.calendar_secret users.device_zone users.language users.time_zone webhook_events.id`
  .trim()
  .split(/\s+/);

/** Columns of tables that only the previous release writes. Their rows are converted at once. */
const converted = `
  notification_emails.about notification_emails.actor_id notification_emails.kind notification_emails.payload
  notification_emails.user_id notification_fanouts.about notification_fanouts.actor_id notification_fanouts.cause
  notification_fanouts.kind notification_fanouts.payload notification_fanouts.people notification_fanouts.subject
  notifications.actor_id notifications.cause notifications.kind notifications.subject notifications.user_id`
  .trim()
  .split(/\s+/);

const textsOf = ({ texts = [], removed = [] }: PersonalData) => [...texts, ...removed];

test('personal data: every column that names a person or holds their words is in the list [T52]', async () => {
  const columns = await all(
    w.db,
    sql<{ column: string }>`
      select c.relname || '.' || a.attname as column
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and (
        exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f'
          and k.confrelid in ('users'::regclass, 'members'::regclass) and a.attname <> 'club_id' and a.attnum = any(k.conkey))
        -- A column that a check limits to a few values holds no words of people.
        or a.atttypid in ('text'::regtype, 'json'::regtype, 'jsonb'::regtype, 'bytea'::regtype, 'uuid[]'::regtype,
          'text[]'::regtype, 'varchar'::regtype) and not exists (
            select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
              and pg_get_constraintdef(k.oid) like '%ANY (ARRAY[%')
        -- A uuid that is neither a primary nor a foreign key may be the id of a person.
        or a.atttypid = 'uuid'::regtype and a.attname not in ('club_id', 'event_id') and not exists (
          select from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'f') and a.attnum = any(k.conkey)))`,
  );
  const covered = [
    ...personalData.flatMap((data) =>
      [...textsOf(data), ...(data.by === 'id' ? [] : [data.by])].map((each) => `${data.table}.${each}`),
    ),
    ...Object.entries(textsOfClubs).flatMap(([table, texts]) => texts.map((text) => `${table}.${text}`)),
    ...technical,
    ...converted,
  ];
  expect([...new Set(covered)].toSorted()).toEqual(
    [...new Set(columns.map(({ column }) => column))].toSorted(),
  );
});

/**
 * Whether the rows of an entry refer to the person by a column such as `user_id`. The test adds such rows; the row in
 * `users` exists already.
 */
const isReferenced = ({ table, by }: PersonalData) => /_(id|by)$/.test(by) && table !== 'notice_fanouts';
const referenced = personalData.filter(isReferenced);
const rowsOf = ({ table, by, only = 'true' }: PersonalData, person: string) =>
  sql`from ${sql.table(table)} where ${sql.ref(by)} = ${person} and ${sql.raw(only)}`;
const markOf = ({ table, by, deletion }: PersonalData, text: string) =>
  `mark-${table}-${by}-${text}-${deletion}.`;

/** Gives the person a row for an entry of the list, and marks the texts of the row. */
async function mark(data: PersonalData): Promise<void> {
  const { table, by, only = 'true' } = data;
  const one = sql`ctid = (select ctid from ${sql.table(table)} where ${sql.raw(only)} limit 1)`;
  if (!(await first(w.db, sql`select 1 ${rowsOf(data, cyd.id)}`)))
    await run(w.db, sql`update ${sql.table(table)} set ${sql.ref(by)} = ${cyd.id} where ${one}`);
  for (const text of textsOf(data)) {
    const column = sql.ref(text);
    const row = await first(
      w.db,
      sql<{
        is_json: boolean;
      }>`select pg_typeof(${column}) = 'jsonb'::regtype as is_json ${rowsOf(data, cyd.id)}`,
    );
    const words = sql`${markOf(data, text)}::text`;
    const value = row?.is_json ? sql`${column} || jsonb_build_object('words', ${words})` : words;
    await run(
      w.db,
      sql`update ${sql.table(table)} set ${column} = ${value} where ctid = (select ctid ${rowsOf(data, cyd.id)} limit 1)`,
    );
  }
}

const codeFor = async (code: string, purpose: Purpose) => {
  await run(w.db, sql`delete from login_codes where email = ${cyd.email}`);
  await run(
    w.db,
    sql`insert into login_codes (id, email, purpose, short_hash, long_hash, created_at, expires_at)
        values (gen_random_uuid(), ${cyd.email}, ${purpose}, ${hmac(w.config.secretKey, 'code', cyd.email, code)}, ''::bytea, now(),
          now() + interval '10 minutes')`,
  );
  return code;
};

/** A line of a Markdown table, without the spaces that align its cells. */
const cells = (line: string) =>
  line
    .split('|')
    .map((cell) => cell.trim())
    .join('|');
const fateOf = ({ deletion, why }: PersonalData) =>
  deletion === 'rows' ? 'deleted' : `stays without the name, ${why}`;
const exportOf = ({ exported }: PersonalData) =>
  typeof exported === 'string' ? 'yes' : `no: ${exported.not}`;

describe('personal data of an account', () => {
  test('is exported and deleted as the list says [T36 T52]', async () => {
    // Emails stay pending, as if the worker were slow.
    await run(w.db, sql`update notice_emails set send_at = now() + interval '1 day'`);
    for (const data of referenced) await mark(data);
    for (const data of referenced)
      expect([data.what, (await all(w.db, sql`select 1 ${rowsOf(data, cyd.id)}`)).length]).not.toEqual([
        data.what,
        0,
      ]);

    const made = await cyd.api.account.export({ code: await codeFor('ABCDEF', 'export') });
    for (const data of referenced.filter(({ exported }) => typeof exported === 'string')) {
      const part = JSON.stringify(made[data.exported as keyof typeof made]);
      expect([data.what, part.length > 2]).toEqual([data.what, true]);
      for (const text of textsOf(data)) expect(part).toContain(text === 'facts' ? '' : markOf(data, text));
    }

    const { need_choice } = await cyd.api.account.deletion({});
    const choices = need_choice.map(({ id, members }) => ({ club: id, successor: members[0]?.id ?? '' }));
    await cyd.api.account.remove({ code: await codeFor('BCDEFG', 'deletion'), choices });
    const isFound = async (text: string) =>
      (await findLeftovers(w.db, [text])).filter((row) => !row.startsWith('public.jobs ')).length > 0;
    for (const data of referenced)
      for (const text of textsOf(data)) {
        const stays = data.deletion === 'person' && !data.removed?.includes(text);
        expect([data.what, text, await isFound(markOf(data, text))]).toEqual([data.what, text, stays]);
      }
    expect(await findLeftovers(w.db, [cyd.id, cyd.email])).toEqual([]);
  });

  test('is listed in the documents as in the code [T52]', () => {
    const documents = readFileSync('docs/operations.md', 'utf8');
    const lines = documents.split('\n').map(cells);
    const rows = personalData.map((data) => `|${data.what}|${fateOf(data)}|${exportOf(data)}|`);
    const from = lines.indexOf('|data|when the account is deleted|in the export|');
    expect(lines.slice(from + 2, from + 2 + rows.length + 1)).toEqual([...rows, '']);
  });
});
