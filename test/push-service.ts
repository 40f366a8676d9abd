import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushMessage } from '#features/push/contract.ts';

/** A push that the service has accepted or refused as it was told to. */
interface ReceivedPush {
  subscription: string;
  message: PushMessage;
  ttl: string | undefined;
  topic: string | undefined;
  urgency: string | undefined;
  /** The key in the VAPID header. */
  key: string;
  /** The size of the encrypted body. */
  bytes: number;
}

/** How the service responds: with a status and headers, with a body that never ends, or not at all. */
type Response = { status: number; headers?: Record<string, string>; endless?: boolean } | 'nothing';

/** How the service responds to the nth push for a subscription, counted from 1. */
type Responder = (nth: number) => Response | Promise<Response>;

interface Keys {
  /** The private key of the browser, in base64url. */
  privateKey: string;
  auth: string;
}

const key = (text: string) => Buffer.from(text, 'base64url');

/** Decrypts the body of a push as RFC 8291 says. Throws if it has more than one record. */
export function decrypted(body: Buffer, { privateKey, auth }: Keys): string {
  const browser = createECDH('prime256v1');
  browser.setPrivateKey(key(privateKey));
  const salt = body.subarray(0, 16);
  const recordSize = body.readUInt32BE(16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (idLength !== 65) throw new Error('The key id is not a public key');
  if (record.length > recordSize) throw new Error('There is a second record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', browser.computeSecret(sender), key(auth), info, 32));
  const derive = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${purpose}\0`, length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('The record is not the last one');
  return padded.toString('utf8', 0, end);
}

/** The key of a valid VAPID header (RFC 8292) for this service. Throws if it is not valid. */
function keyOfSender(authorization: string | undefined, origin: string): string {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization ?? '') ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = key(publicKey);
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const jwk = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: jwk, dsaEncoding: 'ieee-p1363' },
    key(signature),
  );
  const { alg } = JSON.parse(key(header).toString()) as { alg: string };
  const { aud, exp, sub } = JSON.parse(key(claims).toString()) as { aud: string; exp: number; sub: string };
  const seconds = exp - Date.now() / 1000;
  if (!isSigned || alg !== 'ES256') throw new Error('The VAPID token is not signed');
  if (aud !== origin) throw new Error(`The VAPID token is for ${aud}`);
  if (seconds < 0 || seconds > 24 * 60 * 60) throw new Error('The VAPID token expires too early or too late');
  if (!/^(mailto:.+@|https:\/\/)/.test(sub)) throw new Error('The VAPID token has no contact');
  return publicKey;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/**
 * A stand-in for the push services of browsers, at an address for `PUSH_HOSTS`. It accepts only pushes that are signed
 * and encrypted as browsers demand, and then responds as `respond` says.
 */
export async function openPushService() {
  const subscriptions = new Map<string, Keys & { respond: Responder | undefined; pushes: number }>();
  const received: ReceivedPush[] = [];
  const errors: string[] = [];
  const state = { requests: 0, closed: 0, respond: { status: 201 } as Response };
  const server = createServer((request, response) => {
    state.requests++;
    response.on('close', () => state.closed++);
    void handle(request, response).catch((error: Error) => {
      errors.push(error.message);
      response.writeHead(400).end();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const subscription = request.url?.slice(1) ?? '';
    const keys = subscriptions.get(subscription);
    if (!keys) throw new Error('There is no such subscription');
    const { headers } = request;
    if (request.method !== 'POST' || headers['content-encoding'] !== 'aes128gcm')
      throw new Error('This is not a push');
    received.push({
      subscription,
      key: keyOfSender(headers.authorization, `http://${host}`),
      message: JSON.parse(decrypted(body, keys)) as PushMessage,
      ttl: headers['ttl'] as string | undefined,
      topic: headers['topic'] as string | undefined,
      urgency: headers['urgency'] as string | undefined,
      bytes: body.length,
    });
    keys.pushes++;
    const respond = (await keys.respond?.(keys.pushes)) ?? state.respond;
    if (respond === 'nothing') return;
    response.writeHead(respond.status, respond.headers);
    if (!respond.endless) return void response.end();
    const write = () => {
      if (!response.destroyed && response.write('x'.repeat(1000))) setImmediate(write);
    };
    response.on('drain', write);
    write();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    /** The address for `PUSH_HOSTS`. */
    host,
    received,
    /** Why requests were rejected. */
    errors,
    state,
    /** A new subscription, as a browser sends it to the app. `respond` overrides how the service responds to all. */
    subscribe(respond?: Responder) {
      const id = randomBytes(12).toString('base64url');
      const browser = createECDH('prime256v1');
      browser.generateKeys();
      const auth = randomBytes(16).toString('base64url');
      subscriptions.set(id, { privateKey: browser.getPrivateKey('base64url'), auth, respond, pushes: 0 });
      return { endpoint: `http://${host}/${id}`, p256dh: browser.getPublicKey('base64url'), auth };
    },
    /** The messages for a subscription. */
    messagesFor: ({ endpoint }: { endpoint: string }) =>
      received
        .filter(({ subscription }) => endpoint.endsWith(`/${subscription}`))
        .map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type PushService = Awaited<ReturnType<typeof openPushService>>;
