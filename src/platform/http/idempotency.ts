import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Request } from '#platform/http/reply.ts';
import { first, run, sql, type Db } from '#platform/db/client.ts';
import { digest, hmac } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail, ApiError } from '#wire/errors.ts';

/** How long a repeated request gets the response of the first one. */
const retentionSeconds = 24 * 60 * 60;

/** The maximum size of a stored response in bytes. A larger response is not stored but read again. */
export const maxStored = 2048;

/** A request of one user to one path with an `Idempotency-Key`. */
export interface KeyedRequest {
  user_id: string;
  /** HMAC of user, method, path and key: the look-up key. */
  name: Buffer;
  /** Decrypts the stored response. Derived from the idempotency key and never stored. */
  encryptionKey: Buffer;
  body_hash: Buffer;
}

export interface EncodedResponse {
  status: number;
  /** The serialised body. */
  body: string;
}

/** Reads the `Idempotency-Key` of a request. Undefined if there is none. */
export function keyedRequestOf(
  request: Request,
  user_id: string,
  secretKey: string,
): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(String(key)))
    throw new ApiError('bad_input', {
      message: 'Idempotency-Key: must have 1 to 255 printable ASCII characters',
    });
  const parts = [user_id, request.method, String(request.url.split('?', 1)[0]), String(key)];
  return {
    user_id,
    name: hmac(secretKey, 'idempotency-key', ...parts),
    encryptionKey: hmac(secretKey, 'response', ...parts),
    body_hash: digest(JSON.stringify(request.body ?? {})),
  };
}

/** The result of the `write` step of a handler, and its response. */
export interface Execution {
  written: unknown;
  response: EncodedResponse;
}

interface Steps {
  execute(): Promise<Execution | ApiError>;
  /** Reads the response from the result of the `write` step. */
  read(written: unknown): Promise<EncodedResponse>;
}

/**
 * Executes a request, or returns the response of its first execution, which is read again if it is too large to be stored.
 * `db` is the transaction of the request: its effects and the stored row commit together. An `ApiError` is not stored.
 */
export async function idempotent(
  db: Db,
  keyedRequest: KeyedRequest,
  now: Instant,
  { execute, read }: Steps,
): Promise<EncodedResponse | ApiError> {
  const { user_id, name, encryptionKey, body_hash } = keyedRequest;
  const lock = await first(
    db,
    sql<{
      free: boolean;
    }>`select pg_try_advisory_xact_lock(${String(name.readBigInt64BE())}::bigint) as free`,
  );
  if (!lock?.free) throw new ApiError('still_running', { retryAfter: 1 });
  // A separate statement: its snapshot is taken after the lock, so it sees what a concurrent duplicate committed.
  const earlier = await first(
    db,
    sql<{ body_hash: Buffer; status: number; response: Buffer; is_read_again: boolean }>`
      select body_hash, status, response, is_read_again from idempotency_keys
      where user_id = ${user_id} and request_hash = ${name} and created_at > ${addSeconds(now, -retentionSeconds)}`,
  );
  if (earlier && !earlier.body_hash.equals(body_hash)) fail('other_body');
  if (earlier) {
    const stored = decrypt(earlier.response, encryptionKey);
    return earlier.is_read_again ? read(JSON.parse(stored)) : { status: earlier.status, body: stored };
  }

  const executed = await execute();
  if (executed instanceof ApiError) return executed;
  const { written, response } = executed;
  const isReadAgain = Buffer.byteLength(response.body) > maxStored;
  const stored = isReadAgain ? JSON.stringify(written) : response.body;
  if (Buffer.byteLength(stored) > maxStored) throw new Error('The handler needs `rereadable`');
  // The insert comes last, because it locks the user, and users come last in the lock order. It selects from `users`,
  // so it stores nothing if the request has just deleted the account.
  await run(
    db,
    sql`insert into idempotency_keys (user_id, request_hash, body_hash, status, response, is_read_again, created_at)
        select id, ${name}, ${body_hash}, ${response.status}, ${encrypt(stored, encryptionKey)}, ${isReadAgain}, ${now}
        from users where id = ${user_id}
        on conflict (user_id, request_hash) do update set body_hash = excluded.body_hash, status = excluded.status,
          response = excluded.response, is_read_again = excluded.is_read_again, created_at = excluded.created_at`,
  );
  return response;
}

export const deleteExpiredKeys = (db: Db, now: Instant) =>
  run(db, sql`delete from idempotency_keys where created_at <= ${addSeconds(now, -retentionSeconds)}`);

const [nonceLength, tagLength] = [12, 16];

// Encrypted because a response may contain personal data or a secret and is stored for a day.
function encrypt(text: string, key: Buffer): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const bytes = [cipher.update(text), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...bytes]);
}

function decrypt(bytes: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength));
  decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
  return Buffer.concat([
    decipher.update(bytes.subarray(nonceLength + tagLength)),
    decipher.final(),
  ]).toString();
}
