import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isUnavailable } from '#platform/db/client.ts';
import { send, type Reply, type Request } from '#platform/http/reply.ts';
import { errorFields, type Log } from '#platform/log.ts';
import type { Envelope } from '#wire/endpoint.ts';
import { ApiError } from '#wire/errors.ts';

/**
 * SQLSTATEs of values that PostgreSQL rejects: data exceptions and violated checks. Schemas and rules should have
 * rejected the input earlier; this is the last line of defence.
 */
const isRefusedValue = (error: unknown): boolean =>
  /^(22[\dA-Z]{3}|23514)$/.test(String((error as { code?: unknown }).code));

/** Unexpected errors are logged in full, and their response has no details. */
export function toApiError(error: unknown, request: Request, log: Log): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnavailable(error)) {
    log.warn({ request: request.id, error: (error as Error).message }, 'a part is down');
    return new ApiError('unavailable', { retryAfter: 1 });
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status === 413) return new ApiError('too_large');
  if (status === 415) return new ApiError('wrong_media_type');
  if (status < 500) return new ApiError('bad_input');
  const isInput = isRefusedValue(error);
  const fields = { request: request.id, path: request.routeOptions.url, error: errorFields(error as Error) };
  if (isInput) log.warn(fields, 'input refused by the database');
  else log.error(fields, 'fault');
  return new ApiError(isInput ? 'bad_input' : 'broken');
}

export function errorReply({ code, status, message, retryAfter }: ApiError): Reply {
  const envelope: Envelope = { data: null, status, error: code, message };
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(retryAfter ? { 'retry-after': retryAfter } : {}),
    },
    body: JSON.stringify(envelope),
  };
}

/** Responds to malformed or oversized HTTP. There is no request, so the response is written to the socket. */
export function rejectUnparsable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Record<string, string>,
) {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  // Browsers open connections in advance, and would take a 408 for the response to their next request.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy();
  const { code, status, message } = new ApiError(
    error.code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'bad_input',
  );
  const envelope: Envelope = { data: null, status, error: code, message };
  const body = JSON.stringify(envelope);
  const fields = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

const everyMethod = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Responds with 405 to the methods that `url` does not support. */
export function rejectOtherMethods(app: FastifyInstance, url: string, supported: ReadonlySet<string>) {
  const method = everyMethod.filter((other) => !supported.has(other));
  const allow = [...supported].join(', ');
  app.route({
    method,
    url,
    handler: (_request, reply) =>
      send(reply.header('allow', allow), errorReply(new ApiError('wrong_method'))),
  });
}
