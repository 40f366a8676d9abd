import type { Event } from '#features/events/contract.ts';
import { Cover } from '#ui/Cover.tsx';

type EventCoverProps = { event: Pick<Event, 'id' | 'owner_club_id' | 'series'> };

/** A landscape in the colours of the club, the same on all dates of a series, above a strip in the club's colour, which the page has set. */
export const EventCover = ({ event }: EventCoverProps) => (
  <div className="overflow-clip rounded-xl border-b-4 border-club">
    <Cover seed={event.series?.slug ?? event.id} club={event.owner_club_id} className="aspect-auto! h-18" />
  </div>
);
