import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';

/** A request to upgrade a connection to a websocket. */
interface UpgradeRequest {
  request: IncomingMessage;
  connection: Socket;
  head: Buffer;
  response: ServerResponse;
  since: number;
}

/** Limit on concurrent handshakes, so that other requests are still served while all clients reconnect. */
const maxConcurrentUpgrades = 50;
/** Milliseconds that a request may wait in the queue. */
const maxWait = 5000;

export interface Upgrades {
  isUpgrade(request: FastifyRequest): boolean;
  /** Whether the request has queued for too long, so that the client should retry later. */
  hasTimedOut(request: FastifyRequest): boolean;
  grant(request: FastifyRequest, reply: FastifyReply, onUpgrade: (socket: WebSocket) => void): void;
}

/**
 * Routes upgrade requests through Fastify, so that hooks and handlers can reject them. A websocket outlives its request
 * by hours, so the websocket must not hold a reference to the request.
 */
export function takeUpgrades(
  app: FastifyInstance,
  { path, maxPayload }: { path: string; maxPayload: number },
): Upgrades {
  const server = new WebSocketServer({ noServer: true, maxPayload, clientTracking: false });
  const queued = new WeakMap<IncomingMessage, UpgradeRequest>();
  const waiting: UpgradeRequest[] = [];
  const inProgress = new Set<Socket>();

  function start(upgrade: UpgradeRequest): void {
    const { request, connection, response } = upgrade;
    inProgress.add(connection);
    connection.once('close', finish);
    app.routing(request, response);
  }

  function finish(this: Socket): void {
    this.off('close', finish);
    inProgress.delete(this);
    const next = inProgress.size < maxConcurrentUpgrades ? waiting.shift() : undefined;
    if (next) start(next);
  }

  app.server.on('upgrade', (request, connection: Socket, head) => {
    // Node has removed its own error listener, and an error without a listener would end the process.
    connection.on('error', destroy);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection);
    response.once('finish', () => connection.destroySoon());
    const upgrade = { request, connection, head, response, since: performance.now() };
    queued.set(request, upgrade);
    // Only upgrades of `path` count towards the limit: any other response may take as long as a slow client reads it.
    if (request.method !== 'GET' || request.url?.split('?')[0] !== path) app.routing(request, response);
    else if (inProgress.size < maxConcurrentUpgrades) start(upgrade);
    else waiting.push(upgrade);
  });

  return {
    isUpgrade: ({ raw }) => queued.has(raw),
    hasTimedOut: ({ raw }) => performance.now() - (queued.get(raw)?.since ?? Infinity) > maxWait,
    grant({ raw }, reply, onUpgrade) {
      const { connection, head, response } = queued.get(raw) as UpgradeRequest;
      reply.hijack();
      response.detachSocket(connection);
      connection.off('error', destroy);
      server.handleUpgrade(raw, connection, head, onUpgrade);
      finish.call(connection);
    },
  };
}

function destroy(this: Socket): void {
  this.destroy();
}
