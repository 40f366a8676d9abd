import { all, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import type { Found } from '#features/search/contract.ts';

/** How many of each are enough to choose from. */
const max = 20;

/** Whether a name holds every one of the words, whatever their case. No character of a word means anything but itself. */
const holds = (name: string, words: readonly string[]) =>
  sql<boolean>`not exists (
    select from unnest(${words}::text[]) as word where strpos(lower(${sql.ref(name)}), lower(word)) = 0)`;

/** The events of the clubs somebody is in: what is coming first, nearest in time first, and cancelled ones last. */
export const eventsWith = (
  db: Db,
  user: string,
  words: readonly string[],
  now: Instant,
): Promise<Found['events']> =>
  all(
    db,
    sql<Found['events'][number]>`
      select e.name, e.slug, e.start_time from events e
      join members m on m.club_id = e.owner_club_id and m.user_id = ${user}
      where ${holds('e.name', words)}
      order by e.deleted_at is not null, e.end_time <= ${now}, abs(extract(epoch from e.start_time - ${now})), e.id
      limit ${max}`,
  );

export const clubsWith = (db: Db, user: string, words: readonly string[]): Promise<Found['clubs']> =>
  all(
    db,
    sql<Found['clubs'][number]>`
      select c.club_name, c.slug from clubs c
      join members m on m.club_id = c.id and m.user_id = ${user}
      where ${holds('c.club_name', words)}
      order by lower(c.club_name), c.id limit ${max}`,
  );
