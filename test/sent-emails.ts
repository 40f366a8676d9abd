import type { Email } from 'postal-mime';
import { expect } from 'vitest';
import { all, sql } from '#platform/db/client.ts';
import type { World } from '#test/world.ts';

/** Makes waiting emails due, and resolves with all emails once those that are due have been sent. */
export async function sentEmails(w: World): Promise<Email[]> {
  await w.hurry();
  const waiting = sql`
    select from jobs where name in ('send_notice', 'continue_notices', 'send_email') and (run_at <= now() or attempts > 0)`;
  await expect.poll(() => all(w.db, waiting), { timeout: 30_000, interval: 25 }).toEqual([]);
  return w.outbox();
}
