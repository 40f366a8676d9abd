import { Bell, BellOff, CalendarDays, Ellipsis, LogOut, Pencil, Phone, ScrollText } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import { LeaveClubDialog } from '#features/members/web/LeaveClub.tsx';
import { Button } from '#ui/Button.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { withTexts } from '#web/with-texts.ts';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { ClubCalendarDialog } from './ClubCalendar.tsx';
import { t } from '#features/clubs/messages.ts';
import { t as ofMembers } from '#features/members/messages.ts';

const ContactDialog = lazyPart(() =>
  import('#features/members/web/ContactDialog.tsx').then((module) => ({ default: module.ContactDialog })),
);

const MuteDialog = lazyPart(() => withTexts(import('#features/members/web/MuteDialog.tsx')));

type ClubMenuProps = { club: Club; admin: boolean };

/** What members do with a club once in a while. Wide screens have buttons for most of it. */
export function ClubMenu({ club, admin }: ClubMenuProps) {
  const [opened, setOpened] = useState<'calendar' | 'contact' | 'mute' | 'leave'>();
  const close = () => setOpened(undefined);
  return (
    <>
      <Menu
        trigger={
          <Button variant="secondary" aria-label={t('moreActions')} className="w-11 px-0">
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        {club.is_planner && (
          <MenuItem icon={CalendarDays} className="sm:hidden" onSelect={() => setOpened('calendar')}>
            {t('clubCalendar')}
          </MenuItem>
        )}
        {admin && (
          <>
            <MenuItem asChild className="sm:hidden offline:hidden">
              <Link to={`/app/clubs/${club.slug}/edit`}>
                <Pencil aria-hidden />
                {t('edit')}
              </Link>
            </MenuItem>
            <MenuItem asChild className="offline:hidden">
              <Link to={`/app/clubs/${club.slug}/log`}>
                <ScrollText aria-hidden />
                {t('log')}
              </Link>
            </MenuItem>
          </>
        )}
        <MenuItem icon={Phone} className="offline:hidden" onSelect={() => setOpened('contact')}>
          {t('contact')}
        </MenuItem>
        <MenuItem
          icon={club.muted ? Bell : BellOff}
          className="offline:hidden"
          onSelect={() => setOpened('mute')}
        >
          {t(club.muted ? 'unmuteThisClub' : 'muteThisClub')}
        </MenuItem>
        <MenuItem
          icon={LogOut}
          danger
          className="sm:hidden offline:hidden"
          onSelect={() => setOpened('leave')}
        >
          {ofMembers('leaveClub')}
        </MenuItem>
      </Menu>
      <ClubCalendarDialog club={club} open={opened === 'calendar'} onOpenChange={close} />
      {opened === 'contact' && (
        <Suspense>
          <ContactDialog club={club} onClose={close} />
        </Suspense>
      )}
      {opened === 'mute' && (
        <Suspense>
          <MuteDialog club={club} onClose={close} />
        </Suspense>
      )}
      <LeaveClubDialog club={club} open={opened === 'leave'} onOpenChange={close} />
    </>
  );
}
