import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

/** Cuts what a client of PostgreSQL sends into its messages; the first of a connection has no type. */
function cutter() {
  let waiting = Buffer.alloc(0);
  let head = 0;
  return function* (bytes: Buffer) {
    waiting = Buffer.concat([waiting, bytes]);
    while (waiting.length >= head + 4) {
      const end = head + waiting.readInt32BE(head);
      if (waiting.length < end) break;
      yield waiting.subarray(0, end);
      waiting = waiting.subarray(end);
      head = 1;
    }
  };
}

/** A line to a database that counts the statements on it, and that can lose the answer to a commit or fall silent. */
export async function openTcpProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const directory = target.searchParams.get('host');
  const number = Number(target.port || 5432);
  const reach = () =>
    directory ? connect(join(directory, `.s.PGSQL.${number}`)) : connect(number, target.hostname);
  const sockets = new Set<Socket>();
  const seen = { statements: 0 };
  let isSilent = false;
  let trap: { statement: string; next: () => (() => void) | undefined } | undefined;
  let deaf: { statement: string; withDatabaseTimeout: () => void } | undefined;

  const server = createServer((client) => {
    const database = reach();
    for (const socket of [client, database]) {
      sockets.add(socket);
      if (isSilent) socket.pause();
      socket.on('error', () => {});
      socket.once('close', () => [client, database].forEach((each) => each.destroy()));
    }
    let isOfRequests = false;
    let isTrapped = false;
    let losing: (() => void) | undefined;
    database.on('data', (bytes) => (losing ? losing() : client.write(bytes)));
    const messagesIn = cutter();
    client.on('data', (bytes: Buffer) => {
      for (const message of messagesIn(bytes)) {
        const type = String.fromCharCode(message[0] ?? 0);
        isOfRequests ||= message.includes('application_name\0muster\0');
        if (isOfRequests && (type === 'E' || type === 'Q')) seen.statements++;
        if (trap && message.includes(trap.statement)) isTrapped = true;
        if (deaf && message.includes(deaf.statement)) {
          losing = deaf.withDatabaseTimeout;
          deaf = undefined;
        }
        if (isTrapped && type === 'Q' && /^commit/i.test(message.toString('utf8', 5)))
          losing ??= trap?.next();
        database.write(message);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  target.searchParams.delete('host');
  const url = Object.assign(target, { hostname: '127.0.0.1', port: String(port) });

  return {
    url: url.href,

    /** How many statements `work` led to. The queue of jobs has connections of its own, which do not count. */
    async count(work: () => Promise<unknown>): Promise<number> {
      const before = seen.statements;
      await work();
      return seen.statements - before;
    },

    /**
     * The next so many transactions with such a statement are committed, and whoever waits for that never hears of it.
     * Resolves when the database has said of each that it is done.
     */
    async loseCommitsOf(statement: string, max: number): Promise<void> {
      const lost = Array.from({ length: max }, () => Promise.withResolvers<void>());
      const left = lost.map(({ resolve }) => resolve);
      trap = { statement, next: () => left.pop() };
      await Promise.all(lost.map(({ promise }) => promise));
      trap = undefined;
    },

    /** The next such statement is done, and its connection never hears of it. Resolves when the database has answered. */
    loseAnswerTo(statement: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      deaf = { statement, withDatabaseTimeout: resolve };
      return promise;
    },

    /** Lets nothing through, and hangs up on nobody, until the returned function is called. */
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
      return () => {
        isSilent = false;
        for (const socket of sockets) socket.resume();
      };
    },

    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
