import { CircleCheck, Clock, MapPin, TriangleAlert, UserRound, Users } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { EventCard as EventOnCard } from '#features/events/contract.ts';
import { hasEnded, isCancelled, phaseOf } from '#features/events/rules.ts';
import { fullName } from '#features/members/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { AvatarStack } from '#ui/AvatarStack.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { dayKey, dayMonthYear, longDate, shortDate, time12h, truncate } from '#ui/format.ts';
import { DateTile } from './DateTile.tsx';
import { EventTags } from './EventTags.tsx';

const maxDescription = 70;

export type EventCardProps = {
  event: EventOnCard;
  now: Instant;
  /** Shows the club name, for lists with events of several clubs. */
  showClub?: boolean;
};

/** An event in a list. The whole card links to the event. */
export const EventCard = memo(function EventCard({ event, now, showClub = false }: EventCardProps) {
  const cancelled = isCancelled(event);
  const struck = cancelled && 'text-muted line-through';
  return (
    <Card asChild interactive flush>
      <article className="group relative flex h-full gap-4 p-4 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent sm:p-5">
        <DateTile event={event} now={now} />
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <div className="flex flex-col gap-1">
            <EventTags event={event} now={now}>
              {event.conflicting_events.length > 0 && (
                <Badge tone="warn">
                  <TriangleAlert aria-hidden />
                  Conflicting Event
                </Badge>
              )}
            </EventTags>
            <h3 className={cn('line-clamp-3 text-lg leading-snug font-bold wrap-anywhere', struck)}>
              <Link
                to={`/app/events/${event.slug}`}
                className="outline-none group-hover:text-accent after:absolute after:inset-0 after:content-['']"
              >
                {event.name}
              </Link>
            </h3>
            {showClub && (
              <p className={cn('text-sm font-medium text-muted wrap-anywhere', struck)}>{event.club_name}</p>
            )}
          </div>
          {event.description && (
            <p className={cn('text-sm text-muted wrap-anywhere', struck)}>
              {truncate(event.description, maxDescription)}
            </p>
          )}
          <ul className={cn('flex flex-wrap gap-x-4 gap-y-1 text-sm', struck)}>
            <Fact icon={<Clock aria-hidden />}>
              <time dateTime={event.start_time}>{timeText(event, now)}</time>
            </Fact>
            <Fact icon={<MapPin aria-hidden />}>{event.location_name}</Fact>
            {event.host && (
              <Fact icon={<UserRound aria-hidden />}>
                <span className="sr-only">Host: </span>
                {fullName({ first_name: event.host.host_first_name, last_name: event.host.host_last_name })}
              </Fact>
            )}
          </ul>
          <Going event={event} now={now} />
        </div>
      </article>
    </Card>
  );
});

function Fact({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="inline-flex min-w-0 items-start gap-1.5 [&_svg]:mt-0.5 [&_svg]:size-4.5 [&_svg]:shrink-0 [&_svg]:text-muted">
      {icon}
      <span className="line-clamp-2 min-w-0 wrap-anywhere">{children}</span>
    </li>
  );
}

/** The number of attendees, some of their pictures, and the status of the viewer. */
function Going({ event, now }: { event: EventOnCard; now: Instant }) {
  const isOver = hasEnded(event, now) && !isCancelled(event);
  const people = event.faces.map((face) => ({
    name: fullName(face),
    src: face.profile_picture_url,
    seed: face.attendee_id,
  }));
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-muted">
      <span className="inline-flex items-center gap-2">
        {people.length > 0 ? (
          <AvatarStack people={people} total={event.user_count} max={3} size="xs" className="-space-x-0.5!" />
        ) : (
          <Users aria-hidden className="size-4.5" />
        )}
        {event.user_count} {isOver ? 'went' : 'going'}
      </span>
      {event.my_role && !isCancelled(event) && (
        <span className="inline-flex items-center gap-1.5 font-semibold text-accent">
          <CircleCheck aria-hidden className="size-4.5" />
          {event.my_role === 'organiser'
            ? isOver
              ? 'You hosted'
              : "You're hosting"
            : isOver
              ? 'You went'
              : "You're going"}
        </span>
      )}
    </div>
  );
}

/** The start time, with the day where the tile is not enough: today, tomorrow or another year. */
function timeText(event: EventOnCard, now: Instant): string {
  const { start_time, end_time } = event;
  const time = time12h(start_time);
  if (phaseOf(event, now) === 'in_progress' && !isCancelled(event))
    return `Now, until ${endText(end_time, now)}`;
  const day = longDate(start_time, now);
  if (day === 'Today' || day === 'Tomorrow') return `${day}, ${time}`;
  const sameYear = dayKey(start_time).slice(0, 4) === dayKey(now).slice(0, 4);
  return sameYear ? time : `${dayMonthYear(start_time)}, ${time}`;
}

const endText = (end: Instant, now: Instant): string =>
  longDate(end, now) === 'Today' ? time12h(end) : `${shortDate(end)}, ${time12h(end)}`;
