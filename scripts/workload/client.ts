import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';

/**
 * A client of our own, as small as it can be: it shares the processors with what it measures. autocannon needs twice its
 * processor time for each request, can neither leave a request out of what it counts nor build one from an earlier answer,
 * and would bring 60 packages.
 */
export interface Request {
  method?: 'GET' | 'POST' | 'PUT';
  path: string;
  token?: string;
  headers?: Record<string, string>;
  body?: object;
  /** Any other status ends the run. */
  expect?: number;
  onResponse?(response: Response): void;
}

export interface Response {
  status: number;
  headers: Record<string, string>;
  /** The bytes of the body as they came. */
  body: Buffer;
}

/** Requests that follow each other on one connection, and count as one. */
export type Unit = readonly Request[];

/** The next unit; undefined when there are no more. */
export type Next = () => Unit | undefined;

export interface LoadResult {
  seconds: number;
  units: number;
  /** Bytes of all bodies. */
  bytes: number;
  /** Milliseconds of each unit. */
  durations: number[];
}

export const dataOf = <T>({ body, headers }: Response): T =>
  (JSON.parse(String(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body)) as { data: T }).data;

/** Closed loop: each connection sends its next request as soon as it has the answer to the one before. */
export async function runLoad(origin: string, next: Next, connections: number): Promise<LoadResult> {
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(origin)));
  const result: LoadResult = { seconds: 0, units: 0, bytes: 0, durations: [] };
  const started = performance.now();
  async function work(send: (text: string) => Promise<Response>): Promise<void> {
    for (let unit = next(); unit; unit = next()) {
      const since = performance.now();
      for (const request of unit) {
        const response = await send(textOf(request));
        const { expect = 200, path, method = 'GET' } = request;
        if (response.status !== expect)
          throw new Error(`${method} ${path} answered ${response.status} instead of ${expect}`);
        result.bytes += response.body.length;
        request.onResponse?.(response);
      }
      result.units++;
      result.durations.push(performance.now() - since);
    }
  }
  try {
    await Promise.all(opened.map(({ send }) => work(send)));
  } finally {
    for (const { close } of opened) close();
  }
  result.seconds = (performance.now() - started) / 1000;
  return result;
}

/** Sends all of them, outside of what is measured. */
export async function sendAll(origin: string, requests: readonly Request[]): Promise<void> {
  let index = 0;
  await runLoad(origin, () => (index < requests.length ? [requests[index++] as Request] : undefined), 8);
}

function textOf({ method = 'GET', path, token, headers = {}, body }: Request): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  let head = `${method} ${path} HTTP/1.1\r\nhost: muster.test\r\naccept-encoding: gzip\r\n`;
  if (token) head += `authorization: Bearer ${token}\r\n`;
  if (body) head += `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}\r\n${text}`;
}

const headEnd = Buffer.from('\r\n\r\n');

/** A keep-alive connection with one request at a time. */
async function openConnection(origin: string) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  let received: Buffer[] = [];
  let size = 0;
  let head: Omit<Response, 'body'> | undefined;
  let waiting: PromiseWithResolvers<Response> | undefined;

  socket.on('data', (bytes: Buffer) => {
    received.push(bytes);
    size += bytes.length;
    if (!head) {
      const all = received.length === 1 ? bytes : Buffer.concat(received);
      const end = all.indexOf(headEnd);
      if (end < 0) return;
      head = readHead(all.toString('latin1', 0, end));
      received = [all.subarray(end + 4)];
      size = all.length - end - 4;
    }
    const body = completeBody(head, received, size);
    if (!body) return;
    const response = { ...head, body };
    received = [];
    size = 0;
    head = undefined;
    waiting?.resolve(response);
  });
  const fail = (error?: Error) => waiting?.reject(error ?? new Error('The server closed the connection'));
  socket.on('error', fail).on('close', () => fail());
  return {
    send(text: string): Promise<Response> {
      waiting = Promise.withResolvers<Response>();
      socket.write(text);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}

function readHead(text: string): Omit<Response, 'body'> {
  const [first = '', ...lines] = text.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 2);
  }
  return { status: Number(first.slice(9, 12)), headers };
}

/** Nothing while some of it is missing. */
function completeBody(
  { status, headers }: Omit<Response, 'body'>,
  received: Buffer[],
  size: number,
): Buffer | undefined {
  if (status === 304) return Buffer.alloc(0);
  const length = headers['content-length'];
  if (length === undefined) throw new Error('The benchmark reads only responses with a content-length');
  return size >= Number(length) ? Buffer.concat(received) : undefined;
}
