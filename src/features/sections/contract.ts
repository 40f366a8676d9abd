import { z } from 'zod';
import { endpoint } from '#wire/endpoint.ts';
import { Id, Ref, singleLine } from '#wire/text.ts';

/** A named group of a club, such as the tenors of a choir. */
export const Section = z.object({
  id: Id,
  name: z.string(),
  /** The number of members. */
  members: z.int(),
});
export type Section = z.infer<typeof Section>;

const NewName = singleLine(40).min(1);
const SectionId = Id.toLowerCase();

/** A section that exists, with its new name if it changes, or the name of a new section. */
const SavedSection = z
  .object({ id: SectionId.optional(), name: NewName.optional() })
  .refine(({ id, name }) => id !== undefined || name !== undefined, 'needs an id or a name');

/** Members to add or to remove. */
const People = z.array(Id.toLowerCase()).max(500).default([]);

export const sections = {
  ofClub: endpoint({
    method: 'GET',
    path: '/v1/clubs/:club/sections',
    input: z.object({ club: Ref }),
    output: z.array(Section),
    summary: 'The sections of a club, in their order (members)',
  }),
  save: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/sections',
    input: z.object({
      club: Ref,
      /** In their new order. Sections that are not sent stay, after these. */
      sections: z.array(SavedSection).max(100).default([]),
      remove: z.array(SectionId).max(100).default([]),
    }),
    output: z.array(Section),
    only: 200,
    creates: true,
    writesMany: true,
    errors: ['not_admin', 'section_in_use', 'too_many_sections'],
    summary: 'Add, name, order and remove sections of a club (admins)',
  }),
  changeMembers: endpoint({
    method: 'PUT',
    path: '/v1/clubs/:club/sections/:section/members',
    input: z.object({ club: Ref, section: SectionId, add: People, remove: People }),
    output: z.object({ members: z.int() }),
    only: 200,
    writesMany: true,
    errors: ['not_admin'],
    summary: 'Add members of the club to a section, and remove others from it (admins)',
  }),
};
