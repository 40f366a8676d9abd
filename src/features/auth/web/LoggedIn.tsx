import { Link } from 'react-router';
import { logOut } from '#web/api.ts';
import { useSession } from '#web/useSession.ts';
import { ownName } from '#features/users/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/auth/messages.ts';

/** Shown instead of the login form to a logged-in user. */
export default function LoggedIn() {
  const { user } = useSession();
  const name = user && (user.user_name || user.first_name || user.email);
  return (
    <div className="flex flex-col items-center gap-4 text-center">
      {user ? (
        <Avatar name={ownName(user)} seed={user.id} src={user.profile_picture_url} size="lg" />
      ) : (
        <span className="size-16" />
      )}
      <div>
        <h1 className="text-2xl font-bold">{t('loggedIn')}</h1>
        <p className="mt-1.5 min-h-6 break-words text-muted">{name && t('loggedInAs', { name })}</p>
      </div>
      <div className="mt-2 flex w-full flex-col-reverse gap-3 sm:flex-row sm:justify-center">
        <Button variant="secondary" onClick={() => void logOut()}>
          {t('logOut')}
        </Button>
        <Button asChild>
          <Link to="/app">{t('goToApp')}</Link>
        </Button>
      </div>
    </div>
  );
}
