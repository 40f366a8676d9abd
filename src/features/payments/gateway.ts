import type Stripe from 'stripe';
import type { Config, StripeSettings } from '#platform/config.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { fail, ApiError } from '#wire/errors.ts';
import { isReady, isTimely, webhookTolerance, type ProviderAccount } from '#features/payments/rules.ts';

/** In milliseconds: per request to the provider, and overall. A caller never waits longer than ten seconds. */
const timeouts = { request: 6000, overall: 8000 };

const clients = new WeakMap<StripeSettings, Promise<Stripe>>();

/** The Stripe client. The library is loaded on first use only. */
function stripe({ stripe: settings }: Config): Promise<Stripe> {
  if (!settings) throw notSetUp();
  const client = clients.get(settings) ?? connect(settings);
  clients.set(settings, client);
  return client;
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
    timeout: timeouts.request,
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

const notSetUp = () => new ApiError('unavailable', { message: "Payments aren't set up on this server." });
const providerDown = () =>
  new ApiError('unavailable', {
    retryAfter: 10,
    message: "The payment provider isn't responding. Try again shortly.",
  });

export function requireSetUp({ stripe }: Config): void {
  if (!stripe) throw notSetUp();
}

/** Calls the provider with a timeout. Errors caused by our own request are rethrown, so that they are logged. */
async function callProvider<T>(config: Config, call: (stripe: Stripe) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(providerDown()), timeouts.overall);
  });
  try {
    return await Promise.race([stripe(config).then(call), timedOut]);
  } catch (error) {
    const { type, code } = error as { type?: string; code?: string };
    if (type && /^Stripe(Connection|API|RateLimit)Error$/.test(type)) throw providerDown();
    if (type === 'StripeInvalidGrantError') fail('bad_input');
    if (code === 'account_invalid') fail('not_found');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const toProviderAccount = (account: Stripe.Account): ProviderAccount => ({
  account: account.id,
  email: account.email,
  is_ready: isReady(account),
  changed_at: instant((account.created ?? 0) * 1000),
});

export const openAccount = (config: Config, { email, user, key }: Record<'email' | 'user' | 'key', string>) =>
  callProvider(config, async (stripe) => {
    const params = { type: 'standard', email, metadata: { user } } as const;
    return toProviderAccount(await stripe.accounts.create(params, { idempotencyKey: key }));
  });

/** The provider's page where the account holder completes the onboarding. */
export const onboardingUrl = (config: Config, account: string): Promise<string> =>
  callProvider(config, async (stripe) => {
    const profile = `${config.publicUrl}/app/profile`;
    const link = await stripe.accountLinks.create({
      account,
      type: 'account_onboarding',
      refresh_url: profile,
      return_url: profile,
    });
    return link.url;
  });

/** The provider's page where a user connects an existing account. It redirects back with `state` and a code. */
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

/** Exchanges an authorisation code for the account. */
export const authorisedAccount = (config: Config, code: string): Promise<ProviderAccount> =>
  callProvider(config, async (stripe) => {
    const { stripe_user_id } = await stripe.oauth.token({ grant_type: 'authorization_code', code });
    return stripe_user_id
      ? toProviderAccount(await stripe.accounts.retrieve(stripe_user_id))
      : fail('bad_input');
  });

/** Disconnects an account. Its owner keeps it at the provider. Succeeds if it is already disconnected. */
export const disconnectAccount = (config: Config, account: string): Promise<void> =>
  callProvider(config, async ({ oauth }) => {
    const client_id = config.stripe?.clientId;
    if (!client_id) throw notSetUp();
    await oauth.deauthorize({ client_id, stripe_user_id: account }).catch((error: Error) => {
      if (!/\bnot connected\b/.test(error.message)) throw error;
    });
  });

/** A webhook event of the provider. Events of other types have no `change`. */
export interface WebhookEvent {
  id: string;
  at: Instant;
  change?: { account: string; is_ready: boolean | 'disconnected' };
}

/** Parses a webhook event. Fails unless the provider recently signed exactly these bytes. */
export async function readWebhookEvent(
  config: Config,
  body: Buffer,
  signature: string | undefined,
  now: Instant,
): Promise<WebhookEvent> {
  const secret = config.stripe?.webhookSecret;
  if (!secret) throw notSetUp();
  const { webhooks } = await stripe(config);
  const signedAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? '')?.[1]);
  if (!signature || Number.isNaN(signedAt) || !isTimely(instant(signedAt * 1000), now)) fail('bad_input');
  try {
    return webhookEventOf(
      webhooks.constructEvent(body, signature, secret, webhookTolerance, undefined, Date.parse(now)),
    );
  } catch {
    return fail('bad_input');
  }
}

function webhookEventOf(event: Stripe.Event): WebhookEvent {
  const { id, created, account } = event;
  const received = { id, at: instant(created * 1000) };
  if (event.type === 'account.updated') {
    const { id: account, ...rest } = event.data.object;
    return { ...received, change: { account, is_ready: isReady(rest) } };
  }
  if (event.type === 'account.application.deauthorized' && account)
    return { ...received, change: { account, is_ready: 'disconnected' } };
  return received;
}
