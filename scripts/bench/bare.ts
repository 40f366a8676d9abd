// The least that could give the same answer: what the app is measured against.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import { WebSocketServer } from 'ws';
import { batchLoader } from '#platform/db/batch-loader.ts';
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

  /** node:http that asks for all requests of a moment as the app does, in one statement, and says what is known. */
  async asking({ headers, questions: { url, text, units } }) {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    const look = batchLoader(async (asked: readonly (readonly unknown[])[]) => {
      const [first = []] = asked;
      const values = first.map((one, n) => (Array.isArray(one) ? asked.flatMap((each) => each[n]) : one));
      return (await pool.query<{ club_id: string | null }>({ name: 'asked', text, values })).rows;
    });
    const server = createServer(async ({ url: path = '' }, response) => {
      const { club_id } = await look(units[Number(path.slice(1))] ?? []);
      response.writeHead(club_id ? 304 : 404, headers).end();
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
