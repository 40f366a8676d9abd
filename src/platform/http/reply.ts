import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/** What somebody asks for, whoever has read it from their connection. */
export interface Request {
  id: string;
  method: string;
  url: string;
  ip: string;
  headers: IncomingHttpHeaders;
  params: unknown;
  query: unknown;
  body: unknown;
  /** The path of its endpoint, with the names of the placeholders. */
  routeOptions: { url?: string | undefined };
}

/** What they are answered, whoever writes it to their connection. */
export interface Reply {
  status: number;
  headers: Record<string, string | number>;
  body?: string | Buffer | undefined;
}

export const send = (to: FastifyReply, { status, headers, body }: Reply): FastifyReply =>
  to.status(status).headers(headers).send(body);
