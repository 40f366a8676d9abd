import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queryClient, refreshUser } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast, type MessageKey } from '#web/copy.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { Failure } from '#wire/client.ts';
import { t } from '#features/members/messages.ts';

/** Invalidates all queries that contain members or roles. */
const reload = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['club'] }),
    queryClient.invalidateQueries({ queryKey: ['membersForAdmin'] }),
    refreshUser(),
  ]);

const codeOf = (failure: unknown) => (failure instanceof Failure ? failure.error : undefined);

/** Changes the role of a member. */
export const useChangeRole = (club: string, member: string) =>
  useSubmit({
    mutationFn: (role: ClubRole) => api.members.changeRole({ club, member, role }),
    onSuccess: async () => {
      showToast('roleChanged');
      await reload();
    },
    onError: (failure) => {
      if (codeOf(failure) === 'only_admin_left') showToast('onlyAdminDemoted');
      else showToast({ title: t('roleNotChanged'), text: explain(failure) });
      void reload();
    },
  });

/** The toast for a failed ejection, by status. A 400 has two causes with different toasts. */
function ejectionToast(failure: unknown): MessageKey | undefined {
  if (!(failure instanceof Failure)) return undefined;
  if (failure.status === 403) return 'ejectNotAdmin';
  if (failure.status !== 400) return undefined;
  return failure.error === 'not_yourself' ? 'ejectSelf' : 'ejectOnlyAdmin';
}

/** Removes a member from a club. */
export const useEject = (club: string, member: string) =>
  useSubmit({
    mutationFn: () => api.members.eject({ club, member }),
    onSuccess: async () => {
      showToast('ejected');
      await reload();
    },
    onError: (failure) => {
      showToast(ejectionToast(failure) ?? { title: t('errorRemovingUser'), text: explain(failure) });
      void reload();
    },
  });
