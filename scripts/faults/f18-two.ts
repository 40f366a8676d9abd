import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from './app.ts';
import { openCluster } from './cluster.ts';
import { createUsers } from './crowd.ts';
import { ms, type Verdict } from './fault.ts';
import { brokenInvariants, wrongCounts } from './invariants.ts';
import { unexpectedFailures, startReads, slowest, startWrites } from './load.ts';

/** Two processes serve the same users on one database. One is killed and restarted, twice. */
export async function twoProcesses(): Promise<Verdict[]> {
  const cluster = await openCluster();
  const settings = {
    DATABASE_URL: cluster.url,
    SECRET_KEY: 'a key that both processes of this test use',
  };
  const surviving = await openApp(settings);
  const killed = await openApp(settings);
  try {
    const people = await createUsers(surviving, 300);
    const writes = [startWrites(surviving, people, 20), startWrites(killed, people, 20)];
    const reads = startReads(surviving, people);
    for (let kill = 0; kill < 2; kill++) {
      await sleep(3000);
      await killed.end('SIGKILL');
      await sleep(1000);
      await killed.start();
    }
    await sleep(3000);
    await Promise.all([...writes, reads].map((load) => load.stop()));
    const lost = (await Promise.all(writes.map((load) => load.lost()))).reduce((sum, one) => sum + one, 0);
    const acknowledged = writes.map((load) => load.acknowledged());
    const answers = [...(writes[0]?.answers ?? []), ...reads.answers];
    const failed = unexpectedFailures(answers).length + answers.filter(({ status }) => status === 503).length;
    const broken = await brokenInvariants(surviving);
    const counts = (await wrongCounts(surviving)) + (await wrongCounts(killed));
    return [
      {
        promise: 'two processes share all state; a crash of one does not affect the other',
        result: `${acknowledged.join(' and ')} acknowledged, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}, ${counts} wrong counts; beside two kills ${failed} of ${answers.length} failed, p95 ${ms(slowest(answers, 0.95))}`,
        held:
          lost === 0 && broken.length === 0 && counts === 0 && failed === 0 && Math.min(...acknowledged) > 50,
      },
    ];
  } finally {
    await Promise.all([surviving.close(), killed.close()]);
    await cluster.close();
  }
}
