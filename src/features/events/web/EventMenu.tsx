import { Copy, Ellipsis } from 'lucide-react';
import { Link } from 'react-router';
import type { Event } from '#features/events/contract.ts';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { t } from '#features/events/messages.ts';

/** Actions for admins of the club. Past and cancelled events have this menu too. */
export const EventMenu = ({ event, club }: { event: Event; club: string }) => (
  <Menu
    align="end"
    trigger={
      <button
        type="button"
        aria-label={t('moreActions')}
        className="-mr-2 grid size-11 shrink-0 place-items-center rounded-full text-muted transition-colors offline:hidden hover:bg-sunken hover:text-ink"
      >
        <Ellipsis aria-hidden className="size-5" />
      </button>
    }
  >
    <MenuItem asChild>
      <Link to={`/app/clubs/${club}/new-event?from=${event.slug}`}>
        <Copy aria-hidden />
        {t('duplicate')}
      </Link>
    </MenuItem>
  </Menu>
);
