import { createHash, createHmac } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** A line of an archive: its type and a JSON value. */
export type Line = readonly [word: string, json: string];

/** Type of the last line, which holds the number of lines before it, their digest and a signature. */
export const end = 'end';

interface End {
  lines: number;
  sha256: string;
  /** Missing in old archives. */
  signature?: string;
}

/** Signs the number of lines and their digest, so lines cannot be added, removed or reordered. */
const signatureOf = (key: Buffer, { lines, sha256 }: End): string =>
  createHmac('sha256', key).update(`${lines} ${sha256}`).digest('base64url');

/** Whether the last line of a complete archive is signed with this key. */
export function isSigned(json: string, key: Buffer): boolean {
  const last = JSON.parse(json) as End;
  return last.signature === signatureOf(key, last);
}

/**
 * Writes a compressed archive of text lines that ends with an `end` line. The file is private, gets its final name only
 * when it is complete, and never replaces another file.
 */
export async function writeArchive(file: string, lines: AsyncIterable<Line>, key: Buffer): Promise<void> {
  const draft = `${file}.part`;
  try {
    const sink = createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true });
    await pipeline(Readable.from(withEnd(lines, key)), createGzip({ level: 6 }), sink);
    await link(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

async function* withEnd(lines: AsyncIterable<Line>, key: Buffer): AsyncGenerator<Buffer> {
  const digest = createHash('sha256');
  let count = 0;
  for await (const [word, json] of lines) {
    // Line breaks in JSON are always insignificant white space.
    const bytes = Buffer.from(`${word} ${json.replaceAll(/[\r\n]/g, ' ')}\n`);
    digest.update(bytes);
    count++;
    yield bytes;
  }
  const last: End = { lines: count, sha256: digest.digest('hex') };
  yield Buffer.from(`${end} ${JSON.stringify({ ...last, signature: signatureOf(key, last) })}\n`);
}

/** Yields the lines of an archive. If the archive is incomplete, throws before it would yield the `end` line. */
export async function* readArchive(file: string): AsyncGenerator<Line> {
  const digest = createHash('sha256');
  let count = 0;
  let last: string | undefined;
  for await (const bytes of linesOf(file)) {
    if (last !== undefined) throw new Error(`${file} goes on after its end.`);
    const text = bytes.toString();
    const space = text.indexOf(' ');
    const line: Line = [text.slice(0, space), text.slice(space + 1)];
    if (line[0] === end) last = line[1];
    else {
      digest.update(bytes).update('\n');
      count++;
      yield line;
    }
  }
  if (last === undefined || !matches(last, count, digest.digest('hex'))) throw new Error(incomplete(file));
  yield [end, last];
}

const incomplete = (file: string) => `${file} is no whole archive: it was cut off or changed.`;

function matches(json: string, count: number, digest: string): boolean {
  try {
    const { lines, sha256 } = JSON.parse(json) as End;
    return lines === count && sha256 === digest;
  } catch {
    return false;
  }
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  const reading = pipeline(createReadStream(file), unpacked);
  // Errors also surface in the loop below.
  reading.catch(() => {});
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let from = 0;
      for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
        yield bytes.subarray(from, to);
        from = to + 1;
      }
      rest = bytes.subarray(from);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!code.startsWith('Z_')) throw error;
    throw new Error(incomplete(file), { cause: error });
  }
  if (rest.length > 0) yield rest;
}
