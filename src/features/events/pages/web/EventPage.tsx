import { CalendarClock, MapPin, Pencil, Share2, UserRound, UsersRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { usePreview } from '#web/usePreview.ts';
import { useTitle } from '#web/useTitle.ts';
import { AnswerDetails } from '#features/events/answers/web/AnswerDetails.tsx';
import { AnswerLists, CountsInWords } from '#features/events/answers/web/AnswerLists.tsx';
import { Headcount } from '#features/events/answers/web/Headcount.tsx';
import { AddToCalendar } from '#features/calendar/web/AddToCalendar.tsx';
import type { Event } from '#features/events/contract.ts';
import { whyCannotHandOver } from '#features/events/form-rules.ts';
import { actionFor, hasEnded, isCancelled, isClosed, isPolled } from '#features/events/rules.ts';
import { fullName, isRunner, role } from '#features/members/rules.ts';
import { t as ofPolls } from '#features/events/polls/messages.ts';
import { Poll } from '#features/events/polls/web/Poll.tsx';
import { EventSlots } from '#features/events/slots/web/EventSlots.tsx';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { longDate, timeOfDay } from '#wire/format.ts';
import { BackButton } from '#ui/PageHeader.tsx';
import { Section } from '#ui/Section.tsx';
import { LinkedText } from '#ui/LinkedText.tsx';
import { Changes } from '#features/events/web/Changes.tsx';
import { DateTile } from '#features/events/web/DateTile.tsx';
import { EventAction } from '#features/events/answers/web/EventAction.tsx';
import { EventMenu } from '#features/events/web/EventMenu.tsx';
import { FollowButtons } from '#features/events/web/FollowButtons.tsx';
import { EventTags } from '#features/events/web/EventTags.tsx';
import { EventTime } from '#features/events/web/EventTime.tsx';
import { HandOverButton } from '#features/events/web/HandOverButton.tsx';
import { MapLink } from '#features/events/web/MapLink.tsx';
import { UndoChange } from '#features/events/web/UndoChange.tsx';
import { useEvent } from '#features/events/web/useEvent.ts';
import { useShare } from '#features/events/web/useShare.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import { t } from '#features/events/messages.ts';

export default function EventPage() {
  const { event, club } = useEvent();
  const now = useNow();
  useTitle(event.name);
  usePreview(event.name, event.description);
  return (
    <article>
      <Head event={event} club={club} now={now} />
      <Notices event={event} club={club} />
      {club && isPolled(event, now) && <Poll event={event} club={club} now={now} />}
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_22rem] lg:gap-10">
        <Side event={event} club={club} now={now} />
        <div className="flex min-w-0 flex-col gap-8 lg:order-first">
          <Text event={event} />
          {!isPolled(event, now) && <Headcount event={event} club={club} now={now} />}
          {club && !isPolled(event, now) && <AnswerLists event={event} now={now} />}
          {club && <EventSlots event={event} club={club} />}
          {club && <Changes event={event} now={now} />}
        </div>
      </div>
    </article>
  );
}

type PartProps = {
  event: Event;
  /** The club of the event if the viewer is a member. */
  club: ClubOfUser | undefined;
  now: Instant;
};

const home = (club: ClubOfUser | undefined): string => (club ? `/app/clubs/${club.slug}` : '/app');

/** Goes back one page, or two to skip the form if the viewer just created or edited the event. */
function useBackFromEvent(club: ClubOfUser | undefined): () => void {
  const { from } = (useLocation().state ?? {}) as { from?: string };
  return useBack(home(club), from && /new-event|edit/.test(from) ? 2 : 1);
}

function Head({ event, club, now }: PartProps) {
  const back = useBackFromEvent(club);
  const cancelled = isCancelled(event);
  return (
    <header className="mb-6 sm:mb-8">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <BackButton onClick={back} />
        <div className="flex flex-wrap items-center gap-3">
          {club && <FollowButtons event={event} now={now} />}
          {club?.club_role === role.admin && !cancelled && (
            <Button asChild variant="secondary" className="offline:hidden">
              <Link to={`/app/events/edit/${event.slug}`}>
                <Pencil aria-hidden />
                {t('edit')}
              </Link>
            </Button>
          )}
          {club?.club_role === role.admin && <EventMenu event={event} club={club.slug} />}
        </div>
      </div>
      <div className="flex items-start gap-4 sm:gap-5">
        <DateTile event={event} now={now} className="sm:w-18" />
        <div className="min-w-0">
          <EventTags event={event} now={now} />
          <h1
            className={cn(
              'mt-1.5 text-2xl font-bold wrap-anywhere sm:text-3xl',
              cancelled && 'text-muted line-through',
            )}
          >
            {event.name}
          </h1>
          <p className="mt-1 font-medium text-muted wrap-anywhere">
            {club ? (
              <Link to={home(club)} className="underline underline-offset-4 hover:text-ink">
                {event.club_name}
              </Link>
            ) : (
              event.club_name
            )}
            {event.series && (
              <>
                {' · '}
                <Link
                  to={`/app/series/${event.series.slug}`}
                  className="underline underline-offset-4 hover:text-ink"
                >
                  {repeatText(event.series)}
                </Link>
              </>
            )}
          </p>
        </div>
      </div>
    </header>
  );
}

/** Times are shown without seconds. */
const toMinute = (time: Instant): string => time.slice(0, 16);

/** Date, location, host, and the actions on the event. */
function Side({ event, club, now }: PartProps) {
  const share = useShare(event);
  const polled = isPolled(event, now);
  const open = !isCancelled(event) && !isClosed(event, now);
  // The host's main action is sharing the event, so that cancelling is never the only action.
  const hosting = actionFor(event, now) === 'cancel';
  const shareButton = (
    <Button variant="secondary" className="grow px-2.5! text-sm!" onClick={() => void share()}>
      <Share2 aria-hidden />
      {t('share')}
    </Button>
  );
  return (
    <Card className="flex flex-col gap-5 lg:sticky lg:top-24">
      <Fact icon={CalendarClock} label={t('dateAndTime')}>
        {polled ? (
          <p className="font-semibold">{ofPolls('notFixedYet')}</p>
        ) : (
          <EventTime event={event} now={now} />
        )}
        {open && !polled && (
          <p className="mt-2 text-sm text-muted">
            {toMinute(event.entry_until_time) === toMinute(event.start_time)
              ? t('signUpClosesAtStart')
              : t('signUpClosesAt', {
                  date: longDate(event.entry_until_time, now),
                  time: timeOfDay(event.entry_until_time),
                })}
          </p>
        )}
      </Fact>
      <Fact icon={MapPin} label={t('location')}>
        <p className="wrap-anywhere">
          <LinkedText text={event.location_name} />
        </p>
        <MapLink place={event.location_name} />
      </Fact>
      {event.host && (
        <Fact icon={UserRound} label={t('host')}>
          <HostLine host={event.host} attendees={event.attendees} />
          {club && isRunner(club.club_role, event) && !whyCannotHandOver(event, now) && (
            <HandOverButton event={event} />
          )}
        </Fact>
      )}
      {!polled && (
        <Fact icon={UsersRound} label={t('attendees')}>
          <CountsInWords
            event={event}
            now={now}
            isRunner={club !== undefined && isRunner(club.club_role, event)}
          />
        </Fact>
      )}
      <div className="flex flex-col gap-3 border-t border-line pt-5">
        <EventAction event={event} now={now} afterwards={home(club)}>
          {hosting && shareButton}
        </EventAction>
        {club && <AnswerDetails event={event} now={now} />}
        <div className="flex flex-wrap gap-2">
          {!isCancelled(event) && !hasEnded(event, now) && !polled && (
            <AddToCalendar event={event} className="grow px-2.5! text-sm!" />
          )}
          {!hosting && shareButton}
        </div>
      </div>
    </Card>
  );
}

type HostLineProps = { host: NonNullable<Event['host']>; attendees: Event['attendees'] };

function HostLine({ host, attendees }: HostLineProps) {
  const name = fullName({ first_name: host.host_first_name, last_name: host.host_last_name });
  const seed = attendees.find((each) => each.attendee_role === 'organiser')?.attendee_id ?? name;
  return (
    <p className="flex items-start gap-2 wrap-anywhere">
      <Avatar name={name} src={host.host_profile_picture_url} seed={seed} size="xs" />
      {name}
    </p>
  );
}

function Fact({ icon: Icon, label, children }: { icon: typeof MapPin; label: string; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <h2 className="sr-only">{label}</h2>
        {children}
      </div>
    </div>
  );
}

function Notices({ event, club }: Omit<PartProps, 'now'>) {
  const { conflicting_events: conflicts } = event;
  return (
    <div className="mb-6 flex flex-col gap-3 empty:hidden">
      <UndoChange event={event} />
      {isCancelled(event) && (
        <Banner tone="danger" title={t('eventIsCancelled')}>
          {t('eventIsCancelledText')}
        </Banner>
      )}
      {!club && (
        <Banner tone="accent" title={t('preview')}>
          {t('previewText', { club: event.club_name })}
        </Banner>
      )}
      {conflicts.length > 0 && !isCancelled(event) && (
        <Banner tone="warn" title={conflicts.length > 1 ? t('conflictingEvents') : t('conflictingEvent')}>
          {t('clashesWith')}
          <ul>
            {conflicts.map(({ slug, name }) => (
              <li key={slug}>
                <Link
                  to={`/app/events/${slug}`}
                  className="inline-block py-1 font-semibold text-accent underline underline-offset-4 wrap-anywhere"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </Banner>
      )}
    </div>
  );
}

function Text({ event: { description, details, deleted_at } }: { event: Event }) {
  const look = cn('max-w-prose whitespace-pre-line wrap-anywhere', deleted_at && 'text-muted line-through');
  return (
    <>
      {description && (
        <p className={cn('text-lg', look)}>
          <LinkedText text={description} />
        </p>
      )}
      {details && (
        <Section title={t('details')}>
          <p className={look}>
            <LinkedText text={details} />
          </p>
        </Section>
      )}
    </>
  );
}
