import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3mini, S3ServiceError } from 's3mini';
import type { Config } from '#platform/config.ts';
import { ApiError } from '#wire/errors.ts';

/** File storage outside of the database. */
export interface Storage {
  save(file: string, bytes: Buffer): Promise<void>;
  find(file: string): Promise<Buffer | undefined>;
  /** Succeeds if the file does not exist. */
  remove(file: string): Promise<void>;
  list(): Promise<string[]>;
}

type Area = 'media' | 'deletions';

/** The bucket if one is configured, otherwise the disk. */
export const storageOf = (config: Config, area: Area = 'media'): Storage =>
  config.s3 ? inBucket(config.s3, area) : onDisk(join(config.dataDir, area));

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** Rejects file names that lead outside of the folder; archives and the database are untrusted sources of names. */
function pathIn(folder: string, file: string): string {
  if (!/^\.?[\w-][\w.-]*$/.test(file)) throw new Error(`Invalid file name: ${JSON.stringify(file)}`);
  return join(folder, file);
}

function onDisk(folder: string): Storage {
  const pathOf = (file: string) => pathIn(folder, file);
  const remove = async (file: string) => rm(pathOf(file), { force: true });
  return {
    async save(file, bytes) {
      const temporary = `.${file}`;
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(pathOf(temporary), bytes);
        await rename(pathOf(temporary), pathOf(file));
      } catch (error) {
        await remove(temporary).catch(() => {});
        throw /^(ENOSPC|EDQUOT|EFBIG)$/.test(codeOf(error)) ? new ApiError('storage_full') : error;
      }
    },
    find: async (file) =>
      readFile(pathOf(file)).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }),
    remove,
    async list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      });
      return names.filter((name) => !name.startsWith('.'));
    },
  };
}

/** Pictures are stored at the root of the bucket, everything else in a folder. */
const folders = { media: '', deletions: 'deletions/' } satisfies Record<Area, string>;

function inBucket(
  { endpoint, bucket, region, accessKeyId, secretAccessKey }: NonNullable<Config['s3']>,
  area: Area,
) {
  const folder = folders[area];
  const type = area === 'media' ? 'image/webp' : 'text/plain';
  const store = new S3mini({
    endpoint: `${endpoint.replace(/\/+$/, '')}/${bucket}`,
    region,
    accessKeyId,
    secretAccessKey,
    requestAbortTimeout: 10_000,
  });
  const storage: Storage = {
    save: (file, bytes) =>
      withStorageErrors(
        async () =>
          void (await store.putObject(folder + file, bytes, type, undefined, undefined, bytes.length)),
      ),
    find: (file) =>
      withStorageErrors(async () => {
        const bytes = await store.getObjectArrayBuffer(folder + file);
        return bytes ? Buffer.from(bytes) : undefined;
      }),
    remove: (file) => withStorageErrors(async () => void (await store.deleteObject(folder + file))),
    list: () =>
      withStorageErrors(async () => {
        const objects = (await store.listObjects('/', folder)) ?? [];
        return objects.map(({ Key }) => Key.slice(folder.length)).filter((name) => !name.includes('/'));
      }),
  };
  return storage;
}

async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFull = error instanceof S3ServiceError && error.status === 507;
    throw isFull ? new ApiError('storage_full') : new ApiError('unavailable', { retryAfter: 5 });
  }
}
