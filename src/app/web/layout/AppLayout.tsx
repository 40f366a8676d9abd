import { LogOut, MessageCircleHeart, UserRound } from 'lucide-react';
import { Link, Outlet } from 'react-router';
import { Bell } from '#features/notifications/web/Bell.tsx';
import { SearchButton } from '#features/search/web/SearchButton.tsx';
import type { User } from '#features/users/contract.ts';
import { ownName } from '#features/users/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '#ui/Menu.tsx';
import { AfterHydration } from '#web/AfterHydration.tsx';
import { logOut } from '#web/api.ts';
import { useSession } from '#web/useSession.ts';
import { withTexts } from '#web/with-texts.ts';
import { AppFrame } from './AppFrame.tsx';
import { t } from '#app/web/messages.ts';

const AddressNotice = lazyPart(() => withTexts(import('./AddressNotice.tsx')));

/** Layout route of every page below /app. Invite pages need no login. */
export default function AppLayout() {
  const { user, loggedIn } = useSession();
  const tools = (
    <>
      {user && user.clubs.length > 0 && <SearchButton />}
      <Bell />
      {user && <UserMenu user={user} />}
    </>
  );
  return (
    <AppFrame header={loggedIn} tools={loggedIn && tools}>
      {user?.email_refused && (
        <AfterHydration>
          <AddressNotice email={user.email} />
        </AfterHydration>
      )}
      <Outlet />
    </AppFrame>
  );
}

export function UserMenu({ user }: { user: User }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ') || user.email;
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t('userMenu')}
          className="grid size-11 place-items-center rounded-full"
        >
          <Avatar name={ownName(user)} seed={user.id} src={user.profile_picture_url} size="sm" />
        </button>
      }
    >
      <MenuLabel className="max-w-64">
        <span className="block truncate font-semibold text-ink">{name}</span>
        {name !== user.email && <span className="block truncate">{user.email}</span>}
      </MenuLabel>
      <MenuSeparator />
      <MenuItem asChild className="offline:hidden">
        <Link to="/app/profile">
          <UserRound aria-hidden />
          {t('account')}
        </Link>
      </MenuItem>
      <MenuItem asChild className="offline:hidden">
        <Link to="/app/feedback">
          <MessageCircleHeart aria-hidden />
          {t('letUsKnow')}
        </Link>
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => void logOut()}>
        {t('logOut')}
      </MenuItem>
    </Menu>
  );
}
