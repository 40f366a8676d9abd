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
    const known = await store.accountOf(db, user.id);
    if (known) return known;
    await limitAsking(db, user.id, now);
    const key = openingKey(user.id, email, now);
    const made = await gateway.openAccount(config, { email, user: user.id, key });
    return store.saveIfFirst(db, user.id, email, made);
  },

  async link({ db, user, now, config }, { account }) {
    gateway.requireSetUp(config);
    await requireAdmin(db, user.id);
    if ((await store.accountOf(db, user.id))?.account !== account) fail('not_found');
    await limitAsking(db, user.id, now);
    return { url: await gateway.onboardingUrl(config, account) };
  },

  async authorise({ db, user, now, config }) {
    gateway.requireSetUp(config);
    await requireAdmin(db, user.id);
    await limitAsking(db, user.id, now);
    const state = randomToken();
    await store.addState(db, user, digest(state), now);
    return { url: await gateway.authorisationUrl(config, state) };
  },
};

async function requireAdmin(db: Db, user: string): Promise<void> {
  if (!(await store.payee(db, user)).is_admin) fail('not_admin');
}

const limitAsking = (db: Db, user: string, now: Instant) =>
  limit(db, `payments-an-hour:${user}`, { max: 30, seconds: 60 * 60, now });

interface Options {
  config: Config;
  log: Log;
  db: Db;
  clock: Clock;
}

/** What the provider itself calls: it knows nothing of sessions and envelopes. */
export async function servePaymentProvider(app: FastifyInstance, options: Options): Promise<void> {
  const { config, log, db, clock } = options;

  app.get('/oauth/callback', async (request, reply) => {
    gateway.requireSetUp(config);
    await endAuthorisation(options, request.query, await clock(db));
    return reply.redirect('/app/profile', 302);
  });

  await app.register(async (scope) => {
    // Only the octets themselves can be checked against their signature.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 256 * 1024 }, (_request, body, done) =>
      done(null, body),
    );
    scope.post('/api/v1/payments/webhook', async ({ id, body, headers }) => {
      gateway.requireSetUp(config);
      const now = await clock(db);
      const signature = [headers['stripe-signature']].flat().join();
      const message = await gateway
        .readMessage(config, body as Buffer, signature, now)
        .catch((refusal: unknown) => {
          log.info({ request: id, event: 'webhook_rejected' });
          throw refusal;
        });
      await inTransaction(db, (transaction) => takeMessage(transaction, message, now));
      return { received: true };
    });
  });
}

const Return = z.object({ state: text(100).min(1), code: text(500).min(1).optional() });

/** Its state is spent whatever comes of it. Without a code, the user has said no at the provider. */
async function endAuthorisation({ config, db }: Options, query: unknown, now: Instant): Promise<void> {
  const sent = Return.safeParse(query);
  const user = sent.success && (await store.takeState(db, digest(sent.data.state), now));
  if (!user) return fail('bad_input');
  if (!sent.data.code) return;
  const found = await gateway.authorisedAccount(config, sent.data.code);
  failIf(whyCannotConnect(user, found));
  await store.connect(db, user.id, user.email, found, now).catch((error: unknown) => {
    if (isDuplicate(error)) fail('bad_input');
    throw error;
  });
}

async function takeMessage(db: Db, { id, at, news }: gateway.Message, now: Instant): Promise<void> {
  if (!(await store.isFirstTime(db, id, now)) || !news) return;
  const { account, is_ready } = news;
  if (is_ready === 'disconnected') await store.disconnect(db, account, at);
  else await store.setReady(db, account, is_ready, at);
}
