import { Link } from 'react-router';
import { leaveNotice } from '#web/notice.ts';
import { useUser } from '#web/useSession.ts';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import type { ClubToInviteTo } from './InviteDialog.tsx';

type UpdateNameDialogProps = { open: boolean; onOpenChange: (open: boolean) => void; club: ClubToInviteTo };

/** Shown to admins without a name, who must set one before they invite members. */
export function UpdateNameDialog({ club, ...dialog }: UpdateNameDialogProps) {
  const { id } = useUser();
  const goOnLater = () =>
    leaveNotice({
      text: `Go on inviting to ${club.club_name}`,
      to: `/app/clubs/${club.slug}`,
      state: { invite: true },
      isFor: (user) => user.id === id && user.first_name !== '',
    });
  return (
    <Dialog
      {...dialog}
      title="Update your name"
      description="Before inviting members to your club, please update your name so that others will know who you are."
      footer={
        <Button asChild>
          <Link to="/app/profile" onClick={goOnLater}>
            Update Name
          </Link>
        </Button>
      }
    />
  );
}
