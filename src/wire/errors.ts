/**
 * All error codes, with their HTTP status and a sentence for API clients.
 * 400 invalid input or rule violation · 401 no valid session · 403 not allowed · 404 absent or not visible · 409 conflict
 * with the current state · 412 version mismatch · 421 unknown host · 422 idempotency key reused · 429 rate limit · 503
 * dependency unavailable · 507 storage full.
 */
export const errorCodes = {
  bad_input: [400, 'The request has a missing or malformed part.'],
  wrong_code: [400, 'This code is not valid. Ask for a new one.'],
  code_missing: [400, 'Send a code that was mailed to your current email.'],
  only_admin_left: [400, 'The only admin of a club can neither leave nor step down.'],
  not_yourself: [400, 'You cannot eject yourself from a club.'],
  host_stays: [400, 'The host of an event cannot unattend. Cancel the event instead.'],
  too_many_guests: [400, 'This event allows fewer guests each.'],
  not_a_picture: [400, "We couldn't read this image. Send a PNG, JPEG or WebP of at most 20 megapixels."],
  picture_gone: [400, 'A picture of this update is no longer stored. Remove it and add it again.'],
  ends_before_start: [400, 'An event cannot end before it starts.'],
  starts_in_past: [400, 'An event cannot start in the past.'],
  ids_disagree: [400, 'The ids of this request belong to different things.'],
  not_signed_in: [401, 'Sign in to do this.'],
  not_admin: [403, 'Only admins of the club can do this.'],
  not_member: [403, 'Only members of the club can do this.'],
  not_author: [403, 'Only the author of an update and admins of the club can do this.'],
  not_host: [403, 'Only the host of the event can do this.'],
  ejected: [403, 'You were removed from this club. Ask an admin for a new link.'],
  foreign_origin: [403, 'Pages of another site may not connect here.'],
  not_found: [404, 'There is nothing here that you may see.'],
  wrong_method: [405, 'This address does not take that method.'],
  event_cancelled: [409, 'This event has been cancelled.'],
  event_closed: [409, 'The time to sign up for this event is over.'],
  event_ended: [409, 'This event is over.'],
  choice_missing: [
    409,
    'Say for each club without another admin who takes over, or that it is to be deleted.',
  ],
  too_many_clubs: [409, 'You already look after as many clubs as one person can.'],
  still_running: [409, 'The same request is still being worked on. Ask again in a moment.'],
  email_taken: [409, 'This address cannot be used.'],
  changed_meanwhile: [412, 'Somebody else has changed this meanwhile. Load it again.'],
  too_large: [413, 'The request is too large.'],
  wrong_media_type: [415, 'This address does not take content of that type.'],
  unknown_host: [421, 'This server does not answer for that host name.'],
  other_body: [422, 'This Idempotency-Key was already used for something else.'],
  too_often: [429, 'Too many requests. Wait a moment and try again.'],
  broken: [500, 'Something went wrong on our side.'],
  unavailable: [503, 'The service is not available at the moment. Try again shortly.'],
  storage_full: [507, 'There is no room left to keep this.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof errorCodes;

/** An error with a code for the client. `retryAfter` is in whole seconds. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, { retryAfter, message }: { retryAfter?: number; message?: string } = {}) {
    super(message ?? errorCodes[code][1]);
    this.code = code;
    this.status = errorCodes[code][0];
    this.retryAfter = retryAfter;
  }
}

export function fail(code: ErrorCode): never {
  throw new ApiError(code);
}

export function failIf(code: ErrorCode | undefined): void {
  if (code) fail(code);
}
