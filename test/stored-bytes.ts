import { first, sql, type Db } from '#platform/db/client.ts';

/** The bytes of all tables on the disk, with their indexes and long texts. */
export async function storedBytes(db: Db): Promise<number> {
  const row = await first(
    db,
    sql<{ bytes: number }>`
      select sum(pg_total_relation_size(oid))::float as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return row?.bytes ?? 0;
}

/** A text that cannot be compressed, with three bytes per character. */
export const longText = (length = 10_000): string =>
  String.fromCharCode(
    ...crypto.getRandomValues(new Uint16Array(length)).map((code) => 0x4e00 + (code % 0x5000)),
  );
