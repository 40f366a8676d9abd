import { CalendarDays, Ellipsis, LogOut, Pencil, ScrollText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import { LeaveClubDialog } from '#features/members/web/LeaveClub.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { ClubCalendarDialog } from './ClubCalendar.tsx';
import { t } from '#features/clubs/messages.ts';
import { t as ofMembers } from '#features/members/messages.ts';

type ClubMenuProps = { club: Club; admin: boolean; className?: string };

/** What members do with a club once in a while. Wide screens have buttons for most of it. */
export function ClubMenu({ club, admin, className }: ClubMenuProps) {
  const [opened, setOpened] = useState<'calendar' | 'leave'>();
  const close = () => setOpened(undefined);
  return (
    <>
      <Menu
        trigger={
          <Button variant="secondary" aria-label={t('moreActions')} className={cn('w-11 px-0', className)}>
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
      <LeaveClubDialog club={club} open={opened === 'leave'} onOpenChange={close} />
    </>
  );
}
