import { Lock } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';

/** Shown instead of a form to members who are not admins. `club` is the slug of the club if the viewer is a member. */
export function AdminsOnly({ title, club }: { title: string; club: string | undefined }) {
  return (
    <EmptyState
      icon={Lock}
      title={title}
      text="Ask an admin of the club to do it or to make you an admin."
      action={
        <Button asChild variant="secondary">
          <Link to={club ? `/app/clubs/${club}` : '/app'}>
            {club ? 'Go to the club' : 'Go to your clubs'}
          </Link>
        </Button>
      }
    />
  );
}
