import { ClipboardCheck } from 'lucide-react';
import { Link } from 'react-router';
import { Going, timeText } from '#features/events/answers/web/EventRow.tsx';
import { whyCannotCheckIn } from '#features/events/checkins/rules.ts';
import type { EventCard } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isPolled, phaseOf } from '#features/events/rules.ts';
import { DateTile } from '#features/events/web/DateTile.tsx';
import { MapLink } from '#features/events/web/MapLink.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { LinkedText } from '#ui/LinkedText.tsx';
import { dayHead, daysAway, spanOf } from '#wire/format.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { t } from '#app/web/messages.ts';

const day = 24 * 60 * 60;

/**
 * The first event of today or tomorrow that the viewer is going to or hosts. An event that began more than a day ago is
 * left out, because it would hide the others until it ends.
 */
export const nextOf = (attended: readonly EventCard[], now: Instant): EventCard | undefined =>
  attended.find(
    (event) =>
      event.my_role !== null &&
      !isCancelled(event) &&
      !hasEnded(event, now) &&
      !isPolled(event, now) &&
      event.start_time > addSeconds(now, -day) &&
      daysAway(event.start_time, now) <= 1,
  );

type NextEventProps = {
  event: EventCard;
  now: Instant;
  /** Shows the club, for members of several clubs. */
  showClub: boolean;
};

/** The next event of the viewer. The whole card leads to it, except for the button. */
export function NextEvent({ event, now, showClub }: NextEventProps) {
  const { slug, name, location_name, club_name } = event;
  const canCheckIn = event.my_role === 'organiser' && !whyCannotCheckIn(event, now);
  return (
    <Card asChild flush className="p-4 has-[h2_a:focus-visible]:outline-2">
      <section
        aria-label={t('next')}
        className="relative flex flex-col gap-3 sm:flex-row sm:items-center sm:gap-4"
      >
        <div className="flex grow gap-3 sm:gap-4">
          <DateTile event={event} now={now} />
          <div className="min-w-0 grow">
            <p className="font-bold text-accent sm:text-lg">
              <time dateTime={event.start_time}>{timeInWords(event, now)}</time>
            </p>
            <h2 className="line-clamp-2 text-lg leading-[1.5rem] font-bold wrap-anywhere">
              <Link to={`/app/events/${slug}`} className="outline-none after:absolute after:inset-0">
                {name}
              </Link>
            </h2>
            <p className="relative mt-1 line-clamp-2 w-fit text-sm wrap-anywhere">
              <LinkedText text={location_name} />
            </p>
            {showClub && <p className="truncate text-sm text-muted">{club_name}</p>}
            <Going event={event} now={now} className="mt-1.5" />
          </div>
        </div>
        {canCheckIn ? (
          <Button asChild className="relative">
            <Link to={`/app/events/${slug}/check-in`}>
              <ClipboardCheck aria-hidden />
              {t('checkIn')}
            </Link>
          </Button>
        ) : (
          <Button asChild variant="secondary" className="relative">
            <MapLink place={location_name} />
          </Button>
        )}
      </section>
    </Card>
  );
}

/** 'Today, 7:30 – 9:00 pm', or how long the event still takes. */
function timeInWords(event: EventCard, now: Instant): string {
  const { start_time, end_time } = event;
  if (phaseOf(event, now) === 'in_progress') return timeText(event, now);
  const when = dayHead(start_time, now);
  return start_time === end_time
    ? t('nextTime', { day: when, time: timeText(event, now) })
    : t('nextSpan', { day: when, ...spanOf(start_time, end_time) });
}
