import { Copy, Ellipsis, Megaphone, Pencil, Star, UserRoundCog } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { hostAction } from '#features/events/checkins/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { whyCannotChangeHosts } from '#features/events/form-rules.ts';
import { isCancelled } from '#features/events/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { cn } from '#ui/class-names.ts';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { ChangeOfPlanDialog } from '#features/events/web/ChangeOfPlan.tsx';
import { useFavourite } from '#features/events/web/FollowButtons.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { t } from '#features/events/messages.ts';

const HostsDialog = lazyPart(() => import('#features/events/web/HostsDialog.tsx'));

type EventMenuProps = {
  event: Event;
  club: ClubOfUser;
  now: Instant;
  /** Whether this is the menu of the bar, which also has the actions that stand above the title in the wide layout. */
  inBar?: boolean;
  className?: string;
};

/** The rarer actions of planners and hosts. Past and cancelled events have this menu too. */
export function EventMenu({ event, club, now, inBar = false, className }: EventMenuProps) {
  const [open, setOpen] = useState<'plan' | 'hosts'>();
  const network = useNeedsNetwork();
  const favourite = useFavourite(event);
  const isPlanner = club.is_planner;
  const isOn = !whyCannotChangeHosts(event, now);
  const canChange = isOn && event.my_role === 'organiser' && hostAction(event, now) !== 'change_of_plan';
  if (!isPlanner && !isOn && !inBar) return null;
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button
            type="button"
            aria-label={t('moreActions')}
            className={cn(
              'grid size-11 shrink-0 place-items-center rounded-full text-muted transition-colors offline:hidden hover:bg-sunken hover:text-ink',
              className,
            )}
          >
            <Ellipsis aria-hidden className="size-5" />
          </button>
        }
      >
        {canChange && (
          <MenuItem icon={Megaphone} onSelect={() => network.run(() => setOpen('plan'))}>
            {t('changeOfPlan')}
          </MenuItem>
        )}
        {inBar && isPlanner && !isCancelled(event) && (
          <MenuItem asChild>
            <Link to={`/app/events/edit/${event.slug}`}>
              <Pencil aria-hidden />
              {t('edit')}
            </Link>
          </MenuItem>
        )}
        {isPlanner && (
          <MenuItem asChild>
            <Link to={`/app/clubs/${club.slug}/new-event?from=${event.slug}`}>
              <Copy aria-hidden />
              {t('duplicate')}
            </Link>
          </MenuItem>
        )}
        {isOn && (
          <MenuItem icon={UserRoundCog} onSelect={() => network.run(() => setOpen('hosts'))}>
            {t('hosts')}
          </MenuItem>
        )}
        {inBar && (
          <MenuItem icon={Star} onSelect={() => favourite.mutate(!event.favourite)}>
            {event.favourite ? t('removeFavourite') : t('favourite')}
          </MenuItem>
        )}
      </Menu>
      {open && (
        <Suspense>
          {open === 'plan' ? (
            <ChangeOfPlanDialog event={event} isPlanner={isPlanner} onClose={() => setOpen(undefined)} />
          ) : (
            <HostsDialog event={event} isPlanner={isPlanner} onClose={() => setOpen(undefined)} />
          )}
        </Suspense>
      )}
    </>
  );
}
