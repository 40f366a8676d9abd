import type { RawBuilder } from 'kysely';
import { first, inTransaction, sql, type Db } from '#platform/db/client.ts';
import type { Envelope, Method } from '#wire/endpoint.ts';
import type { Failure } from '#wire/client.ts';
import { ask } from '#test/ask.ts';
import type { Person, World } from '#test/world.ts';

/** How a call went, in one word: 'ok', or its status and code. */
export const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (failure: Failure) => `${failure.status} ${failure.error}`,
  );

/** One bare request, for what the client keeps to itself: exact status, headers, patience. */
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

/** Takes a lock, starts a call and waits until it waits, then runs `meanwhile`, lets go and tells how the call went. */
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
    await someoneWaits(w.db);
    await meanwhile(held);
  });
  return outcome as Promise<string>;
}

async function someoneWaits(db: Db): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  for (let tries = 0; tries < 300; tries++) if (await first(db, waiting)) return;
  throw new Error('nobody waited for the lock');
}
