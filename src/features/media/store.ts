import { first, run, sql, type Db } from '#platform/db/client.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { updateUser } from '#features/auth/store.ts';
import { setPictureUrl } from '#features/clubs/store.ts';
import { pictureUrl } from '#wire/pictures.ts';
import type { AdminOf } from '#features/members/rules.ts';
import { addLogEntry } from '#features/members/store.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import type { WriterOf } from '#features/updates/rules.ts';

/** The owner of a picture: a user, or a club, whose picture only an admin may change. */
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
  await setUrl(db, place, name === undefined ? null : pictureUrl(name, place.kind));
  const removed = await run(
    db,
    sql`delete from pictures where kind = ${place.kind} and (user_id = ${user_id} or club_id = ${club_id})`,
  );
  if (place.kind !== 'person' && (name !== undefined || removed > 0)) {
    const fields = [place.kind === 'avatar' ? 'profile_picture_url' : 'profile_banner_url'] as const;
    await addLogEntry(db, place.admin, { kind: 'settings', fields }, now);
  }
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

/** Adds a picture that an update may show later. */
export const addUpdatePicture = (
  db: Db,
  { club_id }: WriterOf,
  { name, width, height }: UpdatePicture,
  now: Instant,
) =>
  run(
    db,
    sql`insert into pictures (name, club_id, kind, width, height, created_at)
        values (${name}, ${club_id}, 'update', ${width}, ${height}, ${now})`,
  );

/**
 * Shows the given pictures with an update, in the given order, and deletes the update's other pictures. Fails unless
 * all given pictures belong to the update's club and to no other update.
 */
export async function onPicturesChosen(
  db: Db,
  { club_id, update_id, pictures }: { club_id: string; update_id: string; pictures: readonly string[] },
): Promise<void> {
  await run(
    db,
    sql`delete from pictures where update_id = ${update_id} and name <> all(${pictures}::text[])`,
  );
  const shown = await run(
    db,
    sql`update pictures set update_id = ${update_id}, position = chosen.position
        from unnest(${pictures}::text[]) with ordinality as chosen (name, position)
        where pictures.name = chosen.name and kind = 'update' and club_id = ${club_id}
          and (update_id is null or update_id = ${update_id})`,
  );
  if (shown !== pictures.length) fail('picture_gone');
}

/** Deletes pictures that were never used in an update. */
export const deleteUnusedPictures = (db: Db, before: Instant) =>
  run(db, sql`delete from pictures where kind = 'update' and update_id is null and created_at < ${before}`);

/** Whether a picture is in use. Only then are its files served and kept. */
export const isShown = async (db: Db, name: string): Promise<boolean> =>
  (await first(db, sql`select 1 from pictures where name = ${name}`)) !== undefined;
