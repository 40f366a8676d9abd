import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';

/** Somebody's wish to turn their connection into a websocket. */
interface Wish {
  connection: Socket;
  head: Buffer;
  response: ServerResponse;
}

export interface Upgrades {
  isWished(request: FastifyRequest): boolean;
  grant(request: FastifyRequest, reply: FastifyReply, granted: (socket: WebSocket) => void): void;
}

/**
 * Sends wishes for a websocket through the routes, where they are refused like any other request. A socket outlives its
 * request by hours, so it keeps nothing of it.
 */
export function takeUpgrades(app: FastifyInstance, maxPayload: number): Upgrades {
  const server = new WebSocketServer({ noServer: true, maxPayload, clientTracking: false });
  const wishes = new WeakMap<IncomingMessage, Wish>();

  app.server.on('upgrade', (request, connection: Socket, head) => {
    // Node has taken its own listener away.
    connection.on('error', giveUp);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection);
    response.once('finish', () => connection.destroySoon());
    wishes.set(request, { connection, head, response });
    app.routing(request, response);
  });

  return {
    isWished: ({ raw }) => wishes.has(raw),
    grant({ raw }, reply, granted) {
      const { connection, head, response } = wishes.get(raw) as Wish;
      reply.hijack();
      response.detachSocket(connection);
      connection.off('error', giveUp);
      server.handleUpgrade(raw, connection, head, granted);
    },
  };
}

function giveUp(this: Socket): void {
  this.destroy();
}
