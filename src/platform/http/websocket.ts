import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { listen } from '#platform/db/listen.ts';
import type { Config } from '#platform/config.ts';
import type { Actor } from '#platform/context.ts';
import type { FindSession } from '#platform/http/endpoint.ts';
import type { Log } from '#platform/log.ts';
import { rejectOtherMethods } from '#platform/http/errors.ts';
import { takeUpgrades } from '#platform/http/websocket-upgrade.ts';
import { fail, ApiError } from '#wire/errors.ts';

/** A message for one user, sent as JSON. Each message is sent once to the connected clients, and again if it changes. */
export interface LiveMessage {
  user_id: string;
  message: { id: string };
}

export interface LiveOptions {
  config: Config;
  log: Log;
  databaseUrl: string;
  /** The path of the endpoint, below /api. */
  path: string;
  /**
   * The PostgreSQL channel. A notification without a payload makes each process check for new messages. With the
   * payload `<user id> <message id>`, each process sends that changed message again.
   */
  channel: string;
  findSession: FindSession;
  /** Returns the ids of the given sessions that have ended. */
  findEnded(sessions: readonly string[]): Promise<string[]>;
  /** Returns the messages for these users from the last `seconds`, except messages that were sent already. */
  findNew(
    users: readonly string[],
    seconds: number,
    wasSent: (id: string) => boolean,
  ): Promise<LiveMessage[]>;
  /** Returns the messages with these ids, except deleted ones. */
  findChanged(ids: readonly string[]): Promise<LiveMessage[]>;
}

export interface Live {
  /** The number of connected clients. */
  connected(): number;
}

const maxPerUser = 10;
const maxMessageBytes = 4 * 1024;
const maxBacklogBytes = 1024 * 1024;
/** Milliseconds. */
const intervals = {
  debounce: 50,
  retry: 1000,
  poll: 10_000,
  sessionCheck: 1000,
  ping: 15_000,
  closeTimeout: 1000,
  closeBatch: 50,
};
/** Sockets closed per batch: 10,000 clients within ten seconds, spread out so that they do not all reconnect at once. */
const closeBatchSize = 50;
/** Seconds to look back: a row's timestamp precedes its commit by up to the duration of the transaction. */
const lookBack = 60;

const codes = { goingAway: 1001, sessionOver: 4401 };

/** A connected client. `socket` is set after the handshake. */
interface Connection extends Actor {
  tcp: Socket;
  socket?: WebSocket;
  missedPings: number;
}

/** Connections by user id. */
type Registry = Map<string, Set<Connection>>;

const allConnections = (registry: Registry): Connection[] =>
  [...registry.values()].flatMap((connections) => [...connections]);

/**
 * Pushes messages to connected browsers. Delivery is best effort: a client reloads its list when it connects, and
 * ignores duplicates, which may arrive in its first minute.
 */
export function openLive(app: FastifyInstance, options: LiveOptions): Live {
  const { log, path, databaseUrl, channel } = options;
  const registry: Registry = new Map();
  const accepted = new WeakMap<FastifyRequest, Connection>();
  const delivery = messageDelivery(options, registry);
  const listener = listen(databaseUrl, channel, { onNotify: delivery.schedule, log });
  const timers = [
    setInterval(delivery.schedule, intervals.poll),
    setInterval(sessionWatch(options, registry), intervals.sessionCheck),
    setInterval(() => ping(registry), intervals.ping),
  ];
  let closing = false;

  const upgrades = takeUpgrades(app, { path: `/api${path}`, maxPayload: maxMessageBytes });
  app.addHook('preClose', async () => {
    closing = true;
    for (const timer of timers) clearInterval(timer);
    await closeAll(registry);
    await Promise.all([listener.stop(), delivery.stop()]);
  });

  app.route<{ Querystring: { token?: unknown } }>({
    method: 'GET',
    url: `/api${path}`,
    async onRequest(request) {
      if (closing) throw new ApiError('unavailable', { retryAfter: 1 });
      if (upgrades.hasTimedOut(request)) throw new ApiError('unavailable', { retryAfter: 5 });
      if (isForeign(request, options.config)) fail('foreign_origin');
      const { token } = request.query;
      const { user } = await options.findSession(typeof token === 'string' ? token : undefined);
      if (!user) fail('not_signed_in');
      if (!upgrades.isUpgrade(request)) return;
      accepted.set(request, accept(registry, request.raw.socket, user));
    },
    handler(request, reply) {
      const connection = accepted.get(request);
      if (!connection)
        throw new ApiError('bad_input', { message: 'This URL only accepts websocket connections.' });
      upgrades.grant(request, reply, (socket) => {
        // ws closes the socket itself after a protocol error, with the matching close code.
        socket.on('error', () => {});
        if (closing) return socket.close(codes.goingAway);
        connection.socket = socket;
        socket.on('pong', () => (connection.missedPings = 0));
      });
    },
  });
  rejectOtherMethods(app, `/api${path}`, new Set(['GET']));
  return { connected: () => allConnections(registry).length };
}

/** Registers a connection before the handshake, and removes it when the TCP connection closes. */
function accept(registry: Registry, tcp: Socket, user: Actor): Connection {
  const connections = registry.get(user.id) ?? new Set();
  if (connections.size >= maxPerUser) throw new ApiError('too_often', { retryAfter: 60 });
  const connection: Connection = { ...user, tcp, missedPings: 0 };
  if (tcp.destroyed) return connection;
  registry.set(user.id, connections.add(connection));
  tcp.once('close', () => {
    connections.delete(connection);
    if (connections.size === 0) registry.delete(user.id);
  });
  return connection;
}

/** Browsers always send `Origin`. It must be the configured origin or match the requested host. */
function isForeign({ headers, host }: FastifyRequest, { publicUrl }: Config): boolean {
  const { origin } = headers;
  if (origin === undefined || origin === new URL(publicUrl).origin) return false;
  return URL.parse(origin)?.host !== host;
}

/** Finds new messages and sends them. Calls of `schedule` are coalesced. */
function messageDelivery({ log, findNew, findChanged }: LiveOptions, registry: Registry) {
  /** When each message of the look-back window was sent, by id. */
  const sentAt = new Map<string, number>();
  /** The ids of messages to send again. */
  const changed = new Set<string>();
  let checkedAt = performance.now();
  let running: Promise<void> | undefined;
  let isDue = false;
  let isStopped = false;

  async function deliver(): Promise<void> {
    const now = performance.now();
    const users = [...registry.keys()];
    const seconds = (now - checkedAt) / 1000 + lookBack;
    const found = users.length > 0 ? await findNew(users, seconds, (id) => sentAt.has(id)) : [];
    for (const [id, at] of sentAt) if (at < now - seconds * 1000) sentAt.delete(id);
    sendAll(found, registry);
    checkedAt = now;
    for (const { message } of found) sentAt.set(message.id, now);
  }

  async function deliverChanged(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    if (ids.length > 0) sendAll(await findChanged(ids), registry);
  }

  async function run(): Promise<void> {
    let delay = intervals.debounce;
    while (isDue || changed.size > 0) {
      await sleep(delay);
      const wasDue = isDue;
      isDue = false;
      const since = performance.now();
      try {
        if (wasDue) await deliver();
        await deliverChanged();
        // Spend at most half of the time on checks.
        delay = Math.max(intervals.debounce, performance.now() - since);
      } catch (error) {
        log.warn({ message: (error as Error).message }, 'live');
        isDue = !isStopped;
        delay = intervals.retry;
      }
    }
    running = undefined;
  }

  return {
    schedule(payload?: string) {
      const [user, id] = payload?.split(' ') ?? [];
      if (!id) isDue = true;
      else if (user && registry.has(user)) changed.add(id);
      else return;
      running ??= run();
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

/** Sends messages to all windows of their users. */
function sendAll(messages: readonly LiveMessage[], registry: Registry): void {
  for (const { user_id, message } of messages)
    for (const connection of registry.get(user_id) ?? []) send(connection, message);
}

const isOpen = (socket?: WebSocket): socket is WebSocket =>
  socket !== undefined && socket.readyState === socket.OPEN;

function send({ socket }: Connection, message: object): void {
  if (!isOpen(socket)) return;
  socket.send(JSON.stringify(message));
  if (socket.bufferedAmount > maxBacklogBytes) socket.terminate();
}

function ping(registry: Registry): void {
  for (const connection of allConnections(registry)) {
    if (connection.missedPings >= 2) connection.socket?.terminate();
    else if (isOpen(connection.socket)) connection.socket.ping();
    connection.missedPings++;
  }
}

/**
 * Returns a function that closes the connections of ended sessions, with one statement for all sessions. Checks never
 * overlap.
 */
function sessionWatch({ findEnded, log }: LiveOptions, registry: Registry): () => void {
  let isChecking = false;

  async function check(): Promise<void> {
    const connections = allConnections(registry);
    const ended = new Set(await findEnded([...new Set(connections.map(({ session_id }) => session_id))]));
    for (const connection of connections)
      if (ended.has(connection.session_id)) connection.socket?.close(codes.sessionOver);
  }

  return () => {
    if (isChecking || registry.size === 0) return;
    isChecking = true;
    check()
      .catch((error: Error) => log.warn({ message: error.message }, 'live'))
      .finally(() => (isChecking = false));
  };
}

/** Closes all connections, and destroys those that do not close in time. */
async function closeAll(registry: Registry): Promise<void> {
  const connections = allConnections(registry);
  const batchSize = Math.max(closeBatchSize, Math.ceil(connections.length / 200));
  while (connections.length > 0) {
    for (const { socket } of connections.splice(0, batchSize)) socket?.close(codes.goingAway);
    if (connections.length > 0) await sleep(intervals.closeBatch);
  }
  for (let waited = 0; registry.size > 0 && waited < intervals.closeTimeout; waited += 20) await sleep(20);
  for (const { tcp } of allConnections(registry)) tcp.destroy();
}
