import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { listen } from '#platform/db/listen.ts';
import type { Config } from '#platform/config.ts';
import type { Actor, FindSession } from '#platform/http/endpoint.ts';
import type { Log } from '#platform/log.ts';
import { rejectOtherMethods } from '#platform/http/errors.ts';
import { takeUpgrades } from '#platform/http/websocket-upgrade.ts';
import { fail, ApiError } from '#wire/errors.ts';

/** What somebody is told, as JSON; its id is told once to whoever is there. */
export interface LiveMessage {
  user_id: string;
  message: { id: string };
}

export interface LiveOptions {
  config: Config;
  log: Log;
  databaseUrl: string;
  /** Below /api. */
  path: string;
  /** What is notified on it makes every process look for news. */
  channel: string;
  findSession: FindSession;
  /** Which of these sessions are over. */
  findEnded(sessions: readonly string[]): Promise<string[]>;
  /** What there is for these users from the last `seconds`, but what is known. */
  findNew(
    users: readonly string[],
    seconds: number,
    matchesETag: (id: string) => boolean,
  ): Promise<LiveMessage[]>;
}

export interface Live {
  /** How many websockets are open. */
  connected(): number;
}

const maxPerUser = 10;
const largestMessage = 4 * 1024;
const largestBacklog = 1024 * 1024;
/** Milliseconds. */
const pauses = {
  gather: 50,
  look: 10_000,
  session: 1000,
  ping: 15_000,
  goodbye: 1000,
  closeReason: 50,
};
/** Farewells at once, so that 10,000 clients are told within ten seconds and do not come back in one moment. */
const farewells = 50;
/** A row can be older than its commit by as long as a transaction may last, and then some: seconds. */
const scanFrom = 60;

const codes = { goingAway: 1001, sessionOver: 4401 };

/** Somebody connected; the socket is there as soon as the handshake is over. */
interface Line extends Actor {
  connection: Socket;
  socket?: WebSocket;
  missedPings: number;
}

/** Who is connected, by the id of the user. */
type Switchboard = Map<string, Set<Line>>;

const everyLine = (registry: Switchboard): Line[] => [...registry.values()].flatMap((lines) => [...lines]);

/**
 * Pushes news to the browsers that are connected. Nobody relies on it: a client that connects reads its list anew, and
 * drops what it knows already, which may come again in its first minute.
 */
export function openLive(app: FastifyInstance, options: LiveOptions): Live {
  const { log, path, databaseUrl, channel } = options;
  const registry: Switchboard = new Map();
  const admitted = new WeakMap<FastifyRequest, Line>();
  const look = looker(options, registry);
  const listener = listen(databaseUrl, channel, { onNotify: look.soon, log });
  const timers = [
    setInterval(look.soon, pauses.look),
    setInterval(sessionWatch(options, registry), pauses.session),
    setInterval(() => ping(registry), pauses.ping),
  ];
  let closing = false;

  const upgrades = takeUpgrades(app, { path: `/api${path}`, maxPayload: largestMessage });
  app.addHook('preClose', async () => {
    closing = true;
    for (const timer of timers) clearInterval(timer);
    await hangUp(registry);
    await Promise.all([listener.stop(), look.stop()]);
  });

  app.route<{ Querystring: { token?: unknown } }>({
    method: 'GET',
    url: `/api${path}`,
    async onRequest(request) {
      if (closing) throw new ApiError('unavailable', { retryAfter: 1 });
      if (upgrades.isLate(request)) throw new ApiError('unavailable', { retryAfter: 5 });
      if (isForeign(request, options.config)) fail('foreign_origin');
      const { token } = request.query;
      const { user } = await options.findSession(typeof token === 'string' ? token : undefined);
      if (!user) fail('not_signed_in');
      if (upgrades.isWished(request)) admitted.set(request, accept(registry, request.raw.socket, user));
    },
    handler(request, reply) {
      const line = admitted.get(request);
      if (!line) throw new ApiError('bad_input', { message: 'This address speaks websocket only.' });
      upgrades.grant(request, reply, (socket) => {
        // Whatever is wrong with a message, the socket is being closed already, with the code that says so.
        socket.on('error', () => {});
        if (closing) return socket.close(codes.goingAway);
        line.socket = socket;
        socket.on('pong', () => (line.missedPings = 0));
      });
    },
  });
  rejectOtherMethods(app, `/api${path}`, new Set(['GET']));
  return { connected: () => everyLine(registry).length };
}

/** A place is taken before the handshake and given back when the connection is gone, however far it came. */
function accept(registry: Switchboard, connection: Socket, user: Actor): Line {
  const lines = registry.get(user.id) ?? new Set();
  if (lines.size >= maxPerUser) throw new ApiError('too_often', { retryAfter: 60 });
  const line: Line = { ...user, connection, missedPings: 0 };
  if (connection.destroyed) return line;
  registry.set(user.id, lines.add(line));
  connection.once('close', () => {
    lines.delete(line);
    if (lines.size === 0) registry.delete(user.id);
  });
  return line;
}

/** Browsers always tell the page that connects: it is ours by its configured address, or by the one that was asked. */
function isForeign({ headers, host }: FastifyRequest, { publicUrl }: Config): boolean {
  const { origin } = headers;
  if (origin === undefined || origin === new URL(publicUrl).origin) return false;
  return URL.parse(origin)?.host !== host;
}

/** Looks for news and hands them out. However often it is asked at one moment, it looks once. */
function looker({ log, findNew }: LiveOptions, registry: Switchboard) {
  /** What was told within the time that is looked at, and when. */
  const told = new Map<string, number>();
  let lookedAt = performance.now();
  let preloaded: Promise<void> | undefined;
  let again = false;

  async function look(): Promise<void> {
    const now = performance.now();
    const users = [...registry.keys()];
    const seconds = (now - lookedAt) / 1000 + scanFrom;
    const found = users.length > 0 ? await findNew(users, seconds, (id) => told.has(id)) : [];
    lookedAt = now;
    for (const [id, at] of told) if (at < now - seconds * 1000) told.delete(id);
    for (const { user_id, message } of found) {
      told.set(message.id, now);
      for (const line of registry.get(user_id) ?? []) send(line, message);
    }
  }

  async function untilQuiet(): Promise<void> {
    let took = 0;
    while (again) {
      // At most half of the time is for looking: whoever makes the news needs the machine as well.
      await sleep(Math.max(pauses.gather, took));
      again = false;
      const since = performance.now();
      await look().catch((error: Error) => log.warn({ message: error.message }, 'live'));
      took = performance.now() - since;
    }
    preloaded = undefined;
  }

  return {
    soon() {
      again = true;
      preloaded ??= untilQuiet();
    },
    stop: async () => preloaded,
  };
}

const isOpen = (socket?: WebSocket): socket is WebSocket =>
  socket !== undefined && socket.readyState === socket.OPEN;

function send({ socket }: Line, message: object): void {
  if (!isOpen(socket)) return;
  socket.send(JSON.stringify(message));
  if (socket.bufferedAmount > largestBacklog) socket.terminate();
}

function ping(registry: Switchboard): void {
  for (const line of everyLine(registry)) {
    if (line.missedPings >= 2) line.socket?.terminate();
    else if (isOpen(line.socket)) line.socket.ping();
    line.missedPings++;
  }
}

/** Closes the lines whose sessions are over, by one statement for all of them; never two at a time. */
function sessionWatch({ findEnded, log }: LiveOptions, registry: Switchboard): () => void {
  let isScanning = false;

  async function look(): Promise<void> {
    const lines = everyLine(registry);
    const ended = new Set(await findEnded([...new Set(lines.map(({ session_id }) => session_id))]));
    for (const line of lines) if (ended.has(line.session_id)) line.socket?.close(codes.sessionOver);
  }

  return () => {
    if (isScanning || registry.size === 0) return;
    isScanning = true;
    look()
      .catch((error: Error) => log.warn({ message: error.message }, 'live'))
      .finally(() => (isScanning = false));
  };
}

/** Lets every client know that the server goes, and cuts off those who do not answer in time. */
async function hangUp(registry: Switchboard): Promise<void> {
  const lines = everyLine(registry);
  const atOnce = Math.max(farewells, Math.ceil(lines.length / 200));
  while (lines.length > 0) {
    for (const { socket } of lines.splice(0, atOnce)) socket?.close(codes.goingAway);
    if (lines.length > 0) await sleep(pauses.closeReason);
  }
  for (let waited = 0; registry.size > 0 && waited < pauses.goodbye; waited += 20) await sleep(20);
  for (const { connection } of everyLine(registry)) connection.destroy();
}
