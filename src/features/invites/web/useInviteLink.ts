import { api } from '#web/api.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { InviteLink } from '#features/invites/contract.ts';

/** The URL of an invite link. */
export const inviteUrl = (slug: string, { invite_link }: InviteLink): string =>
  `${window.location.origin}/app/club/${slug}/${invite_link}`;

/** Creates the invite link of a club. It replaces an existing one, unless `if_none` is set. */
export const useCreateLink = ({ id, slug }: { id: string; slug: string }) =>
  useSubmit({
    mutationFn: (options: { if_none?: true }) => api.invites.create({ club_id: id, ...options }),
    onSuccess(link) {
      queryClient.setQueryData(queries.inviteLink(slug).queryKey, link);
      // The page of a new club then ticks off its step to invite members.
      void queryClient.invalidateQueries(queries.club(slug));
    },
    onError: () => showToast('inviteLinkFailed'),
  });

export const useDeleteLink = (slug: string, link: InviteLink) =>
  useSubmit({
    mutationFn: () => api.invites.remove({ invite: link.id }),
    onSuccess: () => queryClient.setQueryData(queries.inviteLink(slug).queryKey, null),
    onError: () => {
      showToast('inviteLinkDeletionFailed');
      // Another admin may have replaced the link.
      void queryClient.invalidateQueries(queries.inviteLink(slug));
    },
  });
