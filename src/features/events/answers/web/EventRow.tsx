import { Check, Users } from 'lucide-react';
import { type ComponentType, lazy, memo, Suspense } from 'react';
import { Link } from 'react-router';
import type { EventCard } from '#features/events/contract.ts';
import {
  actionFor,
  asksToConfirm,
  hasEnded,
  isCancelled,
  isClosed,
  isFull,
  phaseOf,
  timesBefore,
} from '#features/events/rules.ts';
import { fullName } from '#features/members/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { AvatarStack } from '#ui/AvatarStack.tsx';
import { cn } from '#ui/class-names.ts';
import { hidden, Rich } from '#ui/Rich.tsx';
import { shortDayAndTime, dayKey, isToday, shortDate, timeOfDay, truncate } from '#wire/format.ts';
import { AttendButton, stateLook, stateWords } from './AttendButton.tsx';
import { DateTile } from '#features/events/web/DateTile.tsx';
import { EventTags } from '#features/events/web/EventTags.tsx';
import { t } from '#features/events/home-messages.ts';

// Loaded on demand, because few rows ask for a confirmation. If loading fails, the page of the event still asks.
export const RowQuestion = lazy<ComponentType<{ event: EventCard }>>(() =>
  import('./RowQuestion.tsx').catch(() => ({ default: () => null })),
);

const maxDescription = 70;

export type EventRowProps = {
  event: EventCard;
  now: Instant;
  /** Shows the club name, for lists with events of several clubs. */
  showClub?: boolean | undefined;
  /** Shows the date at every width, for rows that are not below a heading with their day. */
  dated?: boolean;
  /** The events of another list on the page, whose rows already ask for a confirmation. */
  askedElsewhere?: readonly EventCard[] | undefined;
};

/** An event in a list. The whole row is one link to the event, except for the buttons to answer. */
export const EventRow = memo(function EventRow({
  event,
  now,
  showClub = false,
  dated,
  askedElsewhere,
}: EventRowProps) {
  const { name, slug, description, location_name, club_name } = event;
  const struck = isCancelled(event) && 'text-muted line-through';
  return (
    <article className="group relative flex gap-2.5 px-2.5 py-1.5 outline-accent transition-colors hover:bg-sunken/60 has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 md:px-4 md:py-2">
      <DateTile event={event} now={now} compact className={cn('my-0.5', !dated && 'md:hidden')} />
      <div className="min-w-0 grow">
        <div className="md:grid md:grid-cols-[minmax(0,1fr)_auto_8rem] md:items-center md:gap-x-3">
          <h3 className={cn('truncate leading-[1.25rem] font-semibold', struck)}>
            <Link
              to={`/app/events/${slug}`}
              className="outline-none group-hover:text-accent after:absolute after:inset-0"
            >
              {name}
            </Link>
          </h3>
          <p className={cn('col-span-2 row-start-2 truncate text-xs text-muted', struck)}>
            <OldTime event={event} now={now} />
            <time dateTime={event.start_time} className={cn(!struck && 'text-ink')}>
              {timeText(event, now)}
            </time>
            {event.conflicting_events.length > 0 && !isCancelled(event) && (
              <Fact className="font-semibold text-warn">{t('conflictingEvent')}</Fact>
            )}
            {seatsText(event, now) && <Fact>{seatsText(event, now)}</Fact>}
            <Fact>{location_name}</Fact>
            {showClub && <Fact>{club_name}</Fact>}
          </p>
          {description && (
            <p className={cn('col-span-2 row-start-3 truncate text-xs text-muted max-md:hidden', struck)}>
              {truncate(description, maxDescription)}
            </p>
          )}
          <div className="flex flex-wrap items-center gap-x-1.5 pt-0.5 md:contents">
            <EventTags event={event} now={now} compact />
            <div className="ml-auto flex min-h-6.5 flex-wrap items-center justify-end gap-x-1.5 md:col-start-3 md:row-span-3 md:row-start-1 md:flex-col md:items-end md:gap-1">
              <Going event={event} now={now} />
              <State event={event} now={now} />
            </div>
          </div>
        </div>
        {asksToConfirm(event, now) && !askedElsewhere?.some(({ id }) => id === event.id) && (
          <Suspense fallback={<div className="h-34" />}>
            <RowQuestion event={event} />
          </Suspense>
        )}
      </div>
    </article>
  );
});

/** The time before a recent change, with its day if that changed too. */
function OldTime({ event, now }: Pick<EventRowProps, 'event' | 'now'>) {
  const before = timesBefore(event, now);
  if (!before) return null;
  const isSame = dayKey(before.start_time) === dayKey(event.start_time);
  return (
    <>
      <span className="font-semibold text-warn">{t('moved')}</span>{' '}
      <s>{isSame ? timeText({ ...event, ...before }, now) : shortDayAndTime(before.start_time)}</s>{' '}
    </>
  );
}

const Fact = ({ children, className }: { children: string; className?: string }) => (
  <span>
    {' · '}
    <span className={className}>{children}</span>
  </span>
);

/** The faces of some attendees, and the number of all attendees. */
function Going({ event, now }: { event: EventCard; now: Instant }) {
  const people = event.faces.map((face) => ({
    name: fullName(face),
    src: face.profile_picture_url,
    seed: face.attendee_id,
  }));
  const isOver = hasEnded(event, now) && !isCancelled(event);
  return (
    <p className="flex items-center gap-1 text-xs text-muted tabular-nums">
      {people.length > 0 ? (
        <AvatarStack people={people.slice(0, 3)} className="max-md:*:nth-2:me-0! max-md:*:nth-3:hidden" />
      ) : (
        <Users aria-hidden className="size-4" />
      )}
      <Rich parts={t.parts(isOver ? 'wentCount' : 'goingCount', { hidden }, { n: event.user_count })} />
    </p>
  );
}

/** The answer of the viewer, or the button to attend. */
function State({ event, now }: { event: EventCard; now: Instant }) {
  const { my_answer, my_role } = event;
  if (isCancelled(event)) return null;
  if (asksToConfirm(event, now)) return <p className={cn(stateLook, 'text-warn!')}>{t('pleaseConfirm')}</p>;
  if (['attend', 'attending'].includes(actionFor(event, now))) return <AttendButton event={event} />;
  const isOver = hasEnded(event, now);
  const role = my_role && (isOver ? pastRoles() : roles())[my_role];
  if (!role && (isOver || !my_answer)) return null;
  return (
    <p className={stateLook}>
      {role && <Check aria-hidden className="size-3.5" />}
      {role ?? (my_answer && stateWords()[my_answer])}
    </p>
  );
}

/** The free seats of an open event. Says 'Full' only if the viewer has answered: otherwise the button says it. */
function seatsText(event: EventCard, now: Instant): string {
  const { seats_left, my_answer } = event;
  if (isClosed(event, now) || isCancelled(event)) return '';
  if (isFull(event)) return my_answer ? t('full') : '';
  return seats_left ? t('seatsLeft', { n: seats_left }) : '';
}

const roles = () => ({ organiser: t('hosting'), attendee: t('attending') });
const pastRoles = () => ({ organiser: t('youHosted'), attendee: t('youWent') });

/** The start time. For an event in progress, its end: the time if it ends today, otherwise the day. */
function timeText(event: EventCard, now: Instant): string {
  const { start_time, end_time } = event;
  if (phaseOf(event, now) !== 'in_progress' || isCancelled(event)) return timeOfDay(start_time);
  return t('nowUntil', { time: isToday(end_time, now) ? timeOfDay(end_time) : shortDate(end_time) });
}
