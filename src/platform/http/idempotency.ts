import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Request } from '#platform/http/reply.ts';
import { first, run, sql, type Db } from '#platform/db/client.ts';
import { digest, seal } from '#platform/token.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { refuse, Refused } from '#wire/errors.ts';

/** In seconds: for so long a deed that is sent again gets its first answer. */
const memory = 24 * 60 * 60;

/** Something that one user does to one address, under a key of their own choice. */
export interface Deed {
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
export function deedOf(request: Request, user_id: string, secretKey: string): Deed | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(String(key)))
    throw new Refused('bad_input', {
      message: 'Idempotency-Key: must have 1 to 255 printable ASCII characters',
    });
  const what = [user_id, request.method, String(request.url.split('?', 1)[0]), String(key)];
  return {
    user_id,
    name: seal(secretKey, 'deed', ...what),
    opener: seal(secretKey, 'answer', ...what),
    body_hash: digest(JSON.stringify(request.body ?? {})),
  };
}

/**
 * Does a deed, or gives the answer of the time when it was done. `db` is the transaction of the deed, and the answer is
 * kept in it: either both are there afterwards or neither is. A refusal is not kept.
 */
export async function once(
  db: Db,
  deed: Deed,
  now: Instant,
  perform: () => Promise<Answer | Refused>,
): Promise<Answer | Refused> {
  const { user_id, name, opener, body_hash } = deed;
  const lock = await first(
    db,
    sql<{
      free: boolean;
    }>`select pg_try_advisory_xact_lock(${String(name.readBigInt64BE())}::bigint) as free`,
  );
  if (!lock?.free) throw new Refused('still_running', { retryAfter: 1 });
  // A statement of its own: it begins when the lock is held, so it sees what a twin has left behind.
  const known = await first(
    db,
    sql<{ body_hash: Buffer; status: number; answer: Buffer }>`
      select body_hash, status, answer from kept_answers
      where user_id = ${user_id} and deed = ${name} and answered_at > ${addSeconds(now, -memory)}`,
  );
  if (known && !known.body_hash.equals(body_hash)) refuse('other_body');
  if (known) return { status: known.status, body: opened(known.answer, opener) };

  const answer = await perform();
  if (answer instanceof Refused) return answer;
  // Last of all, since it takes the user, who comes last in the order of locks; and somebody who has just deleted their
  // account is no longer there.
  await run(
    db,
    sql`insert into kept_answers (user_id, deed, body_hash, status, answer, answered_at)
        select id, ${name}, ${body_hash}, ${answer.status}, ${closed(answer.body, opener)}, ${now}
        from users where id = ${user_id}
        on conflict (user_id, deed) do update set body_hash = excluded.body_hash, status = excluded.status,
          answer = excluded.answer, answered_at = excluded.answered_at`,
  );
  return answer;
}

export const forgetAnswers = (db: Db, now: Instant) =>
  run(db, sql`delete from kept_answers where answered_at <= ${addSeconds(now, -memory)}`);

const [nonceLength, tagLength] = [12, 16];

// An answer may name other people or hold a secret, and neither is to lie about for a day.
function closed(text: string, key: Buffer): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const octets = [cipher.update(text), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...octets]);
}

function opened(octets: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, octets.subarray(0, nonceLength));
  decipher.setAuthTag(octets.subarray(nonceLength, nonceLength + tagLength));
  return Buffer.concat([
    decipher.update(octets.subarray(nonceLength + tagLength)),
    decipher.final(),
  ]).toString();
}
