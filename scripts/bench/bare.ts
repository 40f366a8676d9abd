// How close the app comes to a node:http server that answers with the same bytes. Information only.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inParallel, openClient, type Request } from './client.ts';
import { nameOf, type Club } from './population.ts';
import { ratioText } from './report.ts';
import { openServer } from './server.ts';
import { median, ratioOf } from './statistics.ts';

const bareServer = `
  const { parentPort, workerData: { headers, body } } = require('node:worker_threads');
  const server = require('node:http').createServer((_, response) => response.writeHead(200, headers).end(body));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

async function startBareServer(origin: string, { path, token }: Request) {
  const headers = { 'accept-encoding': 'gzip', authorization: `Bearer ${token}` };
  const [response] = (await once(get(origin + path, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  const body = Buffer.concat(await response.toArray());
  const { date: _date, connection: _connection, ...kept } = response.headers;
  const worker = new Worker(bareServer, { eval: true, workerData: { headers: kept, body } });
  const [port] = (await once(worker, 'message')) as [number];
  return { origin: `http://127.0.0.1:${port}`, size: body.length, stop: () => worker.terminate() };
}

/** Answers a second, by 32 connections. */
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

/** A page that its reader requests again and again, so that it is cached. */
export async function benchBare({ clubs, seconds }: Record<'clubs' | 'seconds', number>): Promise<void> {
  const app = await openServer(resolve(import.meta.dirname, '../..'), {
    clubs,
    seed: 1,
    base: Date.now(),
  });
  const { id, members } = app.population.clubs.find(({ events }) => events.length >= 50) as Club;
  const token = nameOf.accessToken(members[0] as number);
  const page = { path: `/api/v1/clubs/${nameOf.club(id)}`, token };
  const bare = await startBareServer(app.origin, page);
  const rates: [app: number, bare: number][] = [];
  for (let round = 0; round < 6; round++)
    rates.push([await rateOf(app.origin, page, seconds), await rateOf(bare.origin, page, seconds)]);
  await bare.stop();
  // The first round warms up.
  const [own, base] = [rates.slice(1).map(([app]) => app), rates.slice(1).map(([, bare]) => bare)];
  const perSecond = `${Math.round(median(own))} : ${Math.round(median(base))} a second`;
  console.log(
    `cached club page, ${bare.size} bytes: ${ratioText(ratioOf(own, base))} of node:http, ${perSecond}`,
  );
}
