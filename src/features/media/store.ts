import { first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { updateUser } from '#features/auth/store.ts';
import { setPictureUrl } from '#features/clubs/store.ts';
import { urlOf } from '#features/media/rules.ts';
import type { AdminOf } from '#features/members/rules.ts';

/** Whose picture it is: the user's own, or that of a club, which only an admin may change. */
export type Place = { kind: 'person'; user_id: string } | { kind: 'avatar' | 'banner'; admin: AdminOf };

/** Replaces the picture, or removes it if `name` is undefined. A job deletes the old files after the commit. */
export async function showPicture(
  db: Db,
  place: Place,
  name: string | undefined,
  now: Instant,
): Promise<void> {
  const { user_id, club_id } = ownerOf(place);
  // Lock the row first: the second of two concurrent uploads then finds and deletes the picture of the first.
  await setUrl(db, place, name === undefined ? null : urlOf(name, place.kind));
  await run(
    db,
    sql`delete from pictures where kind = ${place.kind} and (user_id = ${user_id} or club_id = ${club_id})`,
  );
  if (name === undefined) return;
  await run(
    db,
    sql`insert into pictures (name, user_id, club_id, kind, created_at)
        values (${name}, ${user_id}, ${club_id}, ${place.kind}, ${now})`,
  );
}

const ownerOf = (place: Place): { user_id: string | null; club_id: string | null } =>
  place.kind === 'person'
    ? { user_id: place.user_id, club_id: null }
    : { user_id: null, club_id: place.admin.club_id };

async function setUrl(db: Db, place: Place, url: string | null): Promise<void> {
  const updated =
    place.kind === 'person'
      ? await updateUser(db, place.user_id, { profile_picture_url: url })
      : await setPictureUrl(db, place.admin, place.kind, url);
  // The account was deleted meanwhile.
  if (updated === 0) fail('not_signed_in');
}

export const isShown = async (db: Db, name: string): Promise<boolean> =>
  (await first(db, sql`select 1 from pictures where name = ${name}`)) !== undefined;
