import { z } from 'zod';
import { formatted } from '#wire/bounded.ts';
import { Day } from '#wire/day.ts';
import { endpoint, sharedEndpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, singleLine, text } from '#wire/text.ts';
import { TimeZone } from '#wire/time-zone.ts';
import { EventCard, events, ViewerCard, why } from '#features/events/contract.ts';
import { editedEventFields, eventFieldOutputs, newEventFields } from '#features/events/field-contract.ts';
import { Host } from '#features/events/people-contract.ts';
import { Recurrence } from '#features/events/time-contract.ts';

export const Rule = Recurrence.extend({
  /** Local time in `time_zone`, such as '19:00'. */
  local_time: formatted(5, z.iso.time({ precision: -1 })),
  /** The duration of each date. */
  minutes: z.int().min(0).max(525_600),
  time_zone: TimeZone,
  starts_on: Day,
  ends_on: Day.nullable(),
  /** The number of dates. Days in breaks do not count. */
  count: z.int().min(1).max(200).nullable(),
});
export type Rule = z.infer<typeof Rule>;

// In the bundle that renders on the server, a stub replaces zod. It has every field, but spreading it copies none.
const rule = Rule.shape;

/** Days on which no series of a club has a date. */
export const Break = z.object({ first_on: Day, last_on: Day, name: singleLine(100) });
export type Break = z.infer<typeof Break>;

/** A member's answer to each date of a series. */
export const StandingAnswer = z.object({
  answer: z.enum(['going', 'no']),
  guests: z.int(),
  /** The number of upcoming dates that the standing answer answers. */
  dates: z.int(),
});
export type StandingAnswer = z.infer<typeof StandingAnswer>;

/**
 * The members who keep their seats on dates that already exist, while other members with a standing answer are on the
 * waitlist. On dates that are created later, the members of both groups take turns.
 */
export const SeatsHeld = z.object({
  /** The day of the last date on which they have the seats. */
  until: Day,
  /** Some of these members, ordered by the age of their standing answers, oldest first. */
  people: z.array(z.object({ id: Id, first_name: z.string(), last_name: z.string() })),
  /** The number of these members who are not in `people`. */
  others: z.int(),
});
export type SeatsHeld = z.infer<typeof SeatsHeld>;

export const Series = z.object({
  id: Id,
  slug: z.string(),
  ...eventFieldOutputs,
  ...rule,
  /** Minutes from the cut-off of a date to its start. */
  cutoff_minutes: z.int(),
  /** Whether all members are going unless they say no. */
  everybody: z.boolean(),
  club_id: Id,
  club_slug: z.string(),
  club_name: z.string(),
  host: Host.nullable(),
  /** Whether the viewer hosts the series, and may end it. */
  is_host: z.boolean(),
  ended_at: Instant.nullable(),
  version: z.int(),
  my_standing: StandingAnswer.nullable(),
  /** Null if no member with a standing answer is waiting for a turn. */
  seats_held: SeatsHeld.nullable(),
  /** The dates that have not ended, cancelled ones included. */
  events: z.array(EventCard),
  /** The breaks in which the rule would have dates. */
  breaks: z.array(Break),
});
export type Series = z.infer<typeof Series>;

export const series = {
  plan: endpoint({
    method: 'POST',
    path: '/v1/clubs/:club/series',
    input: z.object({
      club: Ref,
      slug: text(100).optional(),
      ...newEventFields,
      ...rule,
      every: Recurrence.shape.every.default(1),
      weekdays: Recurrence.shape.weekdays.default([]),
      month_day: Recurrence.shape.month_day.default(null),
      nth: Recurrence.shape.nth.default(null),
      time_zone: rule.time_zone.default('UTC'),
      ends_on: rule.ends_on.default(null),
      count: rule.count.default(null),
      cutoff_minutes: z.int().min(-525_600).max(525_600).default(0),
      everybody: z.boolean().default(false),
    }),
    output: events.create.output,
    creates: true,
    writesMany: true,
    errors: ['not_admin', 'starts_in_past', 'too_many_members', 'too_many_series'],
    summary: 'Plan an event that repeats; its creator hosts all dates (planners)',
  }),
  get: sharedEndpoint({
    path: '/v1/series/:series',
    input: z.object({ series: Ref }),
    output: Series,
    viewer: { '': Series.pick({ is_host: true, my_standing: true }), events: ViewerCard },
    summary: 'One series with its coming dates (members)',
  }),
  edit: endpoint({
    method: 'PUT',
    path: '/v1/series/:series',
    // Strict, like the edit of a single event.
    input: z.strictObject({
      series: Ref,
      /** The first day that changes; today by default. */
      from: Day.optional(),
      ...editedEventFields,
      ...Rule.omit({ starts_on: true }).partial().shape,
      cutoff_minutes: z.int().min(-525_600).max(525_600).optional(),
      /** Whether to send a notice. Must be true if times or places are new, or if dates are cancelled. */
      announce: z.boolean().default(true),
      ...why,
      /** Whether members who are going, waiting or said maybe have to confirm their answers to all changed dates. */
      ask_again: z.boolean().default(false),
    }),
    output: Series.pick({ id: true, slug: true, name: true }).extend({
      changed: z.int(),
      cancelled: z.int(),
    }),
    creates: true,
    versioned: true,
    writesMany: true,
    errors: ['not_admin', 'not_host', 'must_tell', 'series_ended'],
    summary:
      'Change a series and its dates from a given day (planners; only a host of the series if dates are cancelled)',
  }),
  end: endpoint({
    method: 'DELETE',
    path: '/v1/series/:series',
    input: z.object({
      series: Ref,
      /** The first day without a date; today by default. */
      from: Day.optional(),
    }),
    output: z.object({ id: Id, slug: z.string(), ended_at: Instant, cancelled: z.int() }),
    only: 200,
    needsData: true,
    writesMany: true,
    errors: ['not_host'],
    summary: 'End a series for good and cancel its dates from a given day (its host)',
  }),
  standing: endpoint({
    method: 'PUT',
    path: '/v1/series/:series/standing',
    input: z.object({
      series: Ref,
      /** Null ends the standing answer. */
      answer: StandingAnswer.shape.answer.nullable(),
      guests: z.int().min(0).max(9).default(0),
    }),
    output: Series.pick({ my_standing: true }),
    only: 200,
    needsData: true,
    writesMany: true,
    errors: ['not_member', 'too_many_guests', 'series_ended'],
    summary:
      'Set a standing answer for all dates of a series that the member has not answered individually (members)',
  }),
  breaks: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/breaks',
    input: z.object({ club: Ref }),
    output: z.array(Break),
    summary: 'The days on which no series of a club has a date (members)',
  }),
  saveBreaks: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/breaks',
    input: z.object({
      club: Ref,
      breaks: z.array(Break.extend({ name: Break.shape.name.min(1) })).max(50),
      /** Whether to cancel the dates in new breaks. Only a host of a series may cancel its dates. */
      cancel: z.boolean().default(false),
    }),
    output: z.object({
      breaks: z.array(Break),
      cancelled: z.int(),
      /** How many events were created to replace dates that a removed break had cancelled. */
      planned: z.int(),
    }),
    only: 200,
    writesMany: true,
    versioned: true,
    errors: ['not_admin', 'not_host', 'dates_in_break'],
    summary: 'Replace the breaks of a club (admins)',
  }),
};
