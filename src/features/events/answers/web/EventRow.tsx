import { Check, Users } from 'lucide-react';
import { memo, Suspense } from 'react';
import { Link } from 'react-router';
import type { EventCard } from '#features/events/contract.ts';
import {
  actionFor,
  asksToConfirm,
  asksToVote,
  hasEnded,
  isCancelled,
  isClosed,
  isFull,
  isPolled,
  phaseOf,
  timesBefore,
} from '#features/events/rules.ts';
import { ownName } from '#features/members/rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { AvatarStack } from '#ui/AvatarStack.tsx';
import { cn } from '#ui/class-names.ts';
import {
  dayHead,
  dayKey,
  daysAway,
  isToday,
  shortDate,
  shortDayAndTime,
  timeOfDay,
  truncate,
} from '#wire/format.ts';
import { AttendButton, stateLook, stateWords } from './AttendButton.tsx';
import { RowAnswers } from './RowAnswers.tsx';
import { DateTile } from '#features/events/web/DateTile.tsx';
import { EventTags } from '#features/events/web/EventTags.tsx';
import { t } from '#features/events/home-messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

// Loaded on demand, because few rows ask for a confirmation.
export const RowQuestion = lazyPart(() => import('./RowQuestion.tsx'));

const maxDescription = 70;

export type EventRowProps = {
  event: EventCard;
  now: Instant;
  /** The viewer's clubs, for lists with events of several clubs, whose rows show the club. */
  clubs?: readonly ClubOfUser[] | undefined;
  /** Shows the date at every width, for rows that are not beside their day. */
  dated?: boolean;
  /** Says 'Today' or 'Tomorrow', for rows that are not below a heading with their day. */
  alone?: boolean;
  /** Offers 'Going' and "Can't go". */
  asks?: boolean | undefined;
  /** Whether a row leaves the list once it is answered. A toast then offers to undo the answer. */
  leaves?: boolean | undefined;
};

/** A row that leaves its list with the focus in it passes the focus on to the next row, or else to the page. */
function passFocusOn(row: HTMLElement | null) {
  return () => {
    if (!row?.contains(document.activeElement)) return;
    const rows = [...(row.closest('section')?.querySelectorAll('article') ?? [])];
    const at = rows.indexOf(row);
    const next = rows[at + 1] ?? rows[at - 1];
    (next?.querySelector('a') ?? row.closest('main'))?.focus({ preventScroll: true });
  };
}

/** An event in a list. The whole row is one link to the event, except for the buttons to answer. */
export const EventRow = memo(function EventRow({
  event,
  now,
  clubs,
  dated,
  alone,
  asks = false,
  leaves = false,
}: EventRowProps) {
  const { name, slug, description, location_name, club_name, section_names } = event;
  const mustConfirm = asksToConfirm(event, now);
  const answers = asks && !mustConfirm;
  const polled = isPolled(event, now);
  const seats = seatsText(event, now);
  const struck = isCancelled(event) && 'text-muted line-through';
  return (
    <article
      ref={leaves ? passFocusOn : undefined}
      className={cn(
        'group relative flex gap-2.5 px-2.5 outline-accent transition-colors hover:bg-sunken/60 has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 md:px-4 md:py-2',
        answers ? 'max-md:py-1' : 'max-md:py-1.5',
      )}
    >
      <DateTile event={event} now={now} compact className={cn('my-0.5', !dated && 'md:hidden')} />
      <div className="min-w-0 grow">
        <div
          className={cn(
            'md:grid md:items-center md:gap-x-3',
            answers
              ? 'md:grid-cols-[minmax(0,1fr)_auto_14rem]'
              : 'md:grid-cols-[minmax(0,1fr)_auto_minmax(8rem,max-content)]',
          )}
        >
          <div className="flex min-w-0 items-center gap-1.5">
            {clubs && <ClubAvatar event={event} clubs={clubs} />}
            <h3 className={cn('truncate leading-[1.25rem] font-semibold', struck)}>
              <Link
                to={`/app/events/${slug}`}
                className="outline-none group-hover:text-accent after:absolute after:inset-0"
              >
                {name}
              </Link>
            </h3>
          </div>
          <p className={cn('col-span-2 row-start-2 truncate text-xs text-muted', struck)}>
            {alone && !polled && isNear(event, now) && (
              <span className="md:hidden">{`${dayHead(event.start_time, now)} · `}</span>
            )}
            <OldTime event={event} now={now} />
            <time dateTime={event.start_time} className={cn(!struck && 'text-ink')}>
              {timeText(event, now)}
            </time>
            {event.conflicting_events.length > 0 && !isCancelled(event) && (
              <Fact className="font-semibold text-warn">{t('conflictingEvent')}</Fact>
            )}
            {section_names.length > 0 && <Fact className="text-ink">{section_names.join(', ')}</Fact>}
            <Fact>{location_name}</Fact>
            {clubs && (
              // On phones, and for screen readers, the avatar says it.
              <span aria-hidden className="max-md:hidden">
                <Fact>{club_name}</Fact>
              </span>
            )}
          </p>
          {description && (
            <p className={cn('col-span-2 row-start-3 truncate text-xs text-muted max-md:hidden', struck)}>
              {truncate(description, maxDescription)}
            </p>
          )}
          <div className="flex flex-wrap items-center gap-x-1.5 md:contents">
            <div className="flex flex-wrap items-center gap-x-1 text-xs whitespace-nowrap">
              {seats && (
                <>
                  <span className="font-semibold">{seats}</span>
                  <span aria-hidden>·</span>
                </>
              )}
              <EventTags event={event} now={now} compact />
            </div>
            <div
              className={cn(
                'md:col-start-3 md:row-span-3 md:row-start-1 md:flex md:flex-col md:items-end md:gap-1',
                answers
                  ? 'max-md:contents'
                  : 'max-md:ml-auto max-md:flex max-md:flex-wrap max-md:items-center max-md:justify-end max-md:gap-x-1.5',
              )}
            >
              {!polled && <Going event={event} now={now} className="ml-auto" />}
              {answers && asksToVote(event, now) ? (
                <VoteLink event={event} />
              ) : answers ? (
                <RowAnswers event={event} />
              ) : (
                <State event={event} now={now} leaves={leaves} />
              )}
            </div>
          </div>
        </div>
        {mustConfirm && (
          <Suspense fallback={<div className="h-34" />}>
            <RowQuestion event={event} leaves={leaves} />
          </Suspense>
        )}
      </div>
    </article>
  );
});

/** Leads to the poll on the page of the event. */
const VoteLink = ({ event }: { event: EventCard }) => (
  <Link
    to={`/app/events/${event.slug}`}
    aria-label={t('actionFor', { action: t('vote'), event: event.name })}
    className="relative -my-1.75 grid min-h-11 items-center rounded-md group/answer max-md:w-full"
  >
    <span className="inline-flex min-h-7.5 items-center justify-center rounded-full bg-accent-soft px-2.5 md:px-6 text-xs font-semibold text-accent group-hover/answer:bg-accent group-hover/answer:text-accent-ink">
      {t('vote')}
    </span>
  </Link>
);

function ClubAvatar({
  event,
  clubs,
}: Required<Pick<EventRowProps, 'event'>> & { clubs: readonly ClubOfUser[] }) {
  const { owner_club_id, club_name } = event;
  const picture = clubs.find(({ id }) => id === owner_club_id)?.profile_picture_url;
  return (
    <Avatar
      square
      name={club_name}
      alt={club_name}
      seed={owner_club_id}
      src={picture}
      className="size-5! text-[0.5rem]!"
    />
  );
}

/** The time before a recent change, with its day if that changed too. */
function OldTime({ event, now }: Pick<EventRowProps, 'event' | 'now'>) {
  const before = timesBefore(event, now);
  if (!before) return null;
  const isSame = dayKey(before.start_time) === dayKey(event.start_time);
  return (
    <span>
      <span className="font-semibold text-warn">{t('moved')}</span>{' '}
      <s>{isSame ? timeText({ ...event, ...before }, now) : shortDayAndTime(before.start_time)}</s>{' '}
    </span>
  );
}

/** Whether an event starts today or tomorrow, which a date tile does not say. */
const isNear = (event: EventCard, now: Instant) =>
  phaseOf(event, now) === 'upcoming' && daysAway(event.start_time, now) <= 1;

const Fact = ({ children, className }: { children: string; className?: string }) => (
  <span>
    {' · '}
    <span className={className}>{children}</span>
  </span>
);

/** The faces of some attendees, and the number of all attendees. */
export function Going({ event, now, className }: { event: EventCard; now: Instant; className?: string }) {
  const people = event.faces.map((face) => ({
    name: ownName(face),
    src: face.profile_picture_url,
    seed: face.attendee_id,
  }));
  const isOver = hasEnded(event, now) && !isCancelled(event);
  return (
    <p className={cn('flex items-center gap-1 text-xs whitespace-nowrap text-muted tabular-nums', className)}>
      {people.length > 0 ? (
        <AvatarStack
          people={people.slice(0, 3)}
          className="max-md:*:size-5! max-md:*:nth-2:me-0! max-md:*:nth-3:hidden"
        />
      ) : (
        <Users aria-hidden className="size-4" />
      )}
      <span>{t(isOver ? 'wentCount' : 'goingCount', { n: event.user_count })}</span>
    </p>
  );
}

/** The answer of the viewer, or the button to attend. */
function State({ event, now, leaves }: { event: EventCard; now: Instant; leaves: boolean }) {
  const { my_answer, my_role } = event;
  if (isCancelled(event)) return null;
  if (asksToConfirm(event, now)) return <p className={cn(stateLook, 'text-warn!')}>{t('pleaseConfirm')}</p>;
  if (['attend', 'attending'].includes(actionFor(event, now)))
    return <AttendButton event={event} leaves={leaves} />;
  const isOver = hasEnded(event, now);
  const role = my_role && (isOver ? pastRoles() : roles())[my_role];
  if (!role && (isOver || !my_answer)) return null;
  return (
    <p className={stateLook}>
      {role && <Check aria-hidden className="size-3.5" />}
      <span>{role ?? (my_answer && stateWords()[my_answer])}</span>
    </p>
  );
}

/** The free seats of an open event. */
function seatsText(event: EventCard, now: Instant): string {
  const { seats_left } = event;
  if (isClosed(event, now) || isCancelled(event)) return '';
  if (isFull(event)) return t('full');
  return seats_left ? t('seatsLeft', { n: seats_left }) : '';
}

const roles = () => ({ organiser: t('hosting'), attendee: t('attending') });
const pastRoles = () => ({ organiser: t('youHosted'), attendee: t('youWent') });

/**
 * The start time. For an event in progress, its end: the time if it ends today, otherwise the day. While members vote,
 * how many times there are.
 */
export function timeText(event: EventCard, now: Instant): string {
  const { start_time, end_time, time_count } = event;
  if (isPolled(event, now)) return t('openTimes', { n: time_count, date: shortDate(start_time) });
  if (phaseOf(event, now) !== 'in_progress' || isCancelled(event)) return timeOfDay(start_time);
  return t('nowUntil', { time: isToday(end_time, now) ? timeOfDay(end_time) : shortDate(end_time) });
}
