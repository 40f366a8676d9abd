import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** A secret for an address or a session, in URL-safe text. */
export const randomToken = (bits = 256): string => randomBytes(bits / 8).toString('base64url');

/** What is stored of a secret that has enough entropy of its own. */
export const digest = (secret: string | Buffer): Buffer => hash('sha256', secret, 'buffer');

/** Tells octets from any others, in an `ETag`. */
export const hashForETag = (bytes: string | Buffer): string =>
  digest(bytes).toString('base64url').slice(0, 27);

/** What is stored of a secret that could be guessed without the key; also derives one secret from another. */
export const hmac = (key: string, ...parts: string[]): Buffer =>
  createHmac('sha256', key).update(parts.join('\0')).digest();

/** A token that carries `parts`, none of which has a dot, and the proof that the server made it for this purpose. */
export const signed = (key: string, purpose: string, ...parts: string[]): string =>
  [...parts, hmac(key, purpose, ...parts).toString('base64url')].join('.');

/** The parts of a token that `signed` made for this purpose; nothing for any other token. */
export function signedParts(key: string, purpose: string, token: string): string[] | undefined {
  const parts = token.split('.').slice(0, -1);
  return timingSafeEqual(digest(token), digest(signed(key, purpose, ...parts))) ? parts : undefined;
}

export function randomFrom(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
