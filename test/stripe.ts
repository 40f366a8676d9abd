import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface StripeRequest {
  line: string;
  headers: IncomingHttpHeaders;
  form: Record<string, string>;
}

interface StripeResponse {
  status?: number;
  body: object;
}

const webhookSecret = 'whsec_that_only_tests_use';

/** A fake Stripe server. It records the requests and responds like the real API. */
export async function openStripe() {
  const requests: StripeRequest[] = [];
  const made = new Map<string, string>();
  const connected = new Set<string>();
  /** Overrides of the account object, and the failure mode. */
  const state = {
    account: {} as object,
    mode: 'up' as 'up' | 'broken' | 'silent' | 'dripping' | 'hangs up',
    /** Holds the responses until this many requests have arrived. */
    together: 1,
  };

  function respond({ line, headers, form }: StripeRequest): StripeResponse {
    if (line === 'POST /v1/accounts') {
      const key = String(headers['idempotency-key']);
      if (!made.has(key)) made.set(key, `acct_made${made.size + 1}`);
      connected.add(made.get(key) as string);
      return { body: { ...account(made.get(key) as string), email: form['email'], ...state.account } };
    }
    if (line === 'POST /v1/account_links')
      return { body: { object: 'account_link', url: `https://connect.example/setup/${form['account']}` } };
    if (line === 'POST /oauth/token')
      return form['code'] === 'ac_good'
        ? { body: { stripe_user_id: 'acct_own', scope: 'read_write', token_type: 'bearer' } }
        : { status: 400, body: { error: 'invalid_grant', error_description: 'No such code' } };
    if (line === 'POST /oauth/deauthorize') {
      const id = String(form['stripe_user_id']);
      if (!connected.delete(id)) {
        const error_description = `This application is not connected to stripe account ${id}, or that account does not exist.`;
        return { status: 401, body: { error: 'invalid_client', error_description } };
      }
      return { body: { stripe_user_id: id } };
    }
    if (line.startsWith('GET /v1/accounts/'))
      return { body: { ...account(line.split('/').at(-1) as string), ...state.account } };
    return { status: 404, body: { error: { type: 'invalid_request_error', message: line } } };
  }

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    const form = Object.fromEntries(new URLSearchParams(text));
    const one = { line: `${request.method} ${request.url}`, headers: request.headers, form };
    requests.push(one);
    if (state.mode === 'silent') return;
    if (state.mode === 'hangs up') return void request.socket.destroy();
    if (state.mode === 'dripping') {
      // Sends a byte often enough to avoid an idle timeout, and never ends.
      for (; !response.destroyed; await sleep(500)) response.write(' ');
      return;
    }
    while (requests.length < state.together) await sleep(5);
    const { status = 200, body } =
      state.mode === 'broken' ? { status: 500, body: { error: { type: 'api_error' } } } : respond(one);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    requests,
    connected,
    state,
    settings: {
      STRIPE_SECRET_KEY: 'sk_test_of_these_tests',
      STRIPE_CLIENT_ID: 'ca_of_these_tests',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: url,
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const account = (id: string, isReady = false) => ({
  id,
  object: 'account',
  email: null,
  created: 1_700_000_000,
  details_submitted: isReady,
  charges_enabled: isReady,
  payouts_enabled: isReady,
});

/** The `Stripe-Signature` header of a webhook, as the provider documents it. */
export const signature = (body: string, at: number, secret = webhookSecret): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
