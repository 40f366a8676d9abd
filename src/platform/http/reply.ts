import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/** An HTTP request, independent of the framework that parsed it. */
export interface Request {
  id: string;
  method: string;
  url: string;
  ip: string;
  headers: IncomingHttpHeaders;
  params: unknown;
  query: unknown;
  body: unknown;
  /** The path pattern of the endpoint, such as `/api/clubs/:ref`. */
  routeOptions: { url?: string | undefined };
}

/** An HTTP response, independent of the framework that sends it. */
export interface Reply {
  status: number;
  headers: Record<string, string | number>;
  body?: string | Buffer | undefined;
}

export const send = (to: FastifyReply, { status, headers, body }: Reply): FastifyReply =>
  to.status(status).headers(headers).send(body);
