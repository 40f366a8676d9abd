import { sql } from '#platform/db/client.ts';

/** SQL: whether an event, or what has its `section_ids`, is for a member. */
export const isFor = (event: string, member: string) =>
  sql`is_for(${sql.ref(`${event}.section_ids`)}, ${sql.ref(`${member}.section_ids`)})`;

/** SQL: whether an event is for a viewer. Events without sections, which are most, are for everybody. */
export const isForViewer = (event: string, viewer: unknown) => sql`
  case when ${sql.ref(`${event}.section_ids`)} = '{}' then true else coalesce((
    select ${isFor(event, 'm')} from members m
    where m.club_id = ${sql.ref(`${event}.owner_club_id`)} and m.user_id = ${viewer}), false) end`;

/** SQL: the names of the sections that an event is for, in their order. */
export const sectionNames = (event: string) => sql`
  case when ${sql.ref(`${event}.section_ids`)} = '{}' then array[]::text[] else array(
    select s.name from sections s where s.id = any(${sql.ref(`${event}.section_ids`)}) order by s.position, s.id) end`;

/** The audience of a notice about an event: the members that it is for, as rows of `user_id`. */
export const membersItIsFor = (event: string) => sql`
  select m.user_id from events e join members m on m.club_id = e.owner_club_id and ${isFor('e', 'm')} where e.id = ${event}::uuid`;
