import { randomUUID } from 'node:crypto';
import { all, first, isoTimestamp, run, sql, type Db } from '#platform/db/client.ts';
import type { Actor } from '#platform/context.ts';
import type { Instant } from '#wire/instant.ts';
import { fail, failIf } from '#wire/errors.ts';
import { isPlanner, type MemberOf, type PlannerOf } from '#features/members/rules.ts';
import { asMember, lockClub } from '#features/members/store.ts';
import type { Update } from '#features/updates/contract.ts';
import { whyCannotChange, type EditorOf, type WriterOf } from '#features/updates/rules.ts';

/** Checks that the user may change the update. Locks the club and the update, to serialise concurrent changes. */
export async function asEditor(db: Db, user: Actor, club: string, update: string): Promise<EditorOf> {
  const member = await asMember(db, user, await lockClub(db, club));
  const found = await first(
    db,
    sql<Omit<EditorOf, symbol> & Pick<Update, 'creator_id'>>`
      select club_id, id as update_id, version, creator_id from club_updates
      where id = ${update} and club_id = ${member.club_id} for update`,
  );
  if (!found) fail('not_found');
  const { creator_id, ...editor } = found;
  failIf(whyCannotChange(member, { creator_id }));
  return editor as EditorOf;
}

/** Checks that the user is a planner of the club or the author of one of its updates. */
export async function asWriter(db: Db, user: Actor, club: string): Promise<WriterOf> {
  const member = await asMember(db, user, club);
  const { club_id } = member;
  const own = sql`select 1 from club_updates where club_id = ${club_id} and creator_id = ${user.id} limit 1`;
  if (!isPlanner(member) && !(await first(db, own))) fail('not_author');
  return { club_id } as WriterOf;
}

/** The content of an update. */
type Content = Pick<Update, 'content'> & { pictures: readonly string[] };

/**
 * Called with the pictures chosen for an update. `app/features.ts` registers listeners of features that this one cannot
 * import.
 */
export const onPicturesChosen: ((
  db: Db,
  chosen: { club_id: string; update_id: string; pictures: readonly string[] },
) => Promise<unknown>)[] = [];

async function choosePictures(db: Db, chosen: Parameters<(typeof onPicturesChosen)[number]>[1]) {
  if (onPicturesChosen.length === 0) throw new Error('app/features.ts is not loaded');
  for (const listener of onPicturesChosen) await listener(db, chosen);
}

export async function addUpdate(
  db: Db,
  { club_id, user_id }: PlannerOf,
  { content, pictures }: Content,
  now: Instant,
): Promise<string> {
  const update_id = randomUUID();
  await run(
    db,
    sql`insert into club_updates (id, club_id, creator_id, content, created_at)
        values (${update_id}, ${club_id}, ${user_id}, ${content}, ${now})`,
  );
  if (pictures.length > 0) await choosePictures(db, { club_id, update_id, pictures });
  return update_id;
}

/** Changes the given fields. Returns whether anything changed; if nothing did, the update is not marked as edited. */
export async function changeUpdate(
  db: Db,
  { club_id, update_id }: EditorOf,
  { content = null, pictures = null }: { [Key in keyof Content]?: Content[Key] | undefined | null },
  now: Instant,
): Promise<boolean> {
  const shown = sql`array(select name from pictures p where p.update_id = new.id order by p.position)`;
  const changed = await run(
    db,
    sql`update club_updates new
        set content = coalesce(${content}, content), version = version + 1, edited_at = ${now}
        where id = ${update_id} and (content <> ${content}::text or ${shown} <> ${pictures}::text[])`,
  );
  if (changed > 0 && pictures) await choosePictures(db, { club_id, update_id, pictures });
  return changed > 0;
}

/** Deletes an update; a foreign key cascades to its pictures. */
export const deleteUpdate = (db: Db, { update_id }: EditorOf) =>
  run(db, sql`delete from club_updates where id = ${update_id}`);

/** The columns of an `Update`, from a row of `club_updates` and its creator, if any. */
function columns({ update, creator }: Record<'update' | 'creator', string>) {
  const [shown, u] = [sql.ref(update), sql.ref(creator)];
  return sql`
    ${shown}.id, ${shown}.content, ${isoTimestamp(`${update}.created_at`)} as created_at,
    ${isoTimestamp(`${update}.edited_at`)} as edited_at, ${shown}.version, ${shown}.creator_id,
    ${u}.first_name as creator_first_name, ${u}.last_name as creator_last_name,
    coalesce((
      select json_agg(json_build_object('name', p.name, 'width', p.width, 'height', p.height) order by p.position)
      from pictures p where p.update_id = ${shown}.id), '[]') as pictures`;
}

export async function updateById(db: Db, id: string): Promise<Update> {
  const update = await first(
    db,
    sql<Update>`
      select ${columns({ update: 'new', creator: 'u' })}
      from club_updates new left join users u on u.id = new.creator_id where new.id = ${id}`,
  );
  return update ?? fail('not_found');
}

/** The newest updates of a club, newest first. */
export const newest = (db: Db, { club_id }: MemberOf, limit: number): Promise<Update[]> =>
  all(db, newestOf(club_id, limit));

export const newestOf = (club_id: unknown, limit: number) =>
  sql<Update>`
    select ${columns({ update: 'new', creator: 'u' })}
    from club_updates new left join users u on u.id = new.creator_id
    where new.club_id = ${club_id} order by new.created_at desc, new.id limit ${limit}`;
