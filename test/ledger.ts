import { all, first, run, sql, type Db } from '#platform/db.ts';

/** Everything the database holds, as a test compares it and puts it back. */
export async function openLedger(db: Db) {
  // What refers to a table comes after it.
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
  // Somebody whose rows are put back would be deleted again, as after any return to an older state.
  await run(
    db,
    sql`create function kept.wait() returns trigger language plpgsql as $$
        begin
          if new.task_id = (select id from graphile_worker._private_tasks where identifier = 'agree_on_erasures') then
            new.run_at := 'infinity';
          end if;
          return new;
        end $$`,
  );
  await run(
    db,
    sql`create trigger wait before insert on graphile_worker._private_jobs
        for each row execute function kept.wait()`,
  );
  // Marks only tell that something else has changed.
  const compared = tables.filter((name) => name !== 'rate_limits' && name !== 'club_marks');
  // When an event was reminded of is noted by a task that begins by itself.
  const row = sql`(to_jsonb(t) - 'reminded_at')::text`;
  const prints = compared.map(
    (name) => sql`
      select ${name} as part, md5(coalesce(string_agg(${row}, '|' order by ${row}), '')) as print
      from ${sql.table(name)} t`,
  );
  const state = sql<{ state: string }>`
    select string_agg(part || print, ' ' order by part) as state from (
      ${sql.join(prints, sql` union all `)}
      union all
      select 'jobs', max(last_value)::text from pg_sequences where schemaname = 'graphile_worker') as parts`;

  return {
    /** A fingerprint of all rows but the counters of limits, and of how many jobs there ever were. */
    state: async (): Promise<string> => (await first(db, state))?.state ?? '',

    /** A fingerprint of what users have said about themselves, but for one of them. */
    async usersBut(id: string | null): Promise<string> {
      const others = sql<{ print: string }>`
        select md5(string_agg(t::text, '|' order by t.id)) as print from users t
        where t.id in (select id from kept.users) and t.id is distinct from ${id}::uuid`;
      return (await first(db, others))?.print ?? '';
    },

    /** The rows, and the jobs that wait, in which one of these words stands. */
    async rowsWith(...words: string[]): Promise<string[]> {
      const pattern = words.join('|');
      const places = [...tables.map((name) => `public.${name}`), 'graphile_worker._private_jobs'];
      const found = places.map(
        (place) => sql<{ row: string }>`
          select ${place} || ' ' || t::text as row from ${sql.table(place)} t where t::text ~ ${pattern}`,
      );
      const rows = await all(db, sql<{ row: string }>`${sql.join(found, sql` union all `)}`);
      return rows.map(({ row }) => row);
    },

    /** Puts every row back as it was at first. */
    async restore(): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        for (const name of tables.toReversed()) await run(transaction, sql`delete from ${sql.table(name)}`);
        for (const name of tables) {
          const kept = sql.table(`kept.${name}`);
          await run(transaction, sql`insert into ${sql.table(name)} select * from ${kept}`);
        }
      });
    },
  };
}
