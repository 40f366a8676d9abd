import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from './app.ts';
import { openCluster } from './cluster.ts';
import { bringPeople } from './crowd.ts';
import { ms, type Verdict } from './fault.ts';
import { brokenInvariants, wrongCounts } from './invariants.ts';
import { dishonest, readOn, slowest, writeOn } from './load.ts';

/** Two processes serve the same people on one database, and one of them is killed and comes back, twice. */
export async function doubled(): Promise<Verdict[]> {
  const cluster = await openCluster();
  const settings = {
    DATABASE_URL: cluster.url,
    SECRET_KEY: 'a key that only this trial uses, for both of them',
  };
  const steady = await openApp(settings);
  const killed = await openApp(settings);
  try {
    const people = await bringPeople(steady, 300);
    const writes = [writeOn(steady, people, 20), writeOn(killed, people, 20)];
    const reads = readOn(steady, people);
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
    const steadily = [...(writes[0]?.answers ?? []), ...reads.answers];
    const failed = dishonest(steadily).length + steadily.filter(({ status }) => status === 503).length;
    const broken = await brokenInvariants(steady);
    const counts = (await wrongCounts(steady)) + (await wrongCounts(killed));
    return [
      {
        promise: 'two processes share all that matters; what happens to one does not touch the other',
        result: `${acknowledged.join(' and ')} acknowledged, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}, ${counts} wrong counts; beside two kills ${failed} of ${steadily.length} failed, p95 ${ms(slowest(steadily, 0.95))}`,
        held:
          lost === 0 && broken.length === 0 && counts === 0 && failed === 0 && Math.min(...acknowledged) > 50,
      },
    ];
  } finally {
    await Promise.all([steady.close(), killed.close()]);
    await cluster.close();
  }
}
