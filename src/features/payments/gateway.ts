import type Stripe from 'stripe';
import type { Config, StripeSettings } from '#platform/config.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { fail, ApiError } from '#wire/errors.ts';
import { isReady, isTimely, messageLasts, type ProviderAccount } from '#features/payments/rules.ts';

/** In milliseconds. Whoever waits for the provider gets an answer before ten seconds are over. */
const timeout = { answer: 6000, all: 8000 };

const clients = new WeakMap<StripeSettings, Promise<Stripe>>();

/** The provider, which is only loaded when somebody takes payments. */
function stripe({ stripe: settings }: Config): Promise<Stripe> {
  if (!settings) throw notSetUp();
  const known = clients.get(settings) ?? connect(settings);
  clients.set(settings, known);
  return known;
}

async function connect({ secretKey, apiUrl }: StripeSettings): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  const { protocol, hostname, port } = new URL(apiUrl ?? 'https://api.stripe.com');
  return new Stripe(secretKey, {
    ...(apiUrl
      ? {
          protocol: protocol === 'http:' ? 'http' : 'https',
          host: hostname,
          port: Number(port) || (protocol === 'http:' ? 80 : 443),
        }
      : {}),
    timeout: timeout.answer,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

const notSetUp = () => new ApiError('unavailable', { message: 'Payments are not set up on this server.' });
const isDown = () =>
  new ApiError('unavailable', {
    retryAfter: 10,
    message: 'The payment provider does not answer. Try again shortly.',
  });

export function requireSetUp({ stripe }: Config): void {
  if (!stripe) throw notSetUp();
}

/** Asks the provider, in time. What it turns down for a reason of ours stays a fault, so that it is logged. */
async function asking<T>(config: Config, ask: (stripe: Stripe) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(isDown()), timeout.all);
  });
  try {
    return await Promise.race([stripe(config).then(ask), late]);
  } catch (error) {
    const { type, code } = error as { type?: string; code?: string };
    if (type && /^Stripe(Connection|API|RateLimit)Error$/.test(type)) throw isDown();
    if (type === 'StripeInvalidGrantError') fail('bad_input');
    if (code === 'account_invalid') fail('not_found');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const described = (account: Stripe.Account): ProviderAccount => ({
  account: account.id,
  email: account.email,
  is_ready: isReady(account),
  changed_at: instant((account.created ?? 0) * 1000),
});

export const openAccount = (config: Config, { email, user, key }: Record<'email' | 'user' | 'key', string>) =>
  asking(config, async (stripe) => {
    const wish = { type: 'standard', email, metadata: { user } } as const;
    return described(await stripe.accounts.create(wish, { idempotencyKey: key }));
  });

/** Where the holder of an account tells the provider what is still missing. */
export const onboardingUrl = (config: Config, account: string): Promise<string> =>
  asking(config, async (stripe) => {
    const profile = `${config.publicUrl}/app/profile`;
    const link = await stripe.accountLinks.create({
      account,
      type: 'account_onboarding',
      refresh_url: profile,
      return_url: profile,
    });
    return link.url;
  });

/** Where a user lets the provider connect an account of theirs; it sends them back with `state` and a code. */
export async function authorisationUrl(config: Config, state: string): Promise<string> {
  const clientId = config.stripe?.clientId;
  if (!clientId) throw notSetUp();
  const { oauth } = await stripe(config);
  const url = new URL(
    oauth.authorizeUrl({
      client_id: clientId,
      response_type: 'code',
      scope: 'read_write',
      redirect_uri: `${config.publicUrl}/oauth/callback`,
      state,
    }),
  );
  return `${config.stripe?.apiUrl ?? url.origin}${url.pathname}${url.search}`;
}

/** The account that a code of the provider stands for. */
export const authorisedAccount = (config: Config, code: string): Promise<ProviderAccount> =>
  asking(config, async (stripe) => {
    const { stripe_user_id } = await stripe.oauth.token({ grant_type: 'authorization_code', code });
    return stripe_user_id ? described(await stripe.accounts.retrieve(stripe_user_id)) : fail('bad_input');
  });

/** Lets go of an account, which stays its owner's. One that we let go of before is let go of. */
export const disconnectAccount = (config: Config, account: string): Promise<void> =>
  asking(config, async ({ oauth }) => {
    const client_id = config.stripe?.clientId;
    if (!client_id) throw notSetUp();
    await oauth.deauthorize({ client_id, stripe_user_id: account }).catch((error: Error) => {
      if (!/\bnot connected\b/.test(error.message)) throw error;
    });
  });

/** What the provider tells about an account: that it is ready or not, or that we have nothing to do with it any more. */
export interface Message {
  id: string;
  at: Instant;
  news?: { account: string; is_ready: boolean | 'disconnected' };
}

/** A message, if the provider has signed these very octets a short while ago. */
export async function readMessage(
  config: Config,
  body: Buffer,
  signature: string | undefined,
  now: Instant,
): Promise<Message> {
  const secret = config.stripe?.webhookSecret;
  if (!secret) throw notSetUp();
  const { webhooks } = await stripe(config);
  const signedAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? '')?.[1]);
  if (!signature || Number.isNaN(signedAt) || !isTimely(instant(signedAt * 1000), now)) fail('bad_input');
  try {
    return messageOf(
      webhooks.constructEvent(body, signature, secret, messageLasts, undefined, Date.parse(now)),
    );
  } catch {
    return fail('bad_input');
  }
}

function messageOf(event: Stripe.Event): Message {
  const { id, created, account } = event;
  const message = { id, at: instant(created * 1000) };
  if (event.type === 'account.updated') {
    const { id: account, ...rest } = event.data.object;
    return { ...message, news: { account, is_ready: isReady(rest) } };
  }
  if (event.type === 'account.application.deauthorized' && account)
    return { ...message, news: { account, is_ready: 'disconnected' } };
  return message;
}
