import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

/** Splits the bytes of a PostgreSQL client into messages. The first message of a connection has no type byte. */
function messageSplitter() {
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

function connectTo(databaseUrl: string): Socket {
  const { searchParams, port, hostname } = new URL(databaseUrl);
  const directory = searchParams.get('host');
  const number = Number(port || 5432);
  return directory ? connect(join(directory, `.s.PGSQL.${number}`)) : connect(number, hostname);
}

/**
 * A TCP proxy to a database. It counts statements and can drop responses or stall. `choose` returns the server of each
 * new connection, by default the database. It listens on any free port unless `listenOn` names one.
 */
export async function openTcpProxy(databaseUrl: string, choose = () => databaseUrl, listenOn = 0) {
  const sockets = new Set<Socket>();
  const seen = { statements: 0 };
  let isStalled = false;
  let delay = 0;
  let trap: { statement: string; next: () => (() => void) | undefined } | undefined;
  let dropNext: { statement: string; onResponse: () => void } | undefined;

  const server = createServer((client) => {
    const database = connectTo(choose());
    for (const socket of [client, database]) {
      sockets.add(socket);
      if (isStalled) socket.pause();
      socket.on('error', () => {});
      socket.once('close', () => [client, database].forEach((each) => each.destroy()));
    }
    let isOfRequests = false;
    let isTrapped = false;
    let dropping: (() => void) | undefined;
    database.on('data', (bytes) => {
      if (dropping) dropping();
      else if (delay > 0) setTimeout(() => client.write(bytes), delay);
      else client.write(bytes);
    });
    const messagesIn = messageSplitter();
    client.on('data', (bytes: Buffer) => {
      for (const message of messagesIn(bytes)) {
        const type = String.fromCharCode(message[0] ?? 0);
        isOfRequests ||= message.includes('application_name\0muster\0');
        if (isOfRequests && (type === 'E' || type === 'Q')) seen.statements++;
        if (trap && message.includes(trap.statement)) isTrapped = true;
        if (dropNext && message.includes(dropNext.statement)) {
          dropping = dropNext.onResponse;
          dropNext = undefined;
        }
        if (isTrapped && type === 'Q' && /^commit/i.test(message.toString('utf8', 5)))
          dropping ??= trap?.next();
        database.write(message);
      }
    });
  });
  server.listen(listenOn, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) });
  url.searchParams.delete('host');

  return {
    url: url.href,

    /** The number of statements of `work`. Connections of the job queue do not count. */
    async count(work: () => Promise<unknown>): Promise<number> {
      const before = seen.statements;
      await work();
      return seen.statements - before;
    },

    /**
     * Drops the response to the COMMIT of the next `max` transactions that contain the statement.
     * Resolves when the database has responded to all of them.
     */
    async loseCommitsOf(statement: string, max: number): Promise<void> {
      const lost = Array.from({ length: max }, () => Promise.withResolvers<void>());
      const left = lost.map(({ resolve }) => resolve);
      trap = { statement, next: () => left.pop() };
      await Promise.all(lost.map(({ promise }) => promise));
      trap = undefined;
    },

    /** Drops the response to the next message that contains the statement. Resolves when the database has responded. */
    loseAnswerTo(statement: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      dropNext = { statement, onResponse: resolve };
      return promise;
    },

    /** Delays all responses by these milliseconds. */
    slowDown(by: number): void {
      delay = by;
    },

    /** Stalls all connections without closing them until the returned function is called. */
    fallSilent() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
      return () => {
        isStalled = false;
        for (const socket of sockets) socket.resume();
      };
    },

    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
