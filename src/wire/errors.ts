/**
 * All error codes, with their HTTP status and a sentence for API clients.
 * 400 invalid input or rule violation · 401 no valid session · 403 not allowed · 404 absent or not visible ·
 * 409 conflict with the current state · 412 version mismatch · 421 unknown host · 422 idempotency key reused ·
 * 429 rate limit · 503 dependency unavailable · 507 storage full.
 */
export const errorCodes = {
  bad_input: [400, 'Part of the request is missing or invalid.'],
  wrong_code: [400, "This code isn't valid. Request a new one."],
  code_missing: [400, 'Enter the code we sent to your current email.'],
  only_admin_left: [400, "You're the only admin. Make someone else an admin first."],
  not_yourself: [400, 'You cannot eject yourself from a club.'],
  too_many_guests: [400, 'This event allows fewer guests per person.'],
  no_such_choice: [400, 'This reply is not one of the choices.'],
  host_stays: [400, 'A host is always going. Step down as host first, or cancel the event.'],
  not_a_picture: [400, "We couldn't read this image. Use a PNG, JPEG or WebP of up to 20 megapixels."],
  picture_gone: [400, 'A picture is no longer available. Remove it and add it again.'],
  ends_before_start: [400, "An event can't end before it starts."],
  ends_in_past: [400, "An event can't end in the past."],
  must_tell: [400, 'A new time or place is always announced.'],
  starts_in_past: [400, "An event can't start in the past."],
  ids_disagree: [400, "The IDs in this request don't belong together."],
  not_signed_in: [401, 'Log in to do this.'],
  not_admin: [403, "Your role in the club doesn't allow this."],
  not_member: [403, 'Only club members can do this.'],
  not_author: [403, 'Only the author and people who can publish updates in the club can do this.'],
  not_host: [403, 'Only a host of the event can do this.'],
  not_yours: [403, 'Only the person who made this change can undo it.'],
  not_runner: [403, "Your role in this event doesn't allow this."],
  ejected: [403, 'You were removed from this club. Ask an admin for a new invite link.'],
  foreign_origin: [403, "Other sites can't connect here."],
  not_found: [404, "We couldn't find that, or you don't have access."],
  wrong_method: [405, "This URL doesn't support that method."],
  event_cancelled: [409, 'This event has been cancelled.'],
  event_closed: [409, 'Sign-up for this event has closed.'],
  event_started: [409, 'This event has started.'],
  event_ended: [409, 'This event is over.'],
  message_closed: [409, 'This event ended more than 30 days ago.'],
  check_in_closed: [409, 'Check-in is open from two hours before the start to 14 days after the end.'],
  feed_in_use: [409, 'You would see these events twice.'],
  time_open: [409, 'The time of this event is not fixed yet.'],
  time_fixed: [409, 'The time of this event is already fixed.'],
  too_late: [409, "This change can't be undone any more."],
  not_important: [409, 'This update needs no confirmation.'],
  reminded_enough: [409, 'Members have been reminded three times.'],
  everyone_read: [409, 'Everybody else has read this.'],
  nudged_enough: [409, 'Members have been nudged three times for this event.'],
  too_many_hosts: [409, 'An event can have six hosts.'],
  last_host: [409, 'An event needs a host. Make somebody else a host first.'],
  event_full: [409, 'This event is full.'],
  no_seats_left: [409, "There aren't enough free seats for your guests."],
  slot_full: [409, "There aren't enough places left."],
  too_many_questions: [409, 'The hosts have to answer other questions first.'],
  too_many_slots: [409, 'An event can have fifty entries on its list.'],
  two_lifts: [409, 'You can offer two lifts for each event.'],
  too_many_lifts: [409, 'An event can have fifty lifts.'],
  not_going: [409, 'Only members who are going can offer a lift.'],
  dates_in_break: [409, 'There are events on these days. Confirm that they are cancelled.'],
  already_admin: [409, 'This member is already an admin.'],
  section_in_use: [409, 'A coming event or a series is for this section, or needs people of it.'],
  too_many_absences: [409, 'You can enter twenty absences at a time. Delete one first.'],
  push_off: [409, 'Notifications on devices are off.'],
  device_taken: [409, 'Another session has this device.'],
  no_device: [409, 'Notifications are off here.'],
  too_many_sections: [409, 'A club can have thirty sections.'],
  offer_ended: [409, 'This offer has ended.'],
  series_ended: [409, 'This series has ended.'],
  too_many_members: [409, 'Only in clubs of at most 200 members everybody can be going at first.'],
  too_many_series: [409, 'A club can have twenty series at a time. End one first.'],
  choice_missing: [409, "For each club where you're the only admin, choose a new admin or delete the club."],
  too_many_clubs: [409, "You've reached the maximum number of clubs."],
  still_running: [409, 'The same request is still running. Try again in a moment.'],
  email_taken: [409, "You can't use this email. Try a different one."],
  changed_meanwhile: [412, 'Someone else just changed this. Reload to see the latest version.'],
  too_large: [413, 'The request is too large.'],
  wrong_media_type: [415, "This URL doesn't accept that content type."],
  unknown_host: [421, "This server doesn't answer for that host name."],
  other_body: [422, 'This Idempotency-Key was already used for a different request.'],
  nudged_lately: [429, 'Members were nudged within the last 24 hours.'],
  reminded_lately: [429, 'Members were reminded within the last 24 hours.'],
  too_often: [429, 'Too many requests. Wait a moment and try again.'],
  broken: [500, 'Something went wrong on our end.'],
  unavailable: [503, 'The service is unavailable. Try again shortly.'],
  storage_full: [507, "Storage is full, so this wasn't saved."],
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
