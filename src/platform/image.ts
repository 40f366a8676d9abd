import { fail, ApiError } from '#wire/errors.ts';

/** Loaded with the first picture: it is large, and most that is asked of a Muster needs none. */
async function library() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

const maxPixels = 20_000_000;
/** Seconds. What takes longer was made to. */
const longest = 10;
const maxQueued = 20;

/** How a PNG, a JPEG and a WebP begin. What begins otherwise never comes near the library, which reads much more. */
const beginnings = [/^\x89PNG\r\n/, /^\xff\xd8\xff/, /^RIFF.{4}WEBP/s];
const isPicture = (file: Buffer) => {
  const start = file.toString('latin1', 0, 16);
  return beginnings.some((beginning) => beginning.test(start));
};

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** One picture at a time, so that neither memory nor the requests of others suffer from many. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting === maxQueued) throw new ApiError('unavailable', { retryAfter: 5 });
  waiting++;
  const turn = last.then(work).finally(() => waiting--);
  last = turn.catch(() => {});
  return turn;
}

/** The frame that a picture is put into: its widths, and how many times as wide as high it is. */
interface Frame {
  widths: readonly number[];
  ratio: number;
}

/**
 * Makes a PNG, JPEG or WebP anew as WebP, once for each width of the frame: turned upright, cut to the ratio around
 * its middle, and without a word about where and with what it was taken. Anything else is refused, going by its
 * content alone.
 */
export const makePicture = async (file: Buffer, frame: Frame): Promise<Map<number, Buffer>> => {
  if (!isPicture(file)) fail('not_a_picture');
  return inTurn(async () => {
    const sharp = await library();
    const { data, info } = await read(sharp, file, Math.max(...frame.widths), frame.ratio);
    const made = new Map<number, Buffer>();
    for (const width of frame.widths) {
      const scaled = sharp(data, { raw: info }).resize(width, heightOf(width, frame.ratio));
      made.set(width, await scaled.webp({ quality: 82 }).toBuffer());
    }
    return made;
  });
};

type Sharp = Awaited<ReturnType<typeof library>>;

const heightOf = (width: number, ratio: number) => Math.round(width / ratio);

async function read(sharp: Sharp, file: Buffer, width: number, ratio: number) {
  try {
    return await sharp(file, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
      .timeout({ seconds: longest })
      .autoOrient()
      .resize(width, heightOf(width, ratio), { fit: 'cover' })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
  } catch {
    // The library says nothing else about input that is no picture, or was made to do harm.
    return fail('not_a_picture');
  }
}
