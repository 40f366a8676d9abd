import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { Failure } from '#wire/client.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { useMembershipEnded } from './useMembershipEnded.ts';
import { t } from '#features/members/messages.ts';

type ClubToLeave = { slug: string; club_name: string };

/** A button that leaves a club after confirmation. */
export function LeaveClub({ club, className }: { club: ClubToLeave; className?: string }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        variant="ghost"
        className={cn('text-muted! hover:text-danger!', className)}
        onClick={() => setAsking(true)}
      >
        <LogOut aria-hidden />
        {t('leaveClub')}
      </Button>
      <LeaveClubDialog club={club} open={asking} onOpenChange={setAsking} />
    </>
  );
}

type LeaveClubDialogProps = { club: ClubToLeave; open: boolean; onOpenChange: (open: boolean) => void };

/** Leaves a club after confirmation. */
export function LeaveClubDialog({ club, open, onOpenChange }: LeaveClubDialogProps) {
  const leave = useLeave(club.slug, () => onOpenChange(false));
  return (
    <LazyConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('leaveThisClub')}
      text={t('leaveThisClubText', { club: club.club_name })}
      confirmLabel={t('leave')}
      danger
      busy={leave.isPending}
      busyLabel={t('leaving')}
      onConfirm={() => leave.mutate()}
    />
  );
}

function useLeave(slug: string, close: () => void) {
  const goHome = useMembershipEnded();
  return useSubmit({
    mutationFn: () => api.members.leave({ club: slug }),
    onSuccess: async () => {
      close();
      showToast('clubLeft');
      await goHome();
    },
    onError: (failure) => {
      if (!(failure instanceof Failure && failure.status === 400))
        return showToast({ title: t('clubNotLeft'), text: explain(failure) });
      close();
      showToast('onlyAdminLeaves');
    },
  });
}
