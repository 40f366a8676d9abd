import { createHmac, hash, randomBytes, randomInt } from 'node:crypto';

/** A secret for an address or a session, in URL-safe text. */
export const randomToken = (bits = 256): string => randomBytes(bits / 8).toString('base64url');

/** What is stored of a secret that has enough entropy of its own. */
export const digest = (secret: string | Buffer): Buffer => hash('sha256', secret, 'buffer');

/** Tells octets from any others, in an `ETag`. */
export const fingerprint = (octets: string | Buffer): string =>
  digest(octets).toString('base64url').slice(0, 27);

/** What is stored of a secret that could be guessed without the key; also derives one secret from another. */
export const seal = (key: string, ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(parts.join('\0')).digest();

export function randomFrom(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
