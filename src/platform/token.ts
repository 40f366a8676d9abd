import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** A random URL-safe secret. */
export const randomToken = (bits = 256): string => randomBytes(bits / 8).toString('base64url');

/** Stored instead of a secret that has enough entropy. */
export const digest = (secret: string | Buffer): Buffer => hash('sha256', secret, 'buffer');

/** Content hash for an `ETag`. */
export const hashForETag = (bytes: string | Buffer): string =>
  digest(bytes).toString('base64url').slice(0, 27);

/** Stored instead of a secret with little entropy. Also derives one secret from another. */
export const hmac = (key: string, ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(parts.join('\0')).digest();

/** A token of `parts`, which must not contain dots, signed for one purpose. */
export const signed = (key: string, purpose: string, ...parts: string[]): string =>
  [...parts, hmac(key, purpose, ...parts).toString('base64url')].join('.');

/** The parts of a token signed for this purpose. Undefined if the signature is invalid. */
export function signedParts(key: string, purpose: string, token: string): string[] | undefined {
  const parts = token.split('.').slice(0, -1);
  return timingSafeEqual(digest(token), digest(signed(key, purpose, ...parts))) ? parts : undefined;
}

export function randomFrom(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Derives a code from random bytes, four for each letter. */
export const lettersOf = (alphabet: string, length: number, bytes: Buffer): string =>
  Array.from({ length }, (_, at) => alphabet[bytes.readUInt32BE(4 * at) % alphabet.length]).join('');
