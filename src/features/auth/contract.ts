import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Email, Id, text } from '#wire/text.ts';

export const AuthData = z.object({
  AccessToken: z.object({ Token: z.string() }),
  RefreshToken: z.object({ Token: z.string() }),
});

/** A session of a user in one browser. */
export const LoginSession = z.object({
  id: Id,
  /** Display name, for example 'Firefox on Windows'. */
  device: z.string(),
  browser: z.string().nullable(),
  system: z.string().nullable(),
  created_at: Instant,
  used_at: Instant,
  is_current: z.boolean(),
  /** Whether it gets notifications on its device. */
  has_push: z.boolean(),
});
export type LoginSession = z.infer<typeof LoginSession>;

/** The status of the newest code of an address, whether or not this request sent that code. */
export const CodeStatus = z.object({
  /** The sender of the email. */
  from: z.string(),
  sent_ago: z.int(),
  /** Seconds until another code can be sent. */
  next_in: z.int(),
  /** Seconds until the code expires; 0 if it can no longer be used. */
  good_for: z.int(),
});
export type CodeStatus = z.infer<typeof CodeStatus>;

/** What a code is requested for besides a login. A code serves only its purpose. */
export const OwnPurpose = z.enum(['email_change', 'export', 'deletion']);
export type OwnPurpose = z.infer<typeof OwnPurpose>;
export type Purpose = OwnPurpose | 'login';

export const auth = {
  login: endpoint({
    method: 'GET',
    path: '/v1/auth/login',
    input: z.object({ email: Email, rUrl: text(2048).optional() }),
    output: CodeStatus,
    who: 'anyone',
    writes: true,
    only: 200,
    summary: 'Email a one-time code; the response is the same whether or not the email is known',
  }),
  sendCode: endpoint({
    method: 'POST',
    path: '/v1/users/code',
    input: z.object({ purpose: OwnPurpose }),
    output: CodeStatus,
    // The wait can last for hours, so the error is shown at once.
    maxWait: 10,
    summary: "Email a code to the user's own address, for an operation that needs more than a session",
  }),
  confirm: endpoint({
    method: 'GET',
    path: '/v1/auth/confirm',
    input: z.object({ email: Email, code: text(64) }),
    output: AuthData,
    who: 'anyone',
    writes: true,
    // After too many wrong guesses the code expires before a retry could succeed, so the error is shown at once.
    maxWait: 10,
    errors: ['wrong_code', 'email_taken'],
    summary: 'Exchange a login code for a session; the first confirmed code of an email creates the account',
  }),
  refresh: endpoint({
    method: 'GET',
    path: '/v1/auth/refresh',
    input: z.object({ token: text(200) }),
    output: AuthData,
    who: 'anyone',
    writes: true,
    errors: ['not_signed_in'],
    summary: 'Renew a session; the refresh token rotates',
  }),
  logout: endpoint({
    method: 'POST',
    path: '/v1/auth/logout',
    input: z.object({ all: z.boolean().optional() }),
    output: z.null(),
    summary: 'End this session, or all sessions of the user',
  }),
  sessions: endpoint({
    method: 'GET',
    path: '/v1/users/sessions',
    input: z.object({}),
    output: z.array(LoginSession),
    summary: 'The sessions of the user, most recently used first',
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/v1/users/sessions/:session',
    input: z.object({ session: Id }),
    output: z.null(),
    summary: 'End one session of the user',
  }),
};
