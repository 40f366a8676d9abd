// A process of its own that asks, so that what is measured does not wait for who measures.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What is to be asked; the requests of one unit follow each other on one connection. */
export interface Job {
  origin: string;
  units: string[][];
  /** The unit to begin with. */
  from: number;
  connections: number;
  /** Ends after so many seconds, or after so many units. */
  seconds?: number;
  count?: number;
  /** Asks at these moments, whether or not what was asked before is answered; otherwise as soon as it is. */
  perSecond?: number;
}

export interface Outcome {
  seconds: number;
  answers: number;
  perSecond: number;
  /** How many answers had each status. */
  statuses: Record<number, number>;
  /** Milliseconds from when a request was due until the last byte of its answer. */
  p50: number;
  p95: number;
  p99: number;
  /** The unit that comes next. */
  next: number;
}

const headEnd = Buffer.from('\r\n\r\n');

/** One connection that is kept; answers need a length, as all of these have. */
async function openLine(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket: Socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  let heard: Buffer = Buffer.alloc(0);
  let missing = -1;
  let status = 0;
  let respondWith: { resolve(status: number): void; reject(error: Error): void } | undefined;

  socket.on('data', (bytes: Buffer) => {
    if (missing < 0) {
      heard = heard.length > 0 ? Buffer.concat([heard, bytes]) : bytes;
      const end = heard.indexOf(headEnd);
      if (end < 0) return;
      const head = heard.toString('latin1', 0, end);
      status = Number(head.slice(9, 12));
      const length = status === 304 ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      missing = length - (heard.length - end - 4);
      heard = Buffer.alloc(0);
    } else missing -= bytes.length;
    if (missing > 0) return;
    missing = -1;
    respondWith?.resolve(status);
  });
  socket.on('error', (error) => respondWith?.reject(error));
  socket.on('close', () => respondWith?.reject(new Error('The connection was closed')));
  return {
    ask(request: string): Promise<number> {
      respondWith = Promise.withResolvers<number>();
      socket.write(request);
      return (respondWith as PromiseWithResolvers<number>).promise;
    },
    close: () => socket.destroy(),
  };
}

async function perform({
  origin,
  units,
  from,
  connections,
  seconds = Infinity,
  count = Infinity,
  perSecond,
}: Job) {
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(origin)));
  const took: number[] = [];
  const statuses: Record<number, number> = {};
  const started = performance.now();
  let turn = 0;

  async function work({ ask }: (typeof lines)[number]): Promise<void> {
    while (turn < count && performance.now() - started < seconds * 1000) {
      const mine = turn++;
      const due = perSecond ? started + (mine * 1000) / perSecond : performance.now();
      if (due > performance.now())
        await new Promise((resolve) => setTimeout(resolve, due - performance.now()));
      let since = due;
      for (const request of units[(from + mine) % units.length] ?? []) {
        const status = await ask(request).catch(() => 0);
        statuses[status] = (statuses[status] ?? 0) + 1;
        took.push(performance.now() - since);
        since = performance.now();
      }
    }
  }

  await Promise.all(lines.map(work));
  const elapsed = (performance.now() - started) / 1000;
  for (const line of lines) line.close();
  const sorted = Float64Array.from(took).sort();
  const below = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return {
    seconds: elapsed,
    answers: took.length,
    perSecond: took.length / elapsed,
    statuses,
    p50: below(0.5),
    p95: below(0.95),
    p99: below(0.99),
    next: from + turn,
  } satisfies Outcome;
}

process.on('message', (job: Job) => void perform(job).then((outcome) => process.send?.(outcome)));
process.once('disconnect', () => process.exit());
