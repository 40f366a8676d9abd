import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const compress = promisify(gzip);

/** Whether the answer to this request may be compressed. */
export const takesGzip = ({ headers }: FastifyRequest): boolean =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.replaceAll(/\s/g, '').toLowerCase())
    .some((coding) => /^(gzip|x-gzip|\*)(;|$)/.test(coding) && !/;q=0(\.0*)?$/.test(coding));

/** Octets. What is smaller travels in one packet as it is. */
const leastZipped = 1400;

export interface Json {
  length: number;
  body(): string | Buffer;
  zipped(): Promise<Buffer>;
}

/** Sends JSON, compressed where that is understood and worth it. */
export async function sendJson(request: FastifyRequest, reply: FastifyReply, { length, body, zipped }: Json) {
  reply.headers({ 'content-type': 'application/json; charset=utf-8', vary: 'Accept-Encoding' });
  const zips = length >= leastZipped && takesGzip(request);
  return zips ? reply.header('content-encoding', 'gzip').send(await zipped()) : reply.send(body());
}

export const asText = (text: string): Json => ({
  length: text.length,
  body: () => text,
  zipped: () => compress(text),
});
