import { LogOut } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import { Failure } from '#wire/client.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { useMembershipEnded } from './useMembershipEnded.ts';

type ClubToLeave = { slug: string; club_name: string };

/** Leaves a club after confirmation. */
export function LeaveClub({ club, className }: { club: ClubToLeave; className?: string }) {
  const [asking, setAsking] = useState(false);
  const leave = useLeave(club.slug, () => setAsking(false));
  return (
    <>
      <Button
        variant="ghost"
        className={cn('text-muted! hover:text-danger!', className)}
        onClick={() => setAsking(true)}
      >
        <LogOut aria-hidden />
        Leave club
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Leave this club?"
        text={`Are you sure you want to leave ${club.club_name}? This cannot be undone.`}
        confirmLabel="Leave"
        danger
        busy={leave.isPending}
        busyLabel="Leaving"
        onConfirm={() => leave.mutate()}
      />
    </>
  );
}

function useLeave(slug: string, close: () => void) {
  const goHome = useMembershipEnded();
  return useSubmit({
    mutationFn: () => api.members.leave({ club: slug }),
    onSuccess: async () => {
      close();
      notify('clubLeft');
      await goHome();
    },
    onError: (failure) => {
      if (!(failure instanceof Failure && failure.status === 400))
        return notify({ title: 'Error', text: explain(failure) });
      close();
      notify('onlyAdminLeaves');
    },
  });
}
