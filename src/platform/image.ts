import type { ResizeOptions } from 'sharp';
import { fail, ApiError } from '#wire/errors.ts';
import { maxPixels } from '#wire/pictures.ts';

/** Loaded on first use: the library is large, and most requests do not need it. */
async function library() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** Seconds. Only malicious pictures take longer. */
const timeout = 10;
const maxQueued = 20;

/** Signatures of PNG, JPEG and WebP. Other files never reach the library, which supports many more formats. */
const signatures = [/^\x89PNG\r\n/, /^\xff\xd8\xff/, /^RIFF.{4}WEBP/s];
const isPicture = (file: Buffer) => {
  const start = file.toString('latin1', 0, 16);
  return signatures.some((signature) => signature.test(start));
};

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Processes one picture at a time, to limit memory and CPU. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting === maxQueued) throw new ApiError('unavailable', { retryAfter: 5 });
  waiting++;
  const turn = last.then(work).finally(() => waiting--);
  last = turn.catch(() => {});
  return turn;
}

/** The output sizes of a picture. `ratio` is width divided by height; undefined keeps the ratio of the picture. */
interface Frame {
  widths: readonly number[];
  ratio: number | undefined;
}

/** The encoded pictures by width, and the dimensions of the largest one. */
interface Picture {
  sizes: Map<number, Buffer>;
  width: number;
  height: number;
}

/**
 * Re-encodes a PNG, JPEG or WebP as WebP in each width of the frame, rotated upright and without metadata. With a
 * ratio, the picture is cropped around its centre. Without one, it is scaled to fit into a square and never enlarged.
 * Throws `not_a_picture` for any other content.
 */
export const makePicture = async (file: Buffer, { widths, ratio }: Frame): Promise<Picture> => {
  if (!isPicture(file)) fail('not_a_picture');
  return inTurn(async () => {
    const sharp = await library();
    const { data, info } = await read(sharp, file, resizing(Math.max(...widths), ratio));
    const sizes = new Map<number, Buffer>();
    for (const width of widths) {
      const scaled = sharp(data, { raw: info }).resize(resizing(width, ratio));
      sizes.set(width, await scaled.webp({ quality: 82 }).toBuffer());
    }
    return { sizes, width: info.width, height: info.height };
  });
};

type Sharp = Awaited<ReturnType<typeof library>>;

const resizing = (width: number, ratio: number | undefined): ResizeOptions =>
  ratio === undefined
    ? { width, height: width, fit: 'inside', withoutEnlargement: true }
    : { width, height: Math.round(width / ratio), fit: 'cover' };

async function read(sharp: Sharp, file: Buffer, options: ResizeOptions) {
  try {
    return await sharp(file, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
      .timeout({ seconds: timeout })
      .autoOrient()
      .resize(options)
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
  } catch {
    // The library does not distinguish between invalid and malicious input.
    return fail('not_a_picture');
  }
}
