import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target } from './choose.ts';
import { openCounters } from './counters.ts';
import { createPopulation, type PopulationOptions } from './population.ts';
import type { Order, Reply, Started } from './target.ts';

/** One side of a comparison. */
export interface Side extends Target {
  counters: Awaited<ReturnType<typeof openCounters>>;
}

function targetOf(checkout: string): string {
  return join(checkout, 'scripts/workload/target.ts');
}

/** A checkout that is older than this benchmark can't be measured. */
export const hasWorkload = (checkout: string): boolean => existsSync(targetOf(checkout));

/** Starts the server of a checkout in a process of that checkout, with its own database. */
export async function openSide(checkout: string, population: PopulationOptions) {
  // Detached, so that Ctrl-C ends only this process; the other one then ends by itself and tidies up.
  const child = fork(targetOf(checkout), { cwd: checkout, detached: true, serialization: 'advanced' });
  const ended = once(child, 'exit');
  const close = async () => {
    if (child.connected) child.disconnect();
    await ended;
  };
  async function ask<T>(order: Order): Promise<T> {
    child.send(order);
    const message = once(child, 'message') as Promise<[Reply<T>]>;
    const [reply] = await Promise.race([message, ended.then(() => [{ error: 'the process has ended' }])]);
    if (reply && 'answer' in reply) return reply.answer;
    throw new Error(`${checkout}: ${reply?.error}`);
  }
  try {
    const started = await ask<Started>({
      population,
      folder: await mkdtemp(join(tmpdir(), 'muster-workload-')),
    });
    const counters = await openCounters(started);
    const side: Side = {
      ...started,
      population: createPopulation(population),
      waitForJobs: () => ask('waitForJobs'),
      reset: () => ask('reset'),
      counters,
    };
    return { side, close: () => counters.close().then(close) };
  } catch (error) {
    await close();
    throw error;
  }
}
