import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Email, text } from '#wire/text.ts';

export const PaymentAccount = z.object({ account: z.string(), email: z.string(), is_ready: z.boolean() });
export type PaymentAccount = z.infer<typeof PaymentAccount>;

const Address = z.object({ url: z.string() });

/**
 * Without a configured payment provider these calls return 503. No transaction is open during calls to the provider:
 * `open` writes afterwards, in a single statement.
 */
export const payments = {
  open: endpoint({
    method: 'POST',
    path: '/v1/payment-accounts',
    input: z.object({ email: Email }),
    output: PaymentAccount,
    writes: false,
    errors: ['not_admin', 'not_found'],
    summary: 'The payment account of the user, created by the first request (admins of a club)',
  }),
  link: endpoint({
    method: 'POST',
    path: '/v1/payment-accounts/link',
    input: z.object({ account: text(100).min(1) }),
    output: Address,
    writes: false,
    errors: ['not_admin', 'not_found'],
    summary: 'The URL at which the user completes their payment account at the provider',
  }),
  authorise: endpoint({
    method: 'POST',
    path: '/v1/payment-accounts/authorize',
    input: z.object({}),
    output: Address,
    errors: ['not_admin'],
    summary: 'The URL at which the user connects an account that they already have at the provider',
  }),
};
