import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { bucketServer } from '#test/bucket.ts';
import { outcomeOf } from '#test/calls.ts';
import { expectError, expectSafe } from '#test/wire.ts';
import { isolatedWorld, world, type Person, type World } from '#test/world.ts';

/** A picture with a red left half and a blue right half. */
function halves(width: number, height: number) {
  const half = { create: { width: width >> 1, height, channels: 3, background: '#f00' } } as const;
  return sharp({ create: { ...half.create, width, background: '#00f' } }).composite([
    { input: half, left: 0, top: 0 },
  ]);
}
const red = [255, 0, 0];
const blue = [0, 0, 255];

async function colourAt(picture: Buffer, x: number, y: number): Promise<number[]> {
  const pixel = await sharp(picture)
    .extract({ left: x, top: y, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer();
  return [...pixel];
}
const closeTo = (colour: number[]) => colour.map((part) => expect.closeTo(part, -1.5) as number);

const folderOf = (w: World) => join(w.config.dataDir, 'media');
const filesIn = (w: World) => readdir(folderOf(w)).catch(() => []);

/** Waits for jobs that run after the commit. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await isSo()) return;
    await sleep(25);
  }
  throw new Error('it never came to that');
}

async function fetchPicture(w: World, url: string) {
  const response = await fetch(w.origin + url);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

const atWidth = (url: string, width: number) => url.replace(/\d+(?=\.webp$)/, String(width));
const sendOwn = (person: Person, file: Buffer) => outcomeOf(person.api.media.setOwn({ file }));

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** A valid square PNG of black pixels with the given side, only a few kilobytes long. */
function bomb(side: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([1, 0], 8);
  const rows = deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side));
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([start, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

const plain = (background: string) =>
  sharp({ create: { width: 50, height: 50, channels: 4, background } })
    .png()
    .toBuffer();
const noisy = () => sharp(randomBytes(90_000), { raw: { width: 200, height: 150, channels: 3 } });
const cut = (file: Buffer) => file.subarray(0, file.length >> 1);

describe('picture', () => {
  test('of a person is shown everywhere in three sizes [DATA-03 DATA-08]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada, bob]);
    const { url } = await ada.api.media.setOwn({ file: await halves(900, 600).png().toBuffer() });
    expect(url).toMatch(/^\/api\/v1\/media\/[\w-]{22}-256\.webp$/);
    expect((await ada.api.users.me({})).profile_picture_url).toBe(url);
    const { members } = await bob.api.clubs.get({ club: club.id });
    expect(members.map((member) => [member.id, member.profile_picture_url]).toSorted()).toEqual(
      [
        [ada.id, url],
        [bob.id, null],
      ].toSorted(),
    );
    for (const width of [96, 256, 512]) {
      const response = await fetchPicture(w, atWidth(url, width));
      expectSafe(response);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/webp');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      // Webmail shows the pictures of emails in pages of its own.
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(await sharp(response.bytes).metadata()).toMatchObject({ format: 'webp', width, height: width });
    }
    expect(await filesIn(w)).toHaveLength(3);
  });

  test('of a club is separate from its banner [DATA-04 DATA-05 DATA-07]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const club = await w.club([ada]);
    const avatar = await ada.api.media.setAvatar({
      club: club.slug,
      file: await halves(300, 300).jpeg().toBuffer(),
    });
    const banner = await ada.api.media.setBanner({
      club: club.id,
      file: await halves(1200, 400).webp().toBuffer(),
    });
    const shown = { profile_picture_url: avatar.url, profile_banner_url: banner.url };
    expect(await ada.api.clubs.get({ club: club.id })).toMatchObject(shown);
    expect(await ada.api.clubs.getForAdmin({ club: club.id })).toMatchObject(shown);
    expect((await ada.api.users.me({})).clubs[0]?.profile_picture_url).toBe(avatar.url);
    for (const [width, height] of [
      [800, 267],
      [1600, 533],
    ] as const)
      expect(await sharp((await fetchPicture(w, atWidth(banner.url, width))).bytes).metadata()).toMatchObject(
        {
          width,
          height,
        },
      );

    await ada.api.media.removeAvatar({ club: club.id });
    expect(await ada.api.clubs.get({ club: club.id })).toMatchObject({ ...shown, profile_picture_url: null });
    await ada.api.media.removeBanner({ club: club.id });
    expect((await ada.api.clubs.get({ club: club.id })).profile_banner_url).toBeNull();
    await until(async () => (await filesIn(w)).length === 0);
  });

  test('of an update keeps its aspect ratio and is never enlarged [UX-30]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const club = await w.club([ada]);
    const add = async (file: Buffer) => {
      const { name, ...size } = await ada.api.media.addToUpdate({ club: club.slug, file });
      const sizes = [800, 1600].map(async (width) => {
        const { bytes } = await fetchPicture(w, `/api/v1/media/${name}-${width}.webp`);
        const { format, width: shown, height } = await sharp(bytes).metadata();
        return [format, shown, height];
      });
      return [size, ...(await Promise.all(sizes))];
    };
    expect(await add(await halves(3200, 800).png().toBuffer())).toEqual([
      { width: 1600, height: 400 },
      ['webp', 800, 200],
      ['webp', 1600, 400],
    ]);
    expect(await add(await halves(300, 900).jpeg().toBuffer())).toEqual([
      { width: 300, height: 900 },
      ['webp', 267, 800],
      ['webp', 300, 900],
    ]);
    for (const file of [Buffer.from('<svg/>'), bomb(5000)])
      expect(await outcomeOf(ada.api.media.addToUpdate({ club: club.id, file }))).toBe('400 not_a_picture');
  });

  test('is rotated upright and loses its location metadata [T31]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const file = await halves(400, 300)
      .withExif({
        IFD0: { Copyright: 'a canary' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(file.includes('a canary')).toBe(true);
    const { url } = await ada.api.media.setOwn({ file });
    const { bytes } = await fetchPicture(w, atWidth(url, 512));
    // Rotated clockwise by 90 degrees: the left half is now on top.
    expect(await colourAt(bytes, 256, 40)).toEqual(closeTo(red));
    expect(await colourAt(bytes, 256, 470)).toEqual(closeTo(blue));
    const metadata = await sharp(bytes).metadata();
    expect([metadata.exif, metadata.xmp, metadata.iptc, metadata.icc, metadata.orientation]).toEqual(
      Array(5).fill(undefined),
    );
    expect(bytes.includes('a canary')).toBe(false);
  });

  test('keeps transparency, and only the first frame of an animation', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const frames = [await plain('#f00'), await plain('#00f')];
    const moving = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(2);
    const { url } = await ada.api.media.setOwn({ file: moving });
    const still = (await fetchPicture(w, url)).bytes;
    expect((await sharp(still).metadata()).pages ?? 1).toBe(1);
    expect(await colourAt(still, 9, 9)).toEqual(closeTo(red));

    const clear = await ada.api.media.setOwn({ file: await plain('#00000000') });
    expect((await sharp((await fetchPicture(w, clear.url)).bytes).metadata()).hasAlpha).toBe(true);
  });

  test('is deleted when it is replaced, or when its club or user is deleted', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada]);
    const file = await halves(60, 60).png().toBuffer();
    const first = await ada.api.media.setOwn({ file });
    const second = await ada.api.media.setOwn({ file });
    expect((await fetchPicture(w, first.url)).status).toBe(404);
    expect((await fetchPicture(w, second.url)).status).toBe(200);
    await until(async () => (await filesIn(w)).length === 3);
    expect((await filesIn(w)).every((name) => second.url.includes(name.slice(0, 22)))).toBe(true);

    await ada.api.media.removeOwn({});
    expect((await ada.api.users.me({})).profile_picture_url).toBeNull();
    expect((await fetchPicture(w, second.url)).status).toBe(404);

    const banner = await ada.api.media.setBanner({ club: club.id, file });
    await ada.api.clubs.remove({ club: club.id });
    expect((await fetchPicture(w, banner.url)).status).toBe(404);

    const face = await bob.api.media.setOwn({ file });
    await run(w.db, sql`delete from users where id = ${bob.id}`);
    expect((await fetchPicture(w, face.url)).status).toBe(404);
    await until(async () => (await filesIn(w)).length === 0);
  });

  test('is stored once after several concurrent uploads, and the files of the other uploads are deleted', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const file = await halves(60, 60).png().toBuffer();
    await Promise.all(Array.from({ length: 6 }, () => ada.api.media.setOwn({ file })));
    expect(await all(w.db, sql`select 1 from pictures`)).toHaveLength(1);
    await until(async () => (await filesIn(w)).length === 3);
    const { profile_picture_url: url } = await ada.api.users.me({});
    expect((await fetchPicture(w, url ?? '')).status).toBe(200);
  });

  test('can be uploaded at most thirty times an hour', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    await run(
      w.db,
      sql`insert into rate_limits (key, window_ends_at, taken)
          values (${`pictures-an-hour:${ada.id}`}, now() + interval '1 hour', 30)`,
    );
    const token = ada.session.read()?.AccessToken.Token;
    const file = new Blob([await halves(60, 60).png().toBuffer()], { type: 'image/png' });
    const response = await ask(w.origin, contracts.media.setOwn, { file }, token);
    expectError(response);
    expect(response.status).toBe(429);
  });

  test('has an unguessable URL', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const { url } = await ada.api.media.setOwn({ file: await halves(60, 60).png().toBuffer() });
    const name = url.split('/').at(-1) as string;
    const wrong = [
      '',
      atWidth(name, 100),
      atWidth(name, 800),
      name.slice(1),
      name.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')),
      `.${name}`,
      '..%2Fsecret.key',
      '../secret.key',
      'x'.repeat(100),
    ];
    for (const each of wrong)
      expect({ each, status: (await fetchPicture(w, `/api/v1/media/${each}`)).status }).toEqual({
        each,
        status: 404,
      });
  });
});

describe('invalid upload, with any declared type, is refused', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const files: [string, () => Promise<Buffer> | Buffer][] = [
    ['SVG', () => Buffer.from(svg)],
    ['SVG after an XML declaration', () => Buffer.from(`<?xml version="1.0"?>\n${svg}`)],
    ['text', () => Buffer.from('I am no picture')],
    ['noise', () => randomBytes(5000)],
    ['GIF', () => halves(60, 60).gif().toBuffer()],
    ['TIFF', () => halves(60, 60).tiff().toBuffer()],
    ['AVIF', () => halves(60, 60).avif().toBuffer()],
    ['the header of a PNG', async () => (await halves(60, 60).png().toBuffer()).subarray(0, 40)],
    ['half a JPEG', async () => cut(await noisy().jpeg().toBuffer())],
    ['half a PNG', async () => cut(await noisy().png().toBuffer())],
    ['half a WebP', async () => cut(await noisy().webp().toBuffer())],
    [
      'a picture with one pixel row too many',
      () =>
        sharp({ create: { width: 5000, height: 4001, channels: 3, background: '#456' } })
          .png()
          .toBuffer(),
    ],
  ];

  test.each(files)('%s', async (_what, make) => {
    await using w = await world();
    const ada = await w.person('Ada');
    const file = await make();
    for (const type of ['image/png', 'image/webp'])
      expect(
        await outcomeOf(ada.api.media.setOwn({ file: new Blob([new Uint8Array(file)], { type }) })),
      ).toBe('400 not_a_picture');
    expect((await ada.api.users.me({})).profile_picture_url).toBeNull();
    expect(await filesIn(w)).toEqual([]);
  });

  test('a decompression bomb of 900 megapixels, in less than a second [T31]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const file = bomb(30_000);
    expect(file.length).toBeLessThan(5 * 1024 * 1024);
    const started = performance.now();
    expect(await sendOwn(ada, file)).toBe('400 not_a_picture');
    expect(performance.now() - started).toBeLessThan(1000);
    expect(await sendOwn(ada, bomb(300))).toBe('ok');
  });

  test('larger than 5 MiB, empty, of another type, or without a session [T31]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const token = ada.session.read()?.AccessToken.Token;
    const max = 5 * 1024 * 1024;
    const picture = await halves(60, 60).jpeg().toBuffer();
    const padded = (size: number) => Buffer.concat([picture, Buffer.alloc(size - picture.length)]);
    const send = (bytes: Buffer, type: string, bearer = token) =>
      ask(w.origin, contracts.media.setOwn, { file: new Blob([new Uint8Array(bytes)], { type }) }, bearer);
    expect((await send(padded(max), 'image/jpeg')).status).toBe(200);
    for (const [answer, status] of [
      [await send(padded(max + 1), 'image/jpeg'), 413],
      [await send(Buffer.alloc(0), 'image/jpeg'), 400],
      [await send(picture, 'image/svg+xml'), 415],
      [await send(Buffer.from('{}'), 'application/json'), 415],
      // The session is checked before any byte of the file is read.
      [await send(padded(max + 1), 'image/jpeg', 'a guess'), 401],
    ] as const) {
      expectError(answer);
      expect(answer.status).toBe(status);
    }
    const json = { file: new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }) };
    expect((await ask(w.origin, contracts.clubs.create, json, token)).status).toBe(415);
  });
});

test('uploads: thirty concurrent large pictures do not delay other requests, and uploads beyond twenty get 503', async () => {
  await using w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const file = await sharp({ create: { width: 3000, height: 2500, channels: 3, background: '#456' } })
    .png()
    .toBuffer();
  const progress = { isDone: false };
  const sent = Promise.all(Array.from({ length: 30 }, () => sendOwn(ada, file))).finally(
    () => (progress.isDone = true),
  );
  const waits: number[] = [];
  while (!progress.isDone) {
    const started = performance.now();
    await bob.api.users.me({});
    waits.push(performance.now() - started);
  }
  const outcomes = await sent;
  expect(new Set(outcomes)).toEqual(new Set(['ok', '503 unavailable']));
  expect(outcomes.filter((outcome) => outcome === 'ok').length).toBeGreaterThanOrEqual(20);
  expect(waits.length).toBeGreaterThan(10);
  expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]).toBeLessThan(200);
});

describe('bucket storage', () => {
  test('stores, serves and deletes pictures', async () => {
    await using bucket = await bucketServer();
    await using w = await isolatedWorld(bucket.settings);
    const ada = await w.person('Ada');
    const { url } = await ada.api.media.setOwn({ file: await halves(60, 60).png().toBuffer() });
    const [name] = /[\w-]{22}/.exec(url) as unknown as [string];
    expect([...bucket.kept.keys()].toSorted()).toEqual(
      [256, 512, 96].map((width) => `/club-pictures/${name}-${width}.webp`),
    );
    expect(await filesIn(w)).toEqual([]);
    const { status, bytes } = await fetchPicture(w, url);
    expect(status).toBe(200);
    expect((await sharp(bytes).metadata()).width).toBe(256);
    await ada.api.media.removeOwn({});
    await until(async () => bucket.kept.size === 0);
  });

  test('refuses an upload when full or unavailable, and keeps the previous picture', async () => {
    await using bucket = await bucketServer();
    await using w = await isolatedWorld(bucket.settings);
    const ada = await w.person('Ada');
    const file = await halves(60, 60).png().toBuffer();
    const { url } = await ada.api.media.setOwn({ file });
    for (const [mood, outcome] of [
      [507, '507 storage_full'],
      [500, '503 unavailable'],
      [403, '503 unavailable'],
    ] as const) {
      bucket.state.mood = mood;
      expect(await sendOwn(ada, file)).toBe(outcome);
    }
    expect((await fetchPicture(w, url)).status).toBe(503);
    bucket.state.mood = 200;
    bucket.state.room = 5;
    expect(await sendOwn(ada, file)).toBe('507 storage_full');
    expect(bucket.kept.size).toBe(3);
    expect((await fetchPicture(w, url)).status).toBe(200);
    expect((await ada.api.users.me({})).profile_picture_url).toBe(url);
    expect(await all(w.db, sql`select 1 from pictures`)).toHaveLength(1);
  });
});

test('uploads: files of a failed upload are deleted', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const file = await halves(60, 60).png().toBuffer();
  const { url } = await ada.api.media.setOwn({ file });
  await run(w.db, sql`alter table pictures add constraint broken check (name = 'none') not valid`);
  expect(await sendOwn(ada, file)).toBe('400 bad_input');
  expect(await filesIn(w)).toHaveLength(6);
  await run(w.db, sql`update jobs set run_at = now()`);
  await until(async () => (await filesIn(w)).length === 3);
  expect((await fetchPicture(w, url)).status).toBe(200);
});

test('delete_unused_picture: a row with a path as its name, as in a forged archive, removes no file outside of the folder [T37]', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const outside = join(w.config.dataDir, 'outside-96.webp');
  await writeFile(outside, 'not ours');
  await run(
    w.db,
    sql`insert into pictures (name, user_id, kind, created_at) values ('../outside', ${ada.id}, 'person', now())`,
  );
  await run(w.db, sql`delete from pictures`);
  const failed = sql`select 1 from jobs where name = 'delete_unused_picture' and attempts > 0 and locked_until is null`;
  await until(async () => (await all(w.db, failed)).length === 1);
  expect(await readFile(outside, 'utf8')).toBe('not ours');
});
