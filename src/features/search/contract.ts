import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Ref, storableText } from '#wire/text.ts';
import { SharedCard } from '#features/events/contract.ts';

export const Found = z.object({
  events: z.array(
    z.object({
      name: z.string(),
      slug: z.string(),
      start_time: Instant,
      /** Set when the event is cancelled. */
      deleted_at: Instant.nullable(),
      club_name: z.string(),
      series: SharedCard.shape.series,
    }),
  ),
  clubs: z.array(z.object({ club_name: z.string(), slug: z.string() })),
});
export type Found = z.infer<typeof Found>;

export const search = {
  find: endpoint({
    method: 'GET',
    path: '/v1/events/clubs/filter',
    input: z.object({ q: storableText(100).default(''), club: Ref.optional() }),
    output: Found,
    errors: ['not_found'],
    summary:
      "The user's clubs, and events in these clubs, whose names contain all the words; at most twenty of each. With a club, only events of that club",
  }),
};
