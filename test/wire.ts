import { connect } from 'node:net';
import { expect } from 'vitest';
import { errorCodes, type ErrorCode } from '#wire/errors.ts';
import type { Envelope } from '#wire/endpoint.ts';

/** Sends raw bytes to a server and returns everything it sends until it closes the connection. */
export function rawExchange(origin: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}

const always = {
  'content-security-policy': /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
  'cache-control': /^(no-store|no-cache|private, max-age=300|public, max-age=31536000, immutable)$/,
};

/** Checks the headers that every response has. */
export function expectSafe({ headers }: { headers: Headers }): void {
  for (const [name, value] of Object.entries(always)) expect(headers.get(name)).toMatch(value);
  expect(headers.getSetCookie()).toEqual([]);
}

/** Checks an error response: an envelope with a known code, the status of that code and a sentence. */
export function expectError({ status, headers, text }: { status: number; headers: Headers; text: string }) {
  expectSafe({ headers });
  expect(headers.get('cache-control')).toBe('no-store');
  const envelope = JSON.parse(text) as Envelope;
  expect(Object.keys(envelope).toSorted()).toEqual(['data', 'error', 'message', 'status']);
  expect(envelope).toMatchObject({ data: null, status });
  expect(errorCodes[envelope.error as ErrorCode]?.[0]).toBe(status);
  expect(envelope.message).toMatch(/\w+ \w+/);
  return envelope;
}

/** Parses the first response in the bytes that a server wrote. */
export function parsed(written: string) {
  const [head = '', text = ''] = written.split('\r\n\r\n', 2);
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name, value.join(': ')];
  });
  return { status: Number(first.split(' ')[1]), headers: new Headers(pairs), text };
}
