import { describe, expect, test } from 'vitest';
import { all, first, run, sql } from '#platform/db/client.ts';
import type { PaymentAccount } from '#features/payments/contract.ts';
import { outcomeOf, send } from '#test/calls.ts';
import { account, openStripe, signature } from '#test/stripe.ts';
import { isolatedWorld, world, type Person, type World } from '#test/world.ts';

/** A world with a payment provider, and Ada, an admin of a club. */
async function setUp(settings: Record<string, string> = {}) {
  const stripe = await openStripe();
  const w = await isolatedWorld({ ...stripe.settings, ...settings });
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  return {
    stripe,
    w,
    ada,
    club,
    async [Symbol.asyncDispose]() {
      await w[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
    },
  };
}

const open = ({ api, email }: Person) => api.payments.open({ email });

const stored = ({ db }: World): Promise<(PaymentAccount & { user_id: string })[]> =>
  all(
    db,
    sql<PaymentAccount & { user_id: string }>`select user_id, account, email, is_ready from payment_accounts`,
  );

test('open: creates an account with the address of the admin; later requests return the same account [PAY-01]', async () => {
  await using setting = await setUp();
  const { w, ada, stripe } = setting;
  expect(await send(w, ada, 'POST /v1/payment-accounts', { email: ada.email.toUpperCase() })).toMatchObject({
    status: 200,
    data: { account: 'acct_made1', email: ada.email, is_ready: false },
  });
  expect(await open(ada)).toEqual({ account: 'acct_made1', email: ada.email, is_ready: false });
  expect(stripe.requests).toEqual([
    {
      line: 'POST /v1/accounts',
      headers: expect.objectContaining({
        authorization: 'Bearer sk_test_of_these_tests',
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': expect.stringContaining(ada.id),
      }),
      form: { type: 'standard', email: ada.email, 'metadata[user]': ada.id },
    },
  ]);
  expect(await stored(w)).toEqual([
    { user_id: ada.id, account: 'acct_made1', email: ada.email, is_ready: false },
  ]);
});

test('open: refused to non-admins and with another address [PAY-01]', async () => {
  await using setting = await setUp();
  const { w, ada, stripe } = setting;
  const bob = await w.person('Bob');
  await w.club([ada, bob]);
  expect(await outcomeOf(open(bob))).toBe('403 not_admin');
  expect(await outcomeOf(bob.api.payments.link({ account: 'acct_1' }))).toBe('403 not_admin');
  expect(await outcomeOf(bob.api.payments.authorise({}))).toBe('403 not_admin');
  expect(await outcomeOf(ada.api.payments.open({ email: bob.email }))).toBe('400 bad_input');
  expect(await outcomeOf(w.anyone.payments.open({ email: ada.email }))).toBe('401 not_signed_in');
  expect(stripe.requests).toEqual([]);
  expect(await stored(w)).toEqual([]);
});

test('open: concurrent requests create one account', async () => {
  await using setting = await setUp();
  const { w, ada, stripe } = setting;
  stripe.state.together = 2;
  const [one, other] = await Promise.all([open(ada), open(ada)]);
  expect(one).toEqual(other);
  expect(stripe.requests).toHaveLength(2);
  expect(new Set(stripe.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(await stored(w)).toHaveLength(1);
});

test('link: only the account holder gets the onboarding URL [PAY-02]', async () => {
  await using setting = await setUp();
  const { w, ada, stripe } = setting;
  const bob = await w.person('Bob');
  await w.club([bob]);
  const link = (person: Person, account: string) =>
    send(w, person, 'POST /v1/payment-accounts/link', { account });
  expect((await link(ada, 'acct_made1')).status).toBe(404);
  await open(ada);
  await open(bob);
  stripe.requests.length = 0;
  expect((await link(bob, 'acct_made1')).status).toBe(404);
  expect((await link(ada, 'acct_unknown')).status).toBe(404);
  expect(stripe.requests).toEqual([]);
  expect(await link(ada, 'acct_made1')).toMatchObject({
    status: 200,
    data: { url: 'https://connect.example/setup/acct_made1' },
  });
  expect(stripe.requests.map(({ line, form }) => [line, form])).toEqual([
    [
      'POST /v1/account_links',
      {
        account: 'acct_made1',
        type: 'account_onboarding',
        refresh_url: 'http://muster.test/app/profile',
        return_url: 'http://muster.test/app/profile',
      },
    ],
  ]);
});

test('payments: 503 without a provider, or without the setting that a call needs', async () => {
  await using w = await world();
  const ada = await w.person('Ada');
  const notConfigured = {
    status: 503,
    error: 'unavailable',
    message: "Payments aren't set up on this server.",
  };
  expect(await send(w, ada, 'POST /v1/payment-accounts', { email: ada.email })).toMatchObject(notConfigured);
  expect(await send(w, ada, 'POST /v1/payment-accounts/link', { account: 'a' })).toMatchObject(notConfigured);
  expect(await send(w, ada, 'POST /v1/payment-accounts/authorize', {})).toMatchObject(notConfigured);
  expect((await redirectBack(w, { state: 'x' })).status).toBe(503);
  expect((await deliver(w, '{}')).status).toBe(503);

  await using part = await setUp({ STRIPE_CLIENT_ID: '', STRIPE_WEBHOOK_SECRET: '' });
  expect((await deliver(part.w, '{}')).status).toBe(503);
  expect(await send(part.w, part.ada, 'POST /v1/payment-accounts/authorize', {})).toMatchObject(
    notConfigured,
  );
  expect(await all(part.w.db, sql`select from oauth_states`)).toEqual([]);
});

describe('failing provider', () => {
  test.each(['broken', 'hangs up'] as const)('%s: 503, and nothing is stored', async (mode) => {
    await using setting = await setUp();
    const { w, ada, stripe } = setting;
    stripe.state.mode = mode;
    expect(await send(w, ada, 'POST /v1/payment-accounts', { email: ada.email })).toMatchObject({
      status: 503,
      message: "The payment provider isn't responding. Try again shortly.",
    });
    expect(await stored(w)).toEqual([]);
    stripe.state.mode = 'up';
    expect(await open(ada)).toMatchObject({ account: 'acct_made1' });
  });

  test.concurrent.each(['silent', 'dripping'] as const)(
    '%s: 503 within ten seconds, without an open transaction',
    async (mode) => {
      await using setting = await setUp();
      const { w, ada, stripe } = setting;
      stripe.state.mode = mode;
      const started = performance.now();
      let ended = false;
      const call = send(w, ada, 'POST /v1/payment-accounts', { email: ada.email }).finally(
        () => (ended = true),
      );
      while (stripe.requests.length === 0) await ada.api.users.me({});
      const idle = sql`select 1 from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
      // Jobs have short transactions of their own.
      await expect.poll(() => first(w.db, idle)).toBeUndefined();
      expect(ended).toBe(false);
      expect((await call).status).toBe(503);
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );
});

/** The redirect back from the provider. */
const redirectBack = (w: World, query: Record<string, string>) =>
  fetch(`${w.origin}/oauth/callback?${new URLSearchParams(query)}`, { redirect: 'manual' });

/** Starts an authorisation and returns its state. */
async function start({ api }: Person): Promise<string> {
  const { url } = await api.payments.authorise({});
  return new URL(url).searchParams.get('state') as string;
}

describe('connecting an existing account', () => {
  test('redirects to the provider, accepts the redirect back once and stores the account [PAY-03]', async () => {
    await using setting = await setUp();
    const { w, ada, stripe } = setting;
    stripe.state.account = { ...account('acct_own', true), email: ada.email.toUpperCase() };
    const url = new URL((await ada.api.payments.authorise({})).url);
    const { state, ...sent } = Object.fromEntries(url.searchParams);
    expect(`${url.origin}${url.pathname}`).toBe(`${stripe.url}/oauth/authorize`);
    expect(sent).toEqual({
      response_type: 'code',
      client_id: 'ca_of_these_tests',
      scope: 'read_write',
      redirect_uri: 'http://muster.test/oauth/callback',
    });
    expect(state).toMatch(/^[\w-]{43}$/);
    expect(stripe.requests).toEqual([]);

    const back = await redirectBack(w, { state: state as string, code: 'ac_good' });
    expect([back.status, back.headers.get('location'), back.headers.getSetCookie()]).toEqual([
      302,
      '/app/profile',
      [],
    ]);
    expect(stripe.requests.map(({ line, form }) => [line, form])).toEqual([
      ['POST /oauth/token', { grant_type: 'authorization_code', code: 'ac_good' }],
      ['GET /v1/accounts/acct_own', {}],
    ]);
    const own = { account: 'acct_own', email: ada.email, is_ready: true };
    expect(await stored(w)).toEqual([{ user_id: ada.id, ...own }]);
    expect(await open(ada)).toEqual(own);
    expect((await redirectBack(w, { state: state as string, code: 'ac_good' })).status).toBe(400);
    expect(stripe.requests).toHaveLength(2);
  });

  test('does nothing for a state that is unknown, expired or of an ended session [T32]', async () => {
    await using setting = await setUp();
    const { w, ada, stripe } = setting;
    const code = 'ac_good';
    expect((await redirectBack(w, { state: 'guess', code })).status).toBe(400);
    expect((await redirectBack(w, { code })).status).toBe(400);
    const old = await start(ada);
    const ended = await start(ada);
    w.later('10 minutes');
    expect((await redirectBack(w, { state: old, code })).status).toBe(400);
    w.later('-10 minutes');
    await run(w.db, sql`update sessions set ends_at = now() - interval '1 second'`);
    expect((await redirectBack(w, { state: ended, code })).status).toBe(400);
    await run(w.db, sql`update sessions set ends_at = now() + interval '1 day'`);
    await ada.api.auth.logout({});
    expect((await redirectBack(w, { state: ended, code })).status).toBe(400);
    expect(stripe.requests).toEqual([]);
    expect(await stored(w)).toEqual([]);
  });

  test('accepts one of several concurrent redirects with the same state', async () => {
    await using setting = await setUp();
    const { w, ada, stripe } = setting;
    stripe.state.account = { email: ada.email };
    const state = await start(ada);
    const back = await Promise.all([1, 2, 3].map(() => redirectBack(w, { state, code: 'ac_good' })));
    expect(back.map(({ status }) => status).toSorted()).toEqual([302, 400, 400]);
  });

  test("refuses another person's account, and an account that another user has connected [T32]", async () => {
    await using setting = await setUp();
    const { w, ada, stripe } = setting;
    const bob = await w.person('Bob');
    stripe.state.account = { email: bob.email };
    expect((await redirectBack(w, { state: await start(ada), code: 'ac_good' })).status).toBe(400);
    stripe.state.account = { email: null };
    expect((await redirectBack(w, { state: await start(ada), code: 'ac_good' })).status).toBe(400);
    await run(
      w.db,
      sql`insert into payment_accounts (user_id, account, email, changed_at)
          values (${bob.id}, 'acct_own', ${bob.email}, now())`,
    );
    stripe.state.account = { email: ada.email };
    expect((await redirectBack(w, { state: await start(ada), code: 'ac_good' })).status).toBe(400);
    expect(await stored(w)).toMatchObject([{ user_id: bob.id }]);
  });

  test('changes nothing if the user declined or is no longer an admin, or the code is wrong', async () => {
    await using setting = await setUp();
    const { w, ada, club, stripe } = setting;
    stripe.state.account = { email: ada.email };
    const no = await redirectBack(w, { state: await start(ada), error: 'access_denied' });
    expect([no.status, no.headers.get('location')]).toEqual([302, '/app/profile']);
    expect(stripe.requests).toEqual([]);
    expect((await redirectBack(w, { state: await start(ada), code: 'ac_wrong' })).status).toBe(400);
    const state = await start(ada);
    await ada.api.clubs.remove({ club: club.id });
    expect((await redirectBack(w, { state, code: 'ac_good' })).status).toBe(400);
    expect(await stored(w)).toEqual([]);
  });
});

/** Delivers a webhook event, by default signed at the current time. */
const deliver = (w: World, body: string, signed = signature(body, seconds(w))) =>
  fetch(`${w.origin}/api/v1/payments/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signed ? { 'stripe-signature': signed } : {}) },
    body,
  });

const seconds = (w: World) => Math.floor(Date.parse(w.now()) / 1000);

const updated = (w: World, id: string, isReady: boolean, { after = 0, of = 'acct_made1' } = {}) =>
  JSON.stringify({
    id,
    object: 'event',
    type: 'account.updated',
    created: seconds(w) + after,
    account: of,
    data: { object: account(of, isReady) },
  });

const disconnected = (w: World, id: string, after = 0) =>
  JSON.stringify({
    id,
    object: 'event',
    type: 'account.application.deauthorized',
    created: seconds(w) + after,
    account: 'acct_made1',
    data: { object: { id: 'ca_of_these_tests', object: 'application' } },
  });

const ready = async (w: World) => (await stored(w)).map(({ is_ready }) => is_ready);

describe('webhook event', () => {
  test('marks an account as ready, and later as not ready', async () => {
    await using setting = await setUp();
    const { w, ada } = setting;
    await open(ada);
    const response = await deliver(w, updated(w, 'evt_1', true));
    expect([response.status, await response.json()]).toEqual([200, { received: true }]);
    expect(await ready(w)).toEqual([true]);
    expect(await open(ada)).toMatchObject({ is_ready: true });
    await deliver(w, updated(w, 'evt_2', false, { after: 1, of: 'acct_other' }));
    expect(await ready(w)).toEqual([true]);
    await deliver(w, updated(w, 'evt_3', false, { after: 1 }));
    expect(await ready(w)).toEqual([false]);
  });

  test('is accepted only with a signature of exactly these bytes, at most 300 seconds old [T33]', async () => {
    await using setting = await setUp();
    const { w, ada } = setting;
    await open(ada);
    const body = updated(w, 'evt_1', true);
    const now = seconds(w);
    const good = signature(body, now);
    const wrong: [string, string, string][] = [
      ['none', body, ''],
      ['garbage', body, 'garbage'],
      ['of another secret', body, signature(body, now, 'whsec_other')],
      ['too old', body, signature(body, now - 302)],
      ['to come', body, signature(body, now + 310)],
      ['moved in time', body, good.replace(/t=\d+/, `t=${now - 1}`)],
      ['of another body', body.replace('true', 'tru '), good],
      ['of a body with a space less', `${body} `, good],
      ['of nothing', '', signature('', now)],
      ['of no event', '[]', signature('[]', now)],
      ['of no JSON', '{', signature('{', now)],
    ];
    for (const [what, text, signed] of wrong)
      expect([what, (await deliver(w, text, signed)).status]).toEqual([what, 400]);
    const bearer = { authorization: `Bearer ${ada.session.read()?.AccessToken.Token}` };
    const asAda = await fetch(`${w.origin}/api/v1/payments/webhook`, {
      method: 'POST',
      headers: bearer,
      body,
    });
    expect(asAda.status).toBe(400);
    expect(await ready(w)).toEqual([false]);
    expect(await all(w.db, sql`select from webhook_events`)).toEqual([]);
    expect((await deliver(w, body, signature(body, now - 290))).status).toBe(200);
    expect(await ready(w)).toEqual([true]);
  });

  test('takes effect once however often it is delivered, and the newest event wins [T33]', async () => {
    await using setting = await setUp();
    const { w, ada } = setting;
    await open(ada);
    const first = updated(w, 'evt_1', true);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await deliver(w, first)).status));
    expect(statuses).toEqual([200, 200, 200]);
    // Applying the event again would undo this change.
    await run(w.db, sql`update payment_accounts set is_ready = false`);
    expect((await deliver(w, first)).status).toBe(200);
    expect(await ready(w)).toEqual([false]);

    // `evt_2` is an hour newer than the next events, because seconds may pass between these lines on a busy machine.
    await deliver(w, updated(w, 'evt_2', true, { after: 3600 }));
    expect((await deliver(w, updated(w, 'evt_3', false, { after: 4 }))).status).toBe(200);
    expect((await deliver(w, disconnected(w, 'evt_4', 4))).status).toBe(200);
    expect(await ready(w)).toEqual([true]);
  });

  test('disconnects the account, which can then be opened again', async () => {
    await using setting = await setUp();
    const { w, ada } = setting;
    await open(ada);
    expect((await deliver(w, disconnected(w, 'evt_1'))).status).toBe(200);
    expect(await stored(w)).toEqual([]);
    w.later('1 hour');
    expect(await open(ada)).toMatchObject({ account: 'acct_made2' });
  });

  test('of another type is accepted and changes nothing', async () => {
    await using setting = await setUp();
    const { w, ada } = setting;
    await open(ada);
    const other = JSON.stringify({ ...JSON.parse(updated(w, 'evt_1', true)), type: 'payout.paid' });
    expect((await deliver(w, other)).status).toBe(200);
    expect(await ready(w)).toEqual([false]);
  });
});
