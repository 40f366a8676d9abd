import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Instant } from '#wire/instant.ts';
import { Id, Ref, text } from '#wire/text.ts';

/** The names are null when the creator deleted their account. The UI shows an update without a name as the system's. */
export const Update = z.object({
  id: Id,
  content: z.string(),
  created_at: Instant,
  creator_first_name: z.string().nullable(),
  creator_last_name: z.string().nullable(),
});
export type Update = z.infer<typeof Update>;

export const updates = {
  publish: endpoint({
    method: 'POST',
    path: '/v1/updates/:club',
    input: z.object({ club: Ref, clubId: Ref.optional(), content: text(5000).min(1) }),
    output: Update,
    status: 201,
    only: 201,
    creates: true,
    summary: 'Publish an update to a club (admins)',
  }),
  ofClub: endpoint({
    method: 'GET',
    path: '/v1/updates/:club',
    input: z.object({ club: Ref }),
    output: z.array(Update),
    summary: 'The updates of a club, newest first (members)',
  }),
};
