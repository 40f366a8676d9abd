import type { RawBuilder } from 'kysely';
import { first, inTransaction, sql, type Db } from '#platform/db/client.ts';
import type { Envelope, Method } from '#wire/endpoint.ts';
import type { Failure } from '#wire/client.ts';
import { ask } from '#test/ask.ts';
import type { Person, World } from '#test/world.ts';

/** The outcome of a call: 'ok', or the status and the error code. */
export const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (failure: Failure) => `${failure.status} ${failure.error}`,
  );

/** Sends one plain request, for tests of the exact status and headers that the client hides. */
export async function send(
  w: World,
  person: Person | undefined,
  line: string,
  body?: Record<string, unknown>,
  more?: Record<string, string>,
) {
  const [method, path] = line.split(' ') as [Method, string];
  const token = person?.session.read()?.AccessToken.Token;
  const { status, headers, text } = await ask(w.origin, { method, path }, body, token, more);
  return { ...(JSON.parse(text) as Envelope), status, headers };
}

/** Holds a lock until `start` blocks on it, runs `meanwhile`, releases the lock and returns the outcome of `start`. */
export async function whileHeld(
  w: World,
  lock: RawBuilder<unknown>,
  start: () => Promise<unknown>,
  meanwhile: (held: Db) => Promise<unknown>,
): Promise<string> {
  let outcome: Promise<string> | undefined;
  await inTransaction(w.db, async (held) => {
    await lock.execute(held);
    outcome = outcomeOf(start());
    await untilBlocked(w.db);
    await meanwhile(held);
  });
  return outcome as Promise<string>;
}

async function untilBlocked(db: Db): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (let tries = 0; tries < 300; tries++) if (await first(db, waiting)) return;
  throw new Error('No session blocked on the lock');
}
