import { all, sql, type Db } from '#platform/db/client.ts';
import { firstLine, storedSearchText } from '#platform/db/search-text.ts';
import { byText, containsAll } from '#platform/db/text.ts';
import type { Viewer } from '#platform/context.ts';
import type { Instant } from '#wire/instant.ts';
import { searchedClubs } from '#features/members/queries.ts';
import { seriesOf } from '#features/events/queries.ts';
import { searchedEvents } from '#features/events/store.ts';
import type { Found } from '#features/search/contract.ts';

/** Maximum number of results of each type. */
const maxResults = 20;

/** Matching events of these clubs: upcoming before past, each nearest in time first, cancelled events last. */
export const findEvents = (
  db: Db,
  clubs: readonly string[],
  words: readonly string[],
  now: Instant,
): Promise<Found['events']> =>
  all(
    db,
    sql<Found['events'][number]>`
      select e.name, e.slug, e.start_time, e.deleted_at, c.club_name, ${seriesOf('e')} as series
      from events e
      cross join lateral (select club_name from clubs where id = e.owner_club_id limit 1) as c
      where e.owner_club_id = any(${clubs}::uuid[]) and ${containsAll(storedSearchText(searchedEvents, 'e'), words)}
      order by e.deleted_at is not null, e.end_time <= ${now}, abs(extract(epoch from e.start_time - ${now})), e.id
      limit ${maxResults}`,
  );

export const findClubs = (
  db: Db,
  { memberships }: Viewer,
  words: readonly string[],
): Promise<Found['clubs']> =>
  all(
    db,
    sql<Found['clubs'][number]>`
      select c.club_name, c.slug from clubs c
      where c.id = any(${[...memberships.keys()]}::uuid[]) and ${containsAll(firstLine(storedSearchText(searchedClubs, 'c')), words)}
      order by ${byText(sql`c.club_name`)}, c.id limit ${maxResults}`,
  );
