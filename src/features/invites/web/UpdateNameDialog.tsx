import { Link } from 'react-router';
import { setHomeNote } from '#web/home-note.ts';
import { useUser } from '#web/useSession.ts';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import type { ClubToInviteTo } from './InviteDialog.tsx';
import { t } from '#features/invites/link-messages.ts';

type UpdateNameDialogProps = { open: boolean; onOpenChange: (open: boolean) => void; club: ClubToInviteTo };

/** Shown to admins without a name, who must set one before they invite members. */
export function UpdateNameDialog({ club, ...dialog }: UpdateNameDialogProps) {
  const { id } = useUser();
  const goOnLater = () =>
    setHomeNote({
      text: t('goOnInviting', { club: club.club_name }),
      to: `/app/clubs/${club.slug}`,
      state: { invite: true },
      isFor: (user) => user.id === id && user.first_name !== '',
    });
  return (
    <Dialog
      {...dialog}
      title={t('updateYourName')}
      description={t('updateYourNameText')}
      footer={
        <Button asChild>
          <Link to="/app/profile" onClick={goOnLater}>
            {t('updateName')}
          </Link>
        </Button>
      }
    />
  );
}
