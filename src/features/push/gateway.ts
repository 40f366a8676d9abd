import { createECDH, ECDH, hkdfSync } from 'node:crypto';
import type { Config } from '#platform/config.ts';
import type { PushMessage } from '#features/push/contract.ts';
import { allowedEndpoint, outcomeOf, type PushOutcome, type Subscription } from '#features/push/rules.ts';

/** A message for one device, and how the push service treats it. */
export interface Push extends PushMessage {
  /** Seconds after which the push service drops it, if the device is not reachable. */
  ttl: number;
  urgency: 'normal' | 'high';
}

/** Milliseconds in which a push service has to answer. */
export const pushTimeout = 10_000;

/**
 * The max size of a message in bytes. web-push writes a second record from 4,080 bytes on, which RFC 8291 forbids, and
 * browsers accept about 4,000 bytes.
 */
const maxMessage = 3000;

/**
 * Sends a push. Never throws for an error of the push service, and reads only the status and `Retry-After` of its
 * response. Neither the endpoint nor the keys nor the message are logged.
 */
export async function sendPush(config: Config, device: Subscription, push: Push): Promise<PushOutcome> {
  const endpoint = allowedEndpoint(device.endpoint, config.pushHosts);
  if (!endpoint) return { state: 'failed' };
  const { headers, body } = await requestOf(config, { ...device, endpoint }, push);
  let response: Response;
  try {
    response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(pushTimeout),
    });
  } catch (error) {
    const isSilent = (error as Error).name === 'TimeoutError';
    return { state: 'retry', after: 0, ...(isSilent && { isSilent }) };
  }
  // Closes the connection if the body is not complete, so that an endless body holds nothing.
  void response.body?.cancel().catch(() => {});
  return outcomeOf(response.status, response.headers.get('retry-after'), Date.now());
}

/** Encrypts the message for the device and signs the request with the VAPID key. The library does not connect. */
async function requestOf(config: Config, { endpoint, p256dh, auth }: Subscription, push: Push) {
  const { ttl, urgency, ...message } = push;
  const { default: webPush } = await import('web-push');
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys }, textOf(message), {
    TTL: ttl,
    urgency,
    topic: push.tag,
    vapidDetails: { subject: contactOf(config), ...vapidKeys(config) },
  });
  const { 'Content-Length': _length, ...rest } = headers;
  const sent = Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]);
  return { headers: sent, body: new Uint8Array(body) };
}

/** The message as JSON. A body that is too long is cut. */
function textOf(message: PushMessage): string {
  const letters = [...message.body].slice(0, maxMessage);
  let text = JSON.stringify(message);
  while (Buffer.byteLength(text) > maxMessage && letters.pop())
    text = JSON.stringify({ ...message, body: `${letters.join('')}…` });
  return text;
}

/** Where the push service reaches the operator. It must be an https URL or an email address. */
const contactOf = ({ publicUrl, mailFrom }: Config): string =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:${mailFrom.address}`;

/** The order of the curve P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The key pair that identifies this server to push services (VAPID), in base64url. It is derived from the secret key,
 * so every process and every restored backup has the same pair. As FIPS 186-5 says (A.2.1), 128 more bits than
 * needed are derived, so that the remainder is uniform.
 */
export function vapidKeys({ secretKey }: Pick<Config, 'secretKey'>) {
  const derived = Buffer.from(hkdfSync('sha256', secretKey, '', 'muster vapid', 48)).toString('hex');
  const scalar = (BigInt(`0x${derived}`) % (order - 1n)) + 1n;
  const privateKey = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKey);
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}

/** The subscription that a browser has sent, or undefined if no push can or may be sent to it. */
export function subscriptionOf(
  { pushHosts }: Pick<Config, 'pushHosts'>,
  sent: Record<'endpoint' | 'p256dh' | 'auth', string>,
): Subscription | undefined {
  const endpoint = allowedEndpoint(sent.endpoint, pushHosts);
  const p256dh = bytesOf(sent.p256dh);
  const auth = bytesOf(sent.auth);
  return endpoint && p256dh && isPoint(p256dh) && auth?.length === 16
    ? { endpoint, p256dh, auth }
    : undefined;
}

const bytesOf = (text: string) => (/^[\w-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined);

/** Whether these bytes are an uncompressed point of the curve. */
function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}
