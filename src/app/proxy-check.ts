import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { signed, signedParts } from '#platform/token.ts';
import { fail } from '#wire/errors.ts';

const path = '/proxy-check';
const header = 'x-muster-check';
const purpose = 'proxy check';

/** A request as it arrives at the app. */
const Arrived = z.object({ host: z.string(), forwarded: z.string(), address: z.string() });

/** Tells `muster admin check` how its request arrived. For all others, the route does not exist. */
export function serveProxyCheck(app: FastifyInstance, { secretKey }: Config): void {
  app.get(path, ({ headers, ip }): z.infer<typeof Arrived> => {
    const [sentAt] = signedParts(secretKey, purpose, String(headers[header] ?? '')) ?? [];
    if (!(Math.abs(Date.now() - Number(sentAt)) < 60_000)) fail('not_found');
    return { host: headers.host ?? '', forwarded: String(headers['x-forwarded-for'] ?? ''), address: ip };
  });
}

/** An address that belongs to nobody (RFC 5737), which the request claims to come from. */
const forged = '192.0.2.1';

/** Sends a request to PUBLIC_URL and returns what is wrong with the proxy in front of the app, if anything. */
export async function proxyProblem({
  publicUrl,
  secretKey,
  trustedProxies,
}: Pick<Config, 'publicUrl' | 'secretKey' | 'trustedProxies'>): Promise<string | undefined> {
  const response = await fetch(publicUrl + path, {
    headers: { [header]: signed(secretKey, purpose, String(Date.now())), 'x-forwarded-for': forged },
    signal: AbortSignal.timeout(10_000),
    redirect: 'manual',
  }).catch((error: Error) => error);
  if (response instanceof Error) return `${publicUrl} does not answer: ${reasonOf(response)}.`;
  if (response.status === 421) return 'The proxy does not forward the Host header.';
  const arrived = Arrived.safeParse(await response.json().catch(() => undefined)).data;
  if (!arrived) return `${publicUrl} does not lead to this Muster: it answers with ${response.status}.`;
  if (URL.parse(`http://${arrived.host}`)?.hostname !== new URL(publicUrl).hostname)
    return `The proxy sends ${arrived.host} as Host. It has to forward the Host header.`;
  if (arrived.address === forged)
    return 'A client can choose the address that limits count: TRUST_PROXY is on, and the proxy does not add the address that it saw to X-Forwarded-For.';
  if (arrived.forwarded === forged) return undefined;
  if (trustedProxies === 0) return 'There is a proxy, so all clients share one address: set TRUST_PROXY=on.';
  if (arrived.forwarded === '')
    return 'The proxy does not set X-Forwarded-For, so all clients share one address.';
  return undefined;
}

const reasonOf = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message);
