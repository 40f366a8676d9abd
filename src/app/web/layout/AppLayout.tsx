import { LogOut, MessageCircleHeart, UserRound } from 'lucide-react';
import { Link, Outlet } from 'react-router';
import { Bell } from '#features/notifications/web/Bell.tsx';
import { SearchButton } from '#features/search/web/SearchButton.tsx';
import type { User } from '#features/users/contract.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Button } from '#ui/Button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '#ui/Menu.tsx';
import { logOut } from '../api.ts';
import { settings } from '../settings.ts';
import { useSession } from '../useSession.ts';
import { Logo } from './Logo.tsx';
import { Main } from './Main.tsx';

/** The frame of every page below /app. */
export default function AppLayout() {
  const { user, loggedIn } = useSession();
  return (
    <div className="flex min-h-dvh flex-col">
      {loggedIn && <Header user={user} />}
      <Main className="mx-auto w-full max-w-6xl grow px-4 pt-6 pb-16 sm:px-6 sm:pt-10">
        <Outlet />
      </Main>
      <Footer />
    </div>
  );
}

function Header({ user }: { user: User | undefined }) {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface">
      <div className="mx-auto flex h-16 max-w-6xl items-center justify-between gap-4 px-4 sm:px-6">
        <Link to="/app" className="-m-2 flex rounded-md p-2">
          <Logo />
        </Link>
        <div className="flex items-center gap-1 sm:gap-2">
          {user && user.clubs.length > 0 && <SearchButton />}
          <Bell />
          {user && <UserMenu user={user} />}
        </div>
      </div>
    </header>
  );
}

function UserMenu({ user }: { user: User }) {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ') || user.email;
  return (
    <Menu
      trigger={
        <button type="button" aria-label="User menu" className="grid size-11 place-items-center rounded-full">
          <Avatar name={name} seed={user.id} src={user.profile_picture_url} size="sm" />
        </button>
      }
    >
      <MenuLabel className="max-w-64">
        <span className="block truncate font-semibold text-ink">{name}</span>
        {name !== user.email && <span className="block truncate">{user.email}</span>}
      </MenuLabel>
      <MenuSeparator />
      <MenuItem asChild>
        <Link to="/app/profile">
          <UserRound aria-hidden />
          Account
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/app/feedback">
          <MessageCircleHeart aria-hidden />
          Let us know
        </Link>
      </MenuItem>
      <MenuItem icon={LogOut} onSelect={() => void logOut()}>
        Log Out
      </MenuItem>
    </Menu>
  );
}

function Footer() {
  const { donateUrl, developerName, developerUrl } = settings;
  return (
    <footer className="border-t border-line">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-4 gap-y-2 px-4 py-5 sm:gap-x-6 text-sm text-muted sm:px-6">
        <Link to="/privacy-policy" className="py-2.5 hover:text-ink hover:underline">
          Privacy policy
        </Link>
        {developerUrl && (
          <a
            href={developerUrl}
            target="_blank"
            rel="noopener noreferrer"
            className="py-2.5 hover:text-ink hover:underline"
          >
            Built by {developerName}
          </a>
        )}
        {donateUrl && (
          <Button asChild variant="secondary" size="sm" className="ml-auto">
            <a href={donateUrl} target="_blank" rel="noopener noreferrer">
              Donate
            </a>
          </Button>
        )}
      </div>
    </footer>
  );
}
