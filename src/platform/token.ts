import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** A random URL-safe secret. */
export const randomToken = (bits = 256): string => randomBytes(bits / 8).toString('base64url');

/** A digest, to be stored instead of a secret with enough entropy. */
export const digest = (secret: string | Buffer): Buffer => hash('sha256', secret, 'buffer');

/** Content hash for an `ETag`. */
export const hashForETag = (bytes: string | Buffer): string =>
  digest(bytes).toString('base64url').slice(0, 27);

/** A keyed digest, to be stored instead of a secret with little entropy. Also derives one secret from another. */
export const hmac = (key: string, ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(parts.join('\0')).digest();

/** A token of `parts`, which must not contain dots, signed for one purpose. */
export const signed = (key: string, purpose: string, ...parts: string[]): string =>
  [...parts, hmac(key, purpose, ...parts).toString('base64url')].join('.');

/** The parts of a token signed for this purpose. Undefined if the signature is invalid. */
export function signedParts(key: string, purpose: string, token: string): string[] | undefined {
  const parts = token.split('.').slice(0, -1);
  return isSameToken(token, signed(key, purpose, ...parts)) ? parts : undefined;
}

/** A short token: the bytes of the ids, and 128 bits of their HMAC with `secret`. A new secret invalidates it. */
export const idToken = (key: string, purpose: string, ids: readonly string[], secret: string): string =>
  Buffer.concat([
    ...ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex')),
    hmac(key, purpose, ...ids, secret).subarray(0, 16),
  ]).toString('base64url');

/** The two ids in a token, which may be forged. */
export function idsInToken(token: string): [string, string] | undefined {
  const bytes = Buffer.from(token, 'base64url');
  const idAt = (start: number) =>
    bytes.toString('hex', start, start + 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return bytes.length === 48 ? [idAt(0), idAt(16)] : undefined;
}

export const isSameToken = (one: string, other: string): boolean =>
  timingSafeEqual(digest(one), digest(other));

export function randomFrom(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Derives a code from random bytes, four for each letter. */
export const lettersOf = (alphabet: string, length: number, bytes: Buffer): string =>
  Array.from({ length }, (_, at) => alphabet[bytes.readUInt32BE(4 * at) % alphabet.length]).join('');
