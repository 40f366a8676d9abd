import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openApp } from './app.ts';
import { createUsers } from './crowd.ts';
import { ms, type Verdict } from './fault.ts';
import { unexpectedFailures, startReads, slowest, startWrites } from './load.ts';

const held = 15_000;

/** Locks the table of clubs until every connection of the pool waits for it. */
export async function tableLocked(): Promise<Verdict[]> {
  const app = await openApp();
  const other = new pg.Client({ connectionString: app.databaseUrl });
  try {
    const people = await createUsers(app, 300);
    await other.connect();
    const [writes, health] = [startWrites(app, people), startReads(app, people, 10, () => '/healthz')];
    const pages = startReads(app, people, 10, () => '/privacy-policy');
    await sleep(2000);
    await other.query('begin; lock table clubs in access exclusive mode');
    await sleep(held);
    await other.query('rollback');
    const before = writes.acknowledged();
    await sleep(3000);
    await Promise.all([writes.stop(), health.stop(), pages.stop()]);
    const refused = writes.answers.filter(({ status }) => status === 503);
    const unexpected = unexpectedFailures([...writes.answers, ...health.answers, ...pages.answers]);
    const [waits, others] = [slowest(refused, 0.95), slowest(pages.answers, 0.95)];
    const lost = await writes.lost();
    return [
      {
        promise: '503 after 2 s of waiting for a connection or a lock; full recovery afterwards',
        result: `clubs locked ${ms(held)}: ${refused.length} × 503, p95 ${ms(waits)}, slowest ${ms(slowest(refused, 1))}; ${unexpected.length} others failed; ${writes.acknowledged() - before} writes after it, ${lost} lost`,
        held: unexpected.length === 0 && waits <= 2500 && writes.acknowledged() > before && lost === 0,
      },
      {
        promise: 'health stays up, pages without the database p95 ≤ 500 ms',
        result: `healthz slowest ${ms(slowest(health.answers, 1))}, pages p95 ${ms(others)}`,
        held: health.answers.every(({ status }) => status === 200) && others <= 500,
      },
    ];
  } finally {
    await other.end().catch(() => {});
    await app.close();
  }
}
