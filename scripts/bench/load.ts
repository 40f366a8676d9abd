import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Chooser } from './chooser.ts';
import type { Unit } from './client.ts';
import { requestCodes } from './kinds.ts';
import type { Mix } from './mixes.ts';
import { quantile } from './statistics.ts';

export interface LoadResult {
  seconds: number;
  /** The number of requests that were to be sent. */
  planned: number;
  /** The number of requests with the expected response during the load or in the second after it. */
  answered: number;
  /** Milliseconds from the planned start, by kind. For a unit that was never sent, the time that it waited. */
  latencies: Map<string, number[]>;
  /** CPU time of this process, in milliseconds. */
  generator: number;
}

type Loaded = { choose: Chooser; mix: Mix };
type Planned = { name: string; unit: Unit; start: number };

/** The maximum number of units in flight. Further units wait in the client. */
const maxInFlight = 128;

/**
 * Open loop: units are due at random times (Poisson). Latency is measured from the time at which a unit is due, even if
 * a slow server delays the sending of the unit.
 */
export async function runLoad({ choose, mix }: Loaded, rate: number, seconds: number): Promise<LoadResult> {
  const { client, reset, waitForJobs } = choose.server;
  // Login codes are requested before the load, because their emails could arrive too late during it. The kinds that
  // read a changed club need no preparation, because other requests of the load change clubs.
  await requestCodes(choose, Math.ceil((rate * seconds) / 100));
  await reset();
  const latencies = new Map(Object.keys(mix).map((name): [string, number[]] => [name, []]));
  const queue: Planned[] = [];
  const started = performance.now();
  const cpuStarted = process.cpuUsage();
  const ends = started + 1000 * seconds;
  let [planned, answered] = [0, 0];
  const inFlight = new Set<Planned>();
  const isOver = () => performance.now() > ends + 1000;
  const record = ({ name, start }: Planned) => latencies.get(name)?.push(performance.now() - start);

  async function serve(next: Planned): Promise<void> {
    inFlight.add(next);
    const good = await client.sendUnit(next.unit, `${next.name} at ${rate}/s`);
    inFlight.delete(next);
    record(next);
    if (!isOver()) answered += good;
    sendQueued();
  }
  function sendQueued(): void {
    while (queue.length > 0 && inFlight.size < maxInFlight && !isOver()) void serve(queue.shift() as Planned);
  }

  for (let start = started; start < ends;) {
    const wait = start - performance.now();
    await (wait > 0 ? sleep(wait) : setImmediate());
    const [name, unit] = draw(choose, mix);
    queue.push({ name, unit, start });
    sendQueued();
    planned += unit.length;
    start += (unit.length * -1000 * Math.log(1 - choose.random())) / rate;
  }
  // Requests in flight are never aborted: a refresh token would be lost.
  while (inFlight.size > 0 || (queue.length > 0 && !isOver())) await sleep(10);
  queue.forEach(record);
  const { user, system } = process.cpuUsage(cpuStarted);
  await waitForJobs();
  return { seconds, planned, answered, latencies, generator: (user + system) / 1000 };
}

function draw(choose: Chooser, mix: Mix): [name: string, unit: Unit] {
  for (;;) {
    let left = choose.random() * 1000;
    const [name, kind] = Object.entries(mix).find(([, { share }]) => (left -= share) < 0) ?? [];
    const unit = kind?.make(choose);
    if (name && unit) return [name, unit];
  }
}

export const p95 = ({ latencies }: LoadResult): number => quantile([...latencies.values()].flat(), 0.95);

const isFast = (p95: number) => p95 <= 50;

/** Searches for the highest rate with a p95 of at most 50 ms, to within 5 %. `measured` holds earlier measurements. */
export async function findThroughput(
  measure: (rate: number) => Promise<number>,
  measured: readonly [rate: number, p95: number][],
  maxSteps: number,
): Promise<number> {
  let slow = Math.min(...measured.filter(([, p95]) => !isFast(p95)).map(([rate]) => rate));
  let fast = Math.max(
    0,
    ...measured.filter(([rate, p95]) => isFast(p95) && rate < slow).map(([rate]) => rate),
  );
  for (let step = 0; step < maxSteps && fast < 0.95 * slow; step++) {
    const rate = Math.round(slow === Infinity ? 2 * fast : (fast + slow) / 2);
    if (isFast(await measure(rate))) fast = rate;
    else slow = rate;
  }
  return fast;
}
