import { Agent, request as send } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { WebSocket } from 'ws';

export interface Request {
  method?: 'GET' | 'PATCH' | 'POST' | 'PUT';
  path: string;
  token?: string;
  body?: object;
  /** Any other status is an error. */
  expect?: number;
  /** Called only with the expected status. */
  onResponse?(body: Buffer): void;
}

/** Requests that are sent together, as the web app does, and are measured as one. */
export type Unit = readonly Request[];

/**
 * Opens an HTTP client, which keeps its connections open. It uses node:http, which needs little CPU time, because the
 * client may share the processors with the server.
 */
export function openClient(origin: string) {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true });
  const errors = new Map<string, number>();

  /** Resolves with the status; 0 after a failed connection or a timeout. */
  function exchange(request: Request): Promise<number> {
    const { method = 'GET', path, token, body, expect = 200, onResponse } = request;
    const text = body && JSON.stringify(body);
    const headers = {
      'accept-encoding': 'gzip',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve) => {
      const options = { agent, hostname, port, method, path, headers, timeout: 30_000 };
      const sent = send(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => void (onResponse && parts.push(part)));
        response.on('end', () => {
          const { statusCode = 0, headers } = response;
          if (statusCode === expect && onResponse) {
            const all = Buffer.concat(parts);
            onResponse(headers['content-encoding'] === 'gzip' ? gunzipSync(all) : all);
          }
          resolve(statusCode);
        });
        response.on('error', () => resolve(0));
      });
      sent.on('timeout', () => sent.destroy()).on('error', () => resolve(0));
      sent.end(text);
    });
  }

  const countError = (error: string) => void errors.set(error, (errors.get(error) ?? 0) + 1);

  /** Resolves with the number of expected statuses, and counts unexpected ones as errors under this name. */
  async function sendUnit(unit: Unit, name: string): Promise<number> {
    const statuses = await Promise.all(unit.map(exchange));
    const wrong = statuses.filter((status, index) => status !== (unit[index]?.expect ?? 200));
    for (const status of wrong) countError(`${name} ${status || 'without an answer'}`);
    return unit.length - wrong.length;
  }

  return { errors, countError, sendUnit };
}

/** Works on up to `concurrency` items at a time. */
export async function inParallel<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Opens a websocket for each token. The websockets answer pings. Returns a function that closes them. */
export async function openSockets(
  origin: string,
  tokens: readonly string[],
  { onMessage, onClose }: Record<'onMessage' | 'onClose', () => void>,
): Promise<() => void> {
  const sockets: WebSocket[] = [];
  await inParallel(tokens, 20, async (token) => {
    const address = `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=${token}`;
    const socket = new WebSocket(address, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    sockets.push(socket.on('message', onMessage).on('close', onClose).on('error', onClose));
  });
  return () => sockets.forEach((socket) => socket.removeAllListeners('close').terminate());
}
