import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';

/** Somebody's wish to turn their connection into a websocket. */
interface UpgradeRequest {
  request: IncomingMessage;
  connection: Socket;
  head: Buffer;
  response: ServerResponse;
  since: number;
}

/** Wishes on their way at once: when everybody comes back in one moment, other requests are answered in between. */
const openConnections = 50;
/** Milliseconds after which nobody is let in any more. */
const timeout = 5000;

export interface Upgrades {
  isWished(request: FastifyRequest): boolean;
  /** Whoever has waited for too long is asked to come again. */
  isLate(request: FastifyRequest): boolean;
  grant(request: FastifyRequest, reply: FastifyReply, granted: (socket: WebSocket) => void): void;
}

/**
 * Sends wishes for a websocket through the routes, where they are refused like any other request. A socket outlives its
 * request by hours, so it keeps nothing of it.
 */
export function takeUpgrades(
  app: FastifyInstance,
  { path, maxPayload }: { path: string; maxPayload: number },
): Upgrades {
  const server = new WebSocketServer({ noServer: true, maxPayload, clientTracking: false });
  const queued = new WeakMap<IncomingMessage, UpgradeRequest>();
  const waiting: UpgradeRequest[] = [];
  const inside = new Set<Socket>();

  function enter(upgrade: UpgradeRequest): void {
    const { request, connection, response } = upgrade;
    inside.add(connection);
    connection.once('close', leave);
    app.routing(request, response);
  }

  function leave(this: Socket): void {
    this.off('close', leave);
    inside.delete(this);
    const next = inside.size < openConnections ? waiting.shift() : undefined;
    if (next) enter(next);
  }

  app.server.on('upgrade', (request, connection: Socket, head) => {
    // Node has taken its own listener away.
    connection.on('error', giveUp);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection);
    response.once('finish', () => connection.destroySoon());
    const upgrade = { request, connection, head, response, since: performance.now() };
    queued.set(request, upgrade);
    // Elsewhere it is ignored, and an answer may take as long as its reader likes: none of them holds a place.
    if (request.method !== 'GET' || request.url?.split('?')[0] !== path) app.routing(request, response);
    else if (inside.size < openConnections) enter(upgrade);
    else waiting.push(upgrade);
  });

  return {
    isWished: ({ raw }) => queued.has(raw),
    isLate: ({ raw }) => performance.now() - (queued.get(raw)?.since ?? Infinity) > timeout,
    grant({ raw }, reply, granted) {
      const { connection, head, response } = queued.get(raw) as UpgradeRequest;
      reply.hijack();
      response.detachSocket(connection);
      connection.off('error', giveUp);
      server.handleUpgrade(raw, connection, head, granted);
      leave.call(connection);
    },
  };
}

function giveUp(this: Socket): void {
  this.destroy();
}
