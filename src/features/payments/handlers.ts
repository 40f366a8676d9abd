import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { inTransaction, isDuplicate, type Clock, type Db } from '#platform/db/client.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import type { Log } from '#platform/log.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { digest, randomToken } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { fail, failIf } from '#wire/errors.ts';
import { text } from '#wire/text.ts';
import type { payments } from '#features/payments/contract.ts';
import * as gateway from '#features/payments/gateway.ts';
import { openingKey, whyCannotConnect, whyCannotOpen } from '#features/payments/rules.ts';
import * as store from '#features/payments/store.ts';

export const handlers: Handlers<typeof payments> = {
  async open({ db, user, now, config }, { email }) {
    gateway.requireSetUp(config);
    failIf(whyCannotOpen(await store.payee(db, user.id), email));
    const existing = await store.accountOf(db, user.id);
    if (existing) return existing;
    await limitProviderCalls(db, user.id, now);
    const key = openingKey(user.id, email, now);
    const created = await gateway.openAccount(config, { email, user: user.id, key });
    return store.saveIfFirst(db, user.id, email, created);
  },

  async link({ db, user, now, config }, { account }) {
    gateway.requireSetUp(config);
    await requireAdmin(db, user.id);
    if ((await store.accountOf(db, user.id))?.account !== account) fail('not_found');
    await limitProviderCalls(db, user.id, now);
    return { url: await gateway.onboardingUrl(config, account) };
  },

  async authorise({ db, user, now, config }) {
    gateway.requireSetUp(config);
    await requireAdmin(db, user.id);
    await limitProviderCalls(db, user.id, now);
    const state = randomToken();
    await store.addState(db, user, digest(state), now);
    return { url: await gateway.authorisationUrl(config, state) };
  },
};

async function requireAdmin(db: Db, user: string): Promise<void> {
  if (!(await store.payee(db, user)).is_admin) fail('not_admin');
}

const limitProviderCalls = (db: Db, user: string, now: Instant) =>
  limit(db, `payments-an-hour:${user}`, { max: 30, seconds: 60 * 60, now });

interface Options {
  config: Config;
  log: Log;
  db: Db;
  clock: Clock;
}

/** Routes that the provider calls: without sessions and response envelopes. */
export async function servePaymentProvider(app: FastifyInstance, options: Options): Promise<void> {
  const { config, log, db, clock } = options;

  app.get('/oauth/callback', async (request, reply) => {
    gateway.requireSetUp(config);
    await finishAuthorisation(options, request.query, await clock(db));
    return reply.redirect('/app/profile', 302);
  });

  await app.register(async (scope) => {
    // The signature covers the raw bytes.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 256 * 1024 }, (_request, body, done) =>
      done(null, body),
    );
    scope.post('/api/v1/payments/webhook', async ({ id, body, headers }) => {
      gateway.requireSetUp(config);
      const now = await clock(db);
      const signature = [headers['stripe-signature']].flat().join();
      const event = await gateway
        .readWebhookEvent(config, body as Buffer, signature, now)
        .catch((error: unknown) => {
          log.info({ request: id, event: 'webhook_rejected' });
          throw error;
        });
      await inTransaction(db, (transaction) => applyWebhookEvent(transaction, event, now));
      return { received: true };
    });
  });
}

const CallbackQuery = z.object({ state: text(100).min(1), code: text(500).min(1).optional() });

/** The state is used up even if a later step fails. If there is no code, the user declined at the provider. */
async function finishAuthorisation({ config, db }: Options, query: unknown, now: Instant): Promise<void> {
  const parsed = CallbackQuery.safeParse(query);
  const user = parsed.success && (await store.takeState(db, digest(parsed.data.state), now));
  if (!user) return fail('bad_input');
  if (!parsed.data.code) return;
  const found = await gateway.authorisedAccount(config, parsed.data.code);
  failIf(whyCannotConnect(user, found));
  await store.connect(db, user.id, user.email, found, now).catch((error: unknown) => {
    if (isDuplicate(error)) fail('bad_input');
    throw error;
  });
}

async function applyWebhookEvent(
  db: Db,
  { id, at, change }: gateway.WebhookEvent,
  now: Instant,
): Promise<void> {
  if (!(await store.isFirstDelivery(db, id, now)) || !change) return;
  const { account, is_ready } = change;
  if (is_ready === 'disconnected') await store.disconnect(db, account, at);
  else await store.setReady(db, account, is_ready, at);
}
