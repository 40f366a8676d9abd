import { first, sql, type Db } from '#platform/db/client.ts';
import type { Event } from '#features/events/contract.ts';

export type EventPreview = Pick<
  Event,
  | 'slug'
  | 'name'
  | 'description'
  | 'start_time'
  | 'time_zone'
  | 'deleted_at'
  | 'owner_club_id'
  | 'club_name'
  | 'polling'
> & {
  /** The language of the club. */
  language: string;
};

/** The public link preview of an event. It contains no names of people. */
export const previewOfEvent = (db: Db, slug: string): Promise<EventPreview | undefined> =>
  first(
    db,
    sql<EventPreview>`
      select e.slug, e.name, e.description, e.start_time, e.time_zone, e.deleted_at, e.owner_club_id, e.polling,
        c.club_name, c.language
      from events e join clubs c on c.id = e.owner_club_id where e.slug = ${slug}`,
  );
