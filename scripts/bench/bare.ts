// The least that could give the same answer: what the app is measured against.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import { WebSocketServer } from 'ws';
import type { Answer, Questions } from './processes.ts';

type Task = Answer & { questions: Questions };

const kinds: Record<string, (task: Task) => Promise<number>> = {
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

  /** node:http that asks for all requests of a moment in one statement, two of them at once, and says what is known. */
  async asking({ headers, questions: { url, text, units } }) {
    const idle = [new pg.Client(url), new pg.Client(url)];
    await Promise.all(idle.map((client) => client.connect()));
    let waiting: { values: readonly unknown[]; response: ServerResponse }[] = [];
    async function depart(): Promise<void> {
      const client = waiting.length > 0 ? idle.pop() : undefined;
      if (!client) return;
      const asked = waiting;
      waiting = [];
      const values = asked[0]?.values.map((one, n) =>
        Array.isArray(one) ? asked.flatMap((each) => each.values[n]) : one,
      );
      const { rows } = await client.query({ name: 'asked', text, ...(values ? { values } : {}) });
      for (const [n, { response }] of asked.entries())
        response.writeHead(rows[n].club_id ? 304 : 404, headers).end();
      idle.push(client);
      void depart();
    }
    const server = createServer(({ url: path = '' }, response) => {
      if (waiting.length === 0) setImmediate(() => void depart());
      waiting.push({ values: units[Number(path.slice(1))] ?? [], response });
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

process.once('message', (task: Task) => {
  void kinds[process.argv[2] ?? '']?.(task).then((port) => process.send?.(port));
});
process.once('disconnect', () => process.exit());
