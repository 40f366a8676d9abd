import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';

type UpdateNameDialogProps = { open: boolean; onOpenChange: (open: boolean) => void };

/** Shown to admins without a name, who must set one before they invite members. */
export const UpdateNameDialog = (dialog: UpdateNameDialogProps) => (
  <Dialog
    {...dialog}
    title="Update your name"
    description="Before inviting members to your club, please update your name so that others will know who you are."
    footer={
      <Button asChild>
        <Link to="/app/profile">Update Name</Link>
      </Button>
    }
  />
);
