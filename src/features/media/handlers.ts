import type { Config } from '#platform/config.ts';
import { inTransaction, type Db } from '#platform/db/client.ts';
import type { Context, UploadContext } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { makePicture } from '#platform/image.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { randomToken } from '#platform/token.ts';
import { fail } from '#wire/errors.ts';
import type { media } from '#features/media/contract.ts';
import { storageOf } from '#features/media/gateway.ts';
import { deleteUnusedLater } from '#features/media/jobs.ts';
import { fileName, frames, pictureOf, pictureUrl, type CroppedKind, type Kind } from '#wire/pictures.ts';
import * as store from '#features/media/store.ts';
import { asAdmin, asReadingAdmin } from '#features/members/store.ts';
import type { UpdatePicture } from '#features/updates/contract.ts';
import { asWriter } from '#features/updates/store.ts';

const hour = 60 * 60;

export const handlers: Handlers<typeof media> = {
  setOwn: (context, { file }) => setPicture(context, 'person', file, async () => ownPicture(context)),
  removeOwn: (context) => removePicture(context, ownPicture(context)),
  setAvatar: (context, { club, file }) => setOfClub(context, 'avatar', club, file),
  removeAvatar: (context, { club }) => removeOfClub(context, 'avatar', club),
  setBanner: (context, { club, file }) => setOfClub(context, 'banner', club, file),
  removeBanner: (context, { club }) => removeOfClub(context, 'banner', club),

  async addToUpdate(context, { club, file }) {
    const { db, user, now } = context;
    await asWriter(db, user, club, now);
    const picture = await savePicture(context, 'update', file);
    // Check again: the user may have lost this right during the upload.
    await inTransaction(db, async (transaction) =>
      store.addUpdatePicture(transaction, await asWriter(transaction, user, club, now), picture, now),
    );
    return picture;
  },

  async file({ db, config }, { name: file }) {
    const picture = pictureOf(file) ?? fail('not_found');
    if (!(await store.isShown(db, picture))) fail('not_found');
    const body = (await storageOf(config).find(file)) ?? fail('not_found');
    return { body, filename: file, immutable: true };
  },
};

const ownPicture = ({ user }: Context<'user'>): store.Place => ({ kind: 'person', user_id: user.id });

async function setOfClub(context: UploadContext, kind: 'avatar' | 'banner', club: string, file: Buffer) {
  const { db, user } = context;
  await asReadingAdmin(db, user, club);
  return setPicture(context, kind, file, async (db) => ({ kind, admin: await asAdmin(db, user, club) }));
}

async function removeOfClub(context: Context<'user'>, kind: 'avatar' | 'banner', club: string) {
  return removePicture(context, { kind, admin: await asAdmin(context.db, context.user, club) });
}

async function removePicture({ db, now }: Context<'user'>, place: store.Place): Promise<null> {
  await store.showPicture(db, place, undefined, now);
  return null;
}

async function setPicture(
  context: Context<'user'>,
  kind: CroppedKind,
  file: Buffer,
  resolvePlace: (db: Db) => Promise<store.Place>,
): Promise<{ url: string }> {
  const { name } = await savePicture(context, kind, file);
  await inTransaction(context.db, async (transaction) =>
    store.showPicture(transaction, await resolvePlace(transaction), name, context.now),
  );
  return { url: pictureUrl(name, kind) };
}

/** Saves the files before the picture is shown, so that no URL leads to a missing file. */
async function savePicture(
  { db, user, now, config }: Context<'user'>,
  kind: Kind,
  file: Buffer,
): Promise<UpdatePicture> {
  await limit(db, `pictures-an-hour:${user.id}`, { max: 30, seconds: hour, now });
  const { sizes, width, height } = await makePicture(file, frames[kind]);
  const name = randomToken(128);
  await deleteUnusedLater(db, name);
  await saveAll(config, name, sizes);
  return { name, width, height };
}

/** Saves all sizes or none: a failed upload must not fill a full disk further. */
async function saveAll(config: Config, name: string, sizes: ReadonlyMap<number, Buffer>): Promise<void> {
  const storage = storageOf(config);
  try {
    for (const [width, bytes] of sizes) await storage.save(fileName(name, width), bytes);
  } catch (error) {
    for (const width of sizes.keys()) await storage.remove(fileName(name, width)).catch(() => {});
    throw error;
  }
}
