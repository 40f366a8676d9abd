import { all, first, sql, type Db } from '#platform/db/client.ts';
import { fail } from '#wire/errors.ts';
import { going, roleOf } from '#features/events/answer-queries.ts';
import type { HostsEditorOf } from '#features/events/access.ts';
import type { Event } from '#features/events/contract.ts';
import { maxHosts } from '#features/events/form-rules.ts';
import type { Face } from '#features/events/people-contract.ts';
import { hostFields } from '#features/events/queries.ts';

/** The first host of an event, and the role of the viewer. */
export async function hostOf(db: Db, viewer: string, id: string): Promise<Pick<Event, 'host' | 'my_role'>> {
  const found = await first(
    db,
    sql<Pick<Event, 'host' | 'my_role'>>`
      select (
          select ${hostFields('u')} from ${going} a join users u on u.id = a.user_id
          where a.event_id = e.id and a.host_no = 1) as host,
        (select ${roleOf('a')} from ${going} a where a.event_id = e.id and a.user_id = ${viewer}) as my_role
      from events e where id = ${id}`,
  );
  return found ?? fail('not_found');
}

/** The hosts of an event, the first host first. */
export const hostsOf = (db: Db, id: string): Promise<Face[]> =>
  all(
    db,
    sql<Face>`
      select u.id as attendee_id, ${roleOf('a')} as attendee_role, u.first_name, u.last_name, u.profile_picture_url
      from answers a join users u on u.id = a.user_id where a.event_id = ${id} and a.host_no is not null order by a.host_no`,
  );

/** The lowest number that no host of the event has. Undefined if there are as many hosts as can be. */
export async function freeNumber(db: Db, { id }: HostsEditorOf): Promise<number | undefined> {
  const free = await first(
    db,
    sql<{ n: number }>`
      select n from generate_series(2, ${maxHosts}::int) as n
      where n not in (select host_no from answers where event_id = ${id} and host_no is not null) order by n limit 1`,
  );
  return free?.n;
}
