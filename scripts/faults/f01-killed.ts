import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from './app.ts';
import { createUsers } from './crowd.ts';
import { ms, quantile, type Verdict } from './fault.ts';
import { brokenInvariants, wrongCounts } from './invariants.ts';
import { startWrites } from './load.ts';

const kills = 20;

/** Kills the app repeatedly during writes. */
export async function appKilled(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const load = startWrites(app, await createUsers(app, 300));
    const back: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      await sleep(500 + Math.random() * 1000);
      await app.end('SIGKILL');
      back.push(await app.start());
    }
    await sleep(1000);
    await load.stop();
    const lost = await load.lost();
    const broken = await brokenInvariants(app);
    const counts = await wrongCounts(app);
    const slowest = Math.max(...back);
    return [
      {
        promise: 'no acknowledged write is lost, none is partial',
        result: `${kills} kills, ${load.acknowledged()} acknowledged, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}; ${counts} wrong counts`,
        held: load.acknowledged() > 500 && lost === 0 && broken.length === 0 && counts === 0,
      },
      {
        promise: 'ready again within 5 s',
        result: `median ${ms(quantile(back, 0.5))}, slowest ${ms(slowest)}`,
        held: slowest <= 5000,
      },
    ];
  } finally {
    await app.close();
  }
}
