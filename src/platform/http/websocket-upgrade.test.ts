import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as open, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { takeUpgrades } from '#platform/http/websocket-upgrade.ts';

let app: FastifyInstance;
const retained: WeakRef<object>[] = [];
const sockets: WebSocket[] = [];
let underWay = 0;
let max = 0;

beforeEach(async () => {
  app = Fastify();
  const upgrades = takeUpgrades(app, { path: '/open', maxPayload: 1024 });
  max = 0;
  app.get<{ Params: { name: string }; Querystring: { turn?: string } }>('/:name', async (request, reply) => {
    if (!upgrades.isUpgrade(request)) return reply.send('plain');
    max = Math.max(max, ++underWay);
    await sleep(20);
    underWay--;
    if (request.params.name === 'refused' || Number(request.query.turn) % 2 === 1)
      return reply.status(401).send('no');
    retained.push(...[request, request.raw, reply, reply.raw].map((ref) => new WeakRef(ref)));
    upgrades.grant(request, reply, (socket) => {
      sockets.push(socket);
      socket.on('message', (data) => socket.send(data));
    });
    return reply;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
  retained.length = 0;
  return app.close();
});

const connect = (name: string) =>
  new WebSocket(`ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/${name}`);

test('upgraded socket: does not retain its request', async () => {
  const client = connect('open');
  await once(client, 'open');
  await sleep(50);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  expect(retained.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined, undefined]);
  client.send('still there');
  const [data] = (await once(client, 'message')) as [Buffer];
  expect(data.toString()).toBe('still there');
});

test('upgrade: a rejection is a plain response and closes the connection', async () => {
  const client = connect('refused');
  client.on('error', () => {});
  const [, answer] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'close']);
  answer.resume();
  await once(answer.socket, 'close');
});

test('upgrade: at most 50 handshakes run at once, accepted and rejected alike', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 400 }, (_, turn) =>
      once(connect(`open?turn=${turn}`), 'open').then(
        () => 'open',
        ({ message }: Error) => message,
      ),
    ),
  );
  const of = (outcome: string) => outcomes.filter((ref) => ref === outcome).length;
  expect([of('open'), of('Unexpected server response: 401'), max]).toEqual([200, 200, 50]);
});

test('upgrade: clients that disconnect in the queue do not block others', async () => {
  const { port } = app.server.address() as AddressInfo;
  const head = ['GET /open?turn=1 HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
  const request = [
    ...head,
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    '',
    '',
  ].join('\r\n');
  const many = Array.from({ length: 200 }, () => open(port, '127.0.0.1'));
  await Promise.all(many.map((connection) => once(connection, 'connect')));
  for (const connection of many) connection.write(request, () => connection.resetAndDestroy());
  await sleep(100);
  await once(connect('open'), 'open');
});
