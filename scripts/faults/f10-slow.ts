import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openApp } from './app.ts';
import { createUsers } from './crowd.ts';
import { ms, now, type Verdict } from './fault.ts';
import { startReads, slowest } from './load.ts';

const attackers = 1000;
const head = 'GET /api/v1/users HTTP/1.1\r\nHost: muster.test\r\nX-Slow: ';

/** Sends one byte per second and returns the milliseconds until the connection is closed. */
async function trickle(port: number, timeout: number): Promise<number> {
  const started = now();
  const socket: Socket = connect(port, '127.0.0.1');
  let sent = 0;
  const timer = setInterval(() => socket.writable && socket.write(head[sent++ % head.length] ?? 'x'), 1000);
  const closed = new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()));
  socket.resume();
  await Promise.race([closed, sleep(timeout)]);
  clearInterval(timer);
  socket.destroy();
  return now() - started;
}

/** A thousand connections that never finish their request. */
export async function slowClients(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const people = await createUsers(app, 50);
    const baseline = startReads(app, people, 50);
    await sleep(5000);
    const usual = slowest(await baseline.stop(), 0.95);
    const port = Number(new URL(app.origin).port);
    const load = startReads(app, people, 50);
    const durations = await Promise.all(Array.from({ length: attackers }, () => trickle(port, 40_000)));
    const meanwhile = await load.stop();
    const maxDuration = Math.max(...durations);
    const failed = meanwhile.filter(({ status }) => status !== 200).length;
    const p95 = slowest(meanwhile, 0.95);
    return [
      {
        promise: '1,000 sockets at 1 B/s are reaped within 20 s, others take at most twice as long',
        result: `reaped after ${ms(maxDuration)}; p95 ${ms(usual)} before, ${ms(p95)} meanwhile, ${failed} of ${meanwhile.length} failed`,
        // Below 20 ms a factor of two is noise.
        held: maxDuration <= 20_500 && failed === 0 && p95 <= Math.max(2 * usual, 20),
      },
    ];
  } finally {
    await app.close();
  }
}
