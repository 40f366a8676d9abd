import { useState } from 'react';
import { useUser } from '#web/useSession.ts';
import { showToast } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import { fullName, isOnlyAdmin, role } from '#features/members/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { Select } from '#ui/Select.tsx';
import { useChangeRole } from './useMemberActions.ts';
import { t } from '#features/members/messages.ts';

export const roleNames = (): Record<ClubRole, string> => ({
  200: t('admin'),
  100: t('organiser'),
  0: t('member'),
});
const roles = [role.admin, role.organiser, role.member];

export type MemberActionProps = { club: Club; member: MemberForAdmin };

/** The first page of members is enough to detect the only admin, because admins come first. */
const membershipsOf = ({ members }: Club) => members.map(({ id, club_role }) => ({ user_id: id, club_role }));

/** Changes the role of a member. */
export function RoleSelect({ club, member }: MemberActionProps) {
  const me = useUser();
  const [asking, setAsking] = useState<ClubRole>();
  const change = useChangeRole(club.id, member.id);
  const choose = (next: ClubRole) => {
    if (next !== role.admin && isOnlyAdmin(membershipsOf(club), member.id)) showToast('onlyAdminDemoted');
    else if (member.id === me.id) setAsking(next);
    else change.mutate(next);
  };
  return (
    <>
      <Select
        aria-label={t('roleOf', { name: fullName(member) })}
        aria-busy={change.isPending || undefined}
        // Optimistic: shows the chosen role while the request is pending.
        value={change.isPending ? change.variables : member.club_role}
        onChange={(event) => choose(Number(event.target.value) as ClubRole)}
      >
        {roles.map((each) => (
          <option key={each} value={each}>
            {roleNames()[each]}
          </option>
        ))}
      </Select>
      <LazyConfirmDialog
        open={asking !== undefined}
        onOpenChange={() => setAsking(undefined)}
        title={t('stepDownAsAdmin')}
        text={t(
          asking === role.organiser && club.organisers_plan ? 'stepDownToPlannerText' : 'stepDownAsAdminText',
          { club: club.club_name },
        )}
        confirmLabel={t('stepDown')}
        danger
        busy={change.isPending}
        busyLabel={t('steppingDown')}
        onConfirm={() =>
          asking !== undefined && change.mutate(asking, { onSettled: () => setAsking(undefined) })
        }
      />
    </>
  );
}
