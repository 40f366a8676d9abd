import { Lock } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { t } from '#features/events/messages.ts';

type AdminsOnlyProps = { title: string; text?: string; club: string | undefined };

/** Shown instead of a form to members who are not admins. `club` is the slug of the club if the viewer is a member. */
export function AdminsOnly({ title, text = t('onlyAdminsText'), club }: AdminsOnlyProps) {
  return (
    <EmptyState
      icon={Lock}
      title={title}
      text={text}
      action={
        <Button asChild variant="secondary">
          <Link to={club ? `/app/clubs/${club}` : '/app'}>
            {club ? t('goToTheClub') : t('goToYourClubs')}
          </Link>
        </Button>
      }
    />
  );
}
