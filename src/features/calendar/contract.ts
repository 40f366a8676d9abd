import { z } from 'zod';
import { documentEndpoint, endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, text } from '#wire/text.ts';

const Secret = text(100).min(1);

/** The kinds of calendar apps that fetch feeds. */
export const CalendarApp = z.enum(['google', 'apple', 'outlook', 'other']);
export type CalendarApp = z.infer<typeof CalendarApp>;

/** The last fetch of a feed by a kind of app. */
export const FeedFetch = z.object({
  /** Null for the personal feed. */
  club_id: Id.nullable(),
  app: CalendarApp,
  fetched_at: Instant,
});
export type FeedFetch = z.infer<typeof FeedFetch>;

export const calendar = {
  clubFeed: documentEndpoint({
    path: '/v1/clubs/:club/ical/:secret/calendar.ics',
    input: z.object({ club: Ref, secret: Secret }),
    document: 'text/calendar; charset=utf-8',
    who: 'anyone',
    summary: 'All events of one club; the secret identifies a member of this club',
  }),
  personalFeed: documentEndpoint({
    path: '/v1/users/:secret/ical/calendar.ics',
    input: z.object({ secret: Secret }),
    document: 'text/calendar; charset=utf-8',
    who: 'anyone',
    summary: 'The events that the owner of the secret attends, across all their clubs',
  }),
  oneEvent: documentEndpoint({
    path: '/v1/events/:event/calendar.ics',
    input: z.object({ event: Ref }),
    document: 'text/calendar; charset=utf-8',
    errors: ['time_open'],
    summary: 'One event, to be added to a calendar once',
  }),
  fetches: endpoint({
    method: 'GET',
    path: '/v1/users/feeds',
    input: z.object({}),
    output: z.array(FeedFetch),
    summary: 'The last fetch of each feed of the user by each kind of calendar app, newest first',
  }),
  choose: endpoint({
    method: 'PUT',
    path: '/v1/users/calendar',
    input: z.object({ invites_by_mail: z.boolean(), confirmed: z.boolean().default(false) }),
    output: z.object({ invites_by_mail: z.boolean() }),
    errors: ['feed_in_use'],
    summary:
      'Get events as invitations by mail, if the operator offers it; needs `confirmed` if a calendar app has fetched a feed in the last 14 days',
  }),
  emailLink: endpoint({
    method: 'POST',
    path: '/v1/users/ical/email',
    input: z.object({ club_id: Ref.optional() }),
    output: z.null(),
    errors: ['not_found'],
    summary:
      'Email the user the link of their personal feed, or of the feed of one club, with the steps to subscribe on a computer; at most 5 in an hour',
  }),
  replaceSecret: endpoint({
    method: 'POST',
    path: '/v1/users/ical/reset',
    input: z.object({ club_id: Ref.optional(), leaked: z.boolean().default(false) }),
    output: z.object({ ical_feed_url_id: z.string() }),
    errors: ['not_found'],
    summary:
      'Replace the secret of the personal feed, or of the feed of one club; the old address serves only cancellations for 30 days, or nothing if it leaked',
  }),
};
