// The least that could give the same answer: what the app is measured against.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { WebSocketServer } from 'ws';
import type { Answer } from './processes.ts';

const kinds: Record<string, (answer: Answer) => Promise<number>> = {
  /** node:http that sends the same bytes, or says that they are known. */
  async http({ body, headers }) {
    const { etag } = headers;
    const server = createServer((request, response) => {
      if (etag && request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
      else response.writeHead(200, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },

  async fastify({ body, headers }) {
    const app = Fastify();
    app.get('/*', async (_request, reply) => reply.headers(headers).send(body));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },

  async ws() {
    const server = createServer();
    // oxlint-disable-next-line no-new
    new WebSocketServer({ server });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
};

process.once('message', (answer: Answer) => {
  void kinds[process.argv[2] ?? '']?.(answer).then((port) => process.send?.(port));
});
process.once('disconnect', () => process.exit());
