import { api } from '#app/web/api.ts';
import { explain } from '#app/web/explain.ts';
import { queryClient, refreshUser } from '#app/web/queries.ts';
import { useDeed } from '#app/web/useDeed.ts';
import { notify, type Word } from '#app/web/words.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { Failure } from '#wire/client.ts';

/** Loads again all that shows who is in a club, and as what. */
const reload = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['club'] }),
    queryClient.invalidateQueries({ queryKey: ['membersForAdmin'] }),
    refreshUser(),
  ]);

const codeOf = (failure: unknown) => (failure instanceof Failure ? failure.error : undefined);

/** Gives a member another role. */
export const useChangeRole = (club: string, member: string) =>
  useDeed({
    mutationFn: (role: ClubRole) => api.members.changeRole({ club, member, role }),
    onSuccess: async () => {
      notify('roleChanged');
      await reload();
    },
    onError: (failure) => {
      if (codeOf(failure) === 'only_admin_left') notify('onlyAdminDemoted');
      else notify({ title: 'Error', text: explain(failure) });
      void reload();
    },
  });

const whyNotEjected: Partial<Record<string, Word>> = {
  not_yourself: 'ejectSelf',
  only_admin_left: 'ejectOnlyAdmin',
  not_admin: 'ejectNotAdmin',
};

/** Removes a member from a club. */
export const useEject = (club: string, member: string) =>
  useDeed({
    mutationFn: () => api.members.eject({ club, member }),
    onSuccess: async () => {
      notify('ejected');
      await reload();
    },
    onError: (failure) => {
      notify(
        whyNotEjected[codeOf(failure) ?? ''] ?? { title: 'Error Removing user.', text: explain(failure) },
      );
      void reload();
    },
  });
