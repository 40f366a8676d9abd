import { useState } from 'react';
import { useUser } from '#web/useSession.ts';
import { notify } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import { fullName, isOnlyAdmin, role } from '#features/members/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Select } from '#ui/Select.tsx';
import { useChangeRole } from './useMemberActions.ts';

export const roleNames: Record<ClubRole, string> = { 200: 'Admin', 100: 'Organiser', 0: 'Member' };
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
    if (next !== role.admin && isOnlyAdmin(membershipsOf(club), member.id)) notify('onlyAdminDemoted');
    else if (member.id === me.id) setAsking(next);
    else change.mutate(next);
  };
  return (
    <>
      <Select
        aria-label={`Role of ${fullName(member)}`}
        aria-busy={change.isPending || undefined}
        // Optimistic: shows the chosen role while the request is pending.
        value={change.isPending ? change.variables : member.club_role}
        onChange={(event) => choose(Number(event.target.value) as ClubRole)}
      >
        {roles.map((each) => (
          <option key={each} value={each}>
            {roleNames[each]}
          </option>
        ))}
      </Select>
      <ConfirmDialog
        open={asking !== undefined}
        onOpenChange={() => setAsking(undefined)}
        title="Step down as admin?"
        text={`You will no longer be able to plan events, publish updates or manage the members of ${club.club_name}. Only another admin can make you one again.`}
        confirmLabel="Step down"
        danger
        busy={change.isPending}
        busyLabel="Stepping down"
        onConfirm={() =>
          asking !== undefined && change.mutate(asking, { onSettled: () => setAsking(undefined) })
        }
      />
    </>
  );
}
