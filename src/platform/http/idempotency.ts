import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Request } from '#platform/http/reply.ts';
import { first, run, sql, type Db } from '#platform/db/client.ts';
import { digest, hmac } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { fail, ApiError } from '#wire/errors.ts';

/** In seconds: for so long a deed that is sent again gets its first answer. */
const retentionSeconds = 24 * 60 * 60;

/** Something that one user does to one address, under a key of their own choice. */
export interface KeyedRequest {
  user_id: string;
  /** What it is found by. Neither key nor address can be read from it. */
  name: Buffer;
  /** Opens the answer that was kept. It is stored nowhere: whoever has it knows the key. */
  opener: Buffer;
  body_hash: Buffer;
}

export interface Answer {
  status: number;
  /** The octets as they were sent. */
  body: string;
}

/** The deed that the `Idempotency-Key` of a request names, where there is one. */
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
  const what = [user_id, request.method, String(request.url.split('?', 1)[0]), String(key)];
  return {
    user_id,
    name: hmac(secretKey, 'idempotency-key', ...what),
    opener: hmac(secretKey, 'response', ...what),
    body_hash: digest(JSON.stringify(request.body ?? {})),
  };
}

/**
 * Does a deed, or gives the answer of the time when it was done. `db` is the transaction of the deed, and the answer is
 * kept in it: either both are there afterwards or neither is. A refusal is not kept.
 */
export async function idempotent(
  db: Db,
  keyedRequest: KeyedRequest,
  now: Instant,
  perform: () => Promise<Answer | ApiError>,
): Promise<Answer | ApiError> {
  const { user_id, name, opener, body_hash } = keyedRequest;
  const lock = await first(
    db,
    sql<{
      free: boolean;
    }>`select pg_try_advisory_xact_lock(${String(name.readBigInt64BE())}::bigint) as free`,
  );
  if (!lock?.free) throw new ApiError('still_running', { retryAfter: 1 });
  // A statement of its own: it begins when the lock is held, so it sees what a twin has left behind.
  const known = await first(
    db,
    sql<{ body_hash: Buffer; status: number; response: Buffer }>`
      select body_hash, status, response from idempotency_keys
      where user_id = ${user_id} and request_hash = ${name} and created_at > ${addSeconds(now, -retentionSeconds)}`,
  );
  if (known && !known.body_hash.equals(body_hash)) fail('other_body');
  if (known) return { status: known.status, body: opened(known.response, opener) };

  const response = await perform();
  if (response instanceof ApiError) return response;
  // Last of all, since it takes the user, who comes last in the order of locks; and somebody who has just deleted their
  // account is no longer there.
  await run(
    db,
    sql`insert into idempotency_keys (user_id, request_hash, body_hash, status, response, created_at)
        select id, ${name}, ${body_hash}, ${response.status}, ${closed(response.body, opener)}, ${now}
        from users where id = ${user_id}
        on conflict (user_id, request_hash) do update set body_hash = excluded.body_hash, status = excluded.status,
          response = excluded.response, created_at = excluded.created_at`,
  );
  return response;
}

export const deleteExpiredKeys = (db: Db, now: Instant) =>
  run(db, sql`delete from idempotency_keys where created_at <= ${addSeconds(now, -retentionSeconds)}`);

const [nonceLength, tagLength] = [12, 16];

// An answer may name other people or hold a secret, and neither is to lie about for a day.
function closed(text: string, key: Buffer): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const bytes = [cipher.update(text), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...bytes]);
}

function opened(bytes: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength));
  decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
  return Buffer.concat([
    decipher.update(bytes.subarray(nonceLength + tagLength)),
    decipher.final(),
  ]).toString();
}
