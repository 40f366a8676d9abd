import { all, first, inTransaction, run, sql, type Db } from '#platform/db/client.ts';

const isIn = (row: string, table: string) => sql.raw(`exists (select from ${table} o where o = ${row})`);

/** Copies every table, so that a test can detect changes and restore the rows. */
export async function openDatabaseSnapshot(db: Db) {
  // Order the tables so that referenced ones come first.
  const rows = await all(
    db,
    sql<{ name: string }>`
      with recursive depths as (
        select oid, 0 as depth from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        union all
        select conrelid, depth + 1 from depths
        join pg_constraint on confrelid = depths.oid and contype = 'f' and conrelid <> confrelid)
      select relname as name from depths join pg_class using (oid)
      where relname <> 'schema_migrations' group by relname order by max(depth)`,
  );
  const tables = rows.map(({ name }) => name);
  await run(db, sql`create schema kept`);
  for (const name of tables) {
    await run(db, sql`create table ${sql.table(`kept.${name}`)} as table ${sql.table(`public.${name}`)}`);
  }
  // Deletes cascade, so their order does not matter. They also increment club versions, which are therefore not
  // restored.
  const restored = tables.filter(
    (name) => !['club_versions', 'event_versions', 'rate_limits', 'jobs'].includes(name),
  );
  const back = [
    // Rate limits are deleted, not restored: a job may insert the same key concurrently.
    sql`delete from rate_limits;`,
    ...restored.map((name) => sql`delete from ${sql.table(name)} t where not ${isIn('t', `kept.${name}`)};`),
    ...restored.map(
      (name) => sql`insert into ${sql.table(name)}
        select * from ${sql.table(`kept.${name}`)} k where not ${isIn('k', `public.${name}`)};`,
    ),
  ];
  await run(
    db,
    sql`create function kept.restore() returns void language plpgsql as $$ begin ${sql.join(back, sql` `)} end $$`,
  );
  // Prevents the reconciliation job from deleting restored users again, as it does after restoring a backup.
  await run(
    db,
    sql`create function kept.wait() returns trigger language plpgsql as $$
        begin
          if new.name = 'reconcile_deletions' then
            new.run_at := 'infinity';
          end if;
          return new;
        end $$`,
  );
  await run(
    db,
    sql`create trigger wait before insert on jobs
        for each row execute function kept.wait()`,
  );
  // Versions need not be compared, because they change only along with other rows. Outcomes of emails are written by
  // workers alone, while the next request is already running.
  const compared = tables.filter(
    (name) => !['rate_limits', 'club_versions', 'event_versions', 'jobs', 'deliveries'].includes(name),
  );
  // Each statement that changes rows adds the name of the table here, in the same transaction.
  await run(db, sql`create table kept.writes (name text not null)`);
  await run(
    db,
    sql`create function kept.note() returns trigger language plpgsql as $$
        begin
          if tg_op <> 'TRUNCATE' then
            perform from changed limit 1;
            if not found then
              return null;
            end if;
          end if;
          insert into kept.writes values (tg_table_name);
          return null;
        end $$`,
  );
  for (const name of compared) {
    for (const [operation, rows] of [
      ['insert', 'referencing new table as changed'],
      ['update', 'referencing new table as changed'],
      ['delete', 'referencing old table as changed'],
      ['truncate', ''],
    ] as const) {
      await run(
        db,
        sql`create trigger ${sql.id(`note_${operation}`)} after ${sql.raw(operation)} on ${sql.table(name)}
            ${sql.raw(rows)} for each statement execute function kept.note()`,
      );
    }
  }
  // Jobs with an empty payload are not counted, because they are scheduled. `reminded_at` is ignored because a
  // scheduled job sets it, and `written_lsn` because with replicas every writing request sets it, even a denied one.
  await run(db, sql`create table kept.jobs_added ()`);
  await run(
    db,
    sql`create function kept.count_job() returns trigger language plpgsql as $$
        begin
          insert into kept.jobs_added default values;
          return null;
        end $$`,
  );
  await run(
    db,
    sql`create trigger count_job after insert on jobs
        for each row when (new.payload <> '{}') execute function kept.count_job()`,
  );
  const row = sql`(to_jsonb(t) - 'reminded_at' - 'written_lsn')::text`;
  const hashOf = (name: string) => sql<{ print: string; writes: number }>`
    select md5(coalesce(string_agg(${row}, '|' order by ${row}), '')) as print,
      (select count(*)::int from kept.writes where name = ${name}) as writes
    from ${sql.table(name)} t`;
  const written = sql<{ name: string; writes: number }>`
    select name, count(*)::int as writes from kept.writes group by name
    union all select 'jobs added', count(*)::int from kept.jobs_added`;
  /** The last hash of each table, and the number of statements that had changed the table by then. */
  const statesByTable = new Map<string, { print: string; writes: number }>();
  for (const name of compared)
    statesByTable.set(name, (await first(db, hashOf(name))) ?? { print: '', writes: -1 });

  return {
    /** A hash of all rows except rate limits, plus the number of jobs ever added. */
    async state(): Promise<string> {
      for (const { name, writes } of await all(db, written)) {
        if (statesByTable.get(name)?.writes === writes) continue;
        const isTable = compared.includes(name);
        statesByTable.set(
          name,
          (isTable && (await first(db, hashOf(name)))) || { print: String(writes), writes },
        );
      }
      return Array.from(statesByTable, ([name, { print }]) => name + print).join(' ');
    },

    /** The users whose rows differ from the snapshot. */
    async changedUsers(): Promise<string[]> {
      const changed = sql<{ id: string }>`
        select id from kept.users k left join users u using (id) where k::text is distinct from u::text`;
      return (await all(db, changed)).map(({ id }) => id);
    },

    /** The rows that contain one of these words, jobs included. */
    async rowsWith(...words: string[]): Promise<string[]> {
      const pattern = words.join('|');
      const places = tables.map((name) => `public.${name}`);
      const found = places.map(
        (place) => sql<{ row: string }>`
          select ${place} || ' ' || t::text as row from ${sql.table(place)} t where t::text ~ ${pattern}`,
      );
      const rows = await all(db, sql<{ row: string }>`${sql.join(found, sql` union all `)}`);
      return rows.map(({ row }) => row);
    },

    /** Restores the snapshot. Its lock order is arbitrary, so a deadlock with a job may make the transaction retry. */
    async restore(): Promise<void> {
      await inTransaction(db, (transaction) => run(transaction, sql`select kept.restore()`));
    },
  };
}
