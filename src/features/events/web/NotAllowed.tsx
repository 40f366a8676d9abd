import { Lock } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { t } from '#features/events/messages.ts';

type NotAllowedProps = { title: string; text?: string; club: string | undefined };

/** Shown instead of a page to people who may not use it. `club` is the slug of the club if the viewer is a member. */
export function NotAllowed({ title, text = t('askAnAdmin'), club }: NotAllowedProps) {
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
