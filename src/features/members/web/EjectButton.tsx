import { UserRoundX } from 'lucide-react';
import { useState } from 'react';
import { useUser } from '#web/useSession.ts';
import { showToast } from '#web/copy.ts';
import { fullName } from '#features/members/rules.ts';
import { Button } from '#ui/Button.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import type { MemberActionProps } from './RoleSelect.tsx';
import { useEject } from './useMemberActions.ts';
import { t } from '#features/members/messages.ts';

/** Removes a member after confirmation. */
export function EjectButton({ club, member }: MemberActionProps) {
  const me = useUser();
  const [asking, setAsking] = useState(false);
  const eject = useEject(club.id, member.id);
  const name = fullName(member);
  const press = () => {
    if (member.id === me.id) showToast('ejectSelf');
    else setAsking(true);
  };
  return (
    <>
      <Button
        variant="ghost"
        className="text-danger! hover:bg-danger-soft! hover:text-danger-strong!"
        aria-label={t('ejectMember', { name })}
        onClick={press}
      >
        <UserRoundX aria-hidden />
        {t('eject')}
      </Button>
      <LazyConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('ejectMemberQuestion', { name })}
        text={t('ejectMemberText', { club: club.club_name })}
        confirmLabel={t('eject')}
        danger
        busy={eject.isPending}
        busyLabel={t('ejecting')}
        onConfirm={() => eject.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </>
  );
}
