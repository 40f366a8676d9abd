import { UserRoundPlus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useLocation } from 'react-router';
import { useUser } from '#web/useSession.ts';
import { Button, type ButtonProps } from '#ui/Button.tsx';
import type { ClubToInviteTo } from './InviteDialog.tsx';
import { t } from '#features/invites/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const InviteDialog = lazyPart(() =>
  import('./InviteDialog.tsx').then((module) => ({ default: module.InviteDialog })),
);

const UpdateNameDialog = lazyPart(() =>
  import('./UpdateNameDialog.tsx').then((module) => ({ default: module.UpdateNameDialog })),
);

type InviteMembersProps = { club: ClubToInviteTo; label?: string } & Pick<
  ButtonProps,
  'variant' | 'size' | 'className'
>;

/** A button for admins that opens the invite dialog, or asks for their name first. */
export function InviteMembers({ club, label = t('inviteMembers'), ...looks }: InviteMembersProps) {
  // `invite` is set if the admin was sent to enter a name first, and comes back from the home page.
  const { state } = useLocation() as { state: { invite?: boolean } | null };
  const [open, setOpen] = useState(state?.invite ?? false);
  const { first_name } = useUser();
  return (
    <>
      <Button {...looks} onClick={() => setOpen(true)}>
        <UserRoundPlus aria-hidden />
        {label}
      </Button>
      {open && (
        <Suspense>
          {first_name === '' ? (
            <UpdateNameDialog open onOpenChange={setOpen} club={club} />
          ) : (
            <InviteDialog open onOpenChange={setOpen} club={club} />
          )}
        </Suspense>
      )}
    </>
  );
}
