// Compares the app with a node:http server that responds with the same bytes. For information only: there is no gate.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { root } from '../prepare.mjs';
import { inParallel, openClient, type Request } from './client.ts';
import { get } from './kinds.ts';
import { nameOf, type Club } from './population.ts';
import { ratioText } from './report.ts';
import { openServer } from './server.ts';
import { median, ratioOf } from './statistics.ts';
import type { WorkloadOptions } from './workload.ts';

const bareServer = `
  const { parentPort, workerData: [url, token] } = require('node:worker_threads');
  const headers = { 'accept-encoding': 'gzip', authorization: 'Bearer ' + token };
  require('node:http').get(url, { headers, agent: false }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    const { date, connection, ...kept } = response.headers;
    const server = require('node:http').createServer((_, response) => response.writeHead(200, kept).end(body));
    server.listen(0, '127.0.0.1', () => parentPort.postMessage([server.address().port, body.length]));
  });`;

/** Measures the responses per second over 32 connections. */
async function rateOf(origin: string, request: Request, seconds: number): Promise<number> {
  const client = openClient(origin);
  const started = performance.now();
  let count = 0;
  function* requests(): Generator<Request> {
    for (; performance.now() - started < 1000 * seconds; count++) yield request;
  }
  await inParallel(requests(), 32, (one) => client.sendUnit([one], 'bare'));
  if (client.errors.size > 0) throw new Error([...client.errors.keys()].join());
  return (1000 * count) / (performance.now() - started);
}

/** Requests the same club page again and again, so that it is cached. */
export async function benchBare({ database, seconds }: WorkloadOptions): Promise<void> {
  const { origin, population } = await openServer(root, database);
  const { id, members } = population.clubs.find(({ events }) => events.length >= 50) as Club;
  const page = get(`/clubs/${nameOf.club(id)}`, members[0] as number);
  const worker = new Worker(bareServer, { eval: true, workerData: [origin + page.path, page.token] });
  const [[port, size]] = (await once(worker, 'message')) as [[number, number]];
  const [own, base]: [number[], number[]] = [[], []];
  for (let round = 0; round < 6; round++) {
    own[round] = await rateOf(origin, page, seconds);
    base[round] = await rateOf(`http://127.0.0.1:${port}`, page, seconds);
  }
  await worker.terminate();
  // The first round warms up.
  const [rate, bare] = [own.slice(1), base.slice(1)];
  const perSecond = `${Math.round(median(rate))} : ${Math.round(median(bare))} a second`;
  console.log(
    `cached club page, ${size} bytes: ${ratioText(ratioOf(rate, bare))} of node:http, ${perSecond}`,
  );
}
