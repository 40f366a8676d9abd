import { Lock } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { t } from '#features/members/messages.ts';

/** Shown to members who open a page for admins. `club` is the slug of the club. */
export const AdminsOnly = ({ club }: { club: string }) => (
  <EmptyState
    icon={Lock}
    title={t('onlyForAdmins')}
    text={t('onlyForAdminsText')}
    action={
      <Button asChild variant="secondary">
        <Link to={`/app/clubs/${club}`}>{t('goToClub')}</Link>
      </Button>
    }
  />
);
