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
const held: WeakRef<object>[] = [];
const sockets: WebSocket[] = [];
let underWay = 0;
let max = 0;

beforeEach(async () => {
  app = Fastify();
  const upgrades = takeUpgrades(app, { path: '/open', maxPayload: 1024 });
  max = 0;
  app.get<{ Params: { name: string }; Querystring: { turn?: string } }>('/:name', async (request, reply) => {
    if (!upgrades.isWished(request)) return reply.send('plain');
    max = Math.max(max, ++underWay);
    await sleep(20);
    underWay--;
    if (request.params.name === 'refused' || Number(request.query.turn) % 2 === 1)
      return reply.status(401).send('no');
    held.push(...[request, request.raw, reply, reply.raw].map((one) => new WeakRef(one)));
    upgrades.grant(request, reply, (socket) => {
      sockets.push(socket);
      socket.on('message', (said) => socket.send(said));
    });
    return reply;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
  held.length = 0;
  return app.close();
});

const connect = (name: string) =>
  new WebSocket(`ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/${name}`);

test('a socket keeps nothing of the request that it began with', async () => {
  const client = connect('open');
  await once(client, 'open');
  await sleep(50);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  expect(held.map((one) => one.deref())).toEqual([undefined, undefined, undefined, undefined]);
  client.send('still there');
  const [said] = (await once(client, 'message')) as [Buffer];
  expect(said.toString()).toBe('still there');
});

test('a refusal is an answer like any other, and the last on its connection', async () => {
  const client = connect('refused');
  client.on('error', () => {});
  const [, answer] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'close']);
  answer.resume();
  await once(answer.socket, 'close');
});

test('of many that come in one moment a few are on their way at once, granted or refused', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 400 }, (_, turn) =>
      once(connect(`open?turn=${turn}`), 'open').then(
        () => 'open',
        ({ message }: Error) => message,
      ),
    ),
  );
  const of = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  expect([of('open'), of('Unexpected server response: 401'), max]).toEqual([200, 200, 50]);
});

test('those who go while they wait hold up nobody', async () => {
  const { port } = app.server.address() as AddressInfo;
  const head = ['GET /open?turn=1 HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
  const wish = [...head, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${'A'.repeat(22)}==`, '', ''].join(
    '\r\n',
  );
  const many = Array.from({ length: 200 }, () => open(port, '127.0.0.1'));
  await Promise.all(many.map((connection) => once(connection, 'connect')));
  for (const connection of many) connection.write(wish, () => connection.resetAndDestroy());
  await sleep(100);
  await once(connect('open'), 'open');
});
