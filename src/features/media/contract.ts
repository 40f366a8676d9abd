import { z } from 'zod';
import { documentEndpoint, endpoint, uploadEndpoint } from '#wire/endpoint.ts';
import { Ref, text } from '#wire/text.ts';
import { UpdatePicture } from '#features/updates/contract.ts';

/** The content decides the type of an upload; the declared content type only has to be one of these. */
const upload = { types: ['image/png', 'image/jpeg', 'image/webp'], max: 5 * 1024 * 1024 };
const Picture = z.object({ url: z.string() });
const OfMe = z.object({});
const OfClub = z.object({ club: Ref });

export const media = {
  setOwn: uploadEndpoint({
    path: '/v1/users/picture',
    input: OfMe,
    output: Picture,
    upload,
    errors: ['not_a_picture', 'storage_full'],
    summary: "Set the user's picture, replacing any previous one",
  }),
  removeOwn: endpoint({
    method: 'DELETE',
    path: '/v1/users/picture',
    input: OfMe,
    output: z.null(),
    summary: "Remove the user's picture",
  }),
  setAvatar: uploadEndpoint({
    path: '/v1/clubs/:club/picture',
    input: OfClub,
    output: Picture,
    upload,
    errors: ['not_admin', 'not_a_picture', 'storage_full'],
    summary: 'Set the picture of the club, replacing any previous one (admins)',
  }),
  removeAvatar: endpoint({
    method: 'DELETE',
    path: '/v1/clubs/:club/picture',
    input: OfClub,
    output: z.null(),
    errors: ['not_admin'],
    summary: 'Remove the picture of the club (admins)',
  }),
  setBanner: uploadEndpoint({
    path: '/v1/clubs/:club/banner',
    input: OfClub,
    output: Picture,
    upload,
    errors: ['not_admin', 'not_a_picture', 'storage_full'],
    summary: 'Set the banner of the club, replacing any previous one (admins)',
  }),
  removeBanner: endpoint({
    method: 'DELETE',
    path: '/v1/clubs/:club/banner',
    input: OfClub,
    output: z.null(),
    errors: ['not_admin'],
    summary: 'Remove the banner of the club (admins)',
  }),
  addToUpdate: uploadEndpoint({
    path: '/v1/updates/:club/pictures',
    input: OfClub,
    output: UpdatePicture,
    upload,
    errors: ['not_author', 'not_a_picture', 'storage_full'],
    summary:
      'Upload a picture for an update; it is deleted after a day if no update shows it (planners, and authors of updates)',
  }),
  file: documentEndpoint({
    path: '/v1/media/:name',
    input: z.object({ name: text(100) }),
    document: 'image/webp',
    who: 'anyone',
    summary: 'A picture in one of its sizes; anyone who knows its name can open it',
  }),
};
