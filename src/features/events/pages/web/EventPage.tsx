import { Pencil } from 'lucide-react';
import { Suspense } from 'react';
import { Link, useLocation } from 'react-router';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { usePreview } from '#web/usePreview.ts';
import { useTitle } from '#web/useTitle.ts';
import { Reach } from '#features/events/reach/web/LazyReach.tsx';
import { EventMenu, Headcount, RunnerCounts } from '#features/events/answers/web/LazyRunnerParts.tsx';
import { People } from '#features/events/answers/web/People.tsx';
import type { Event } from '#features/events/contract.ts';
import { isCancelled, isClosed, isFull, isHosting, isPolled } from '#features/events/rules.ts';
import { isRunner } from '#features/members/rules.ts';
import { SeenByVisit } from '#features/notifications/web/SeenByVisit.tsx';
import type { ClubOfUser } from '#features/users/contract.ts';
import { AfterHydration } from '#web/AfterHydration.tsx';
import { Banner } from '#ui/Banner.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { hueOf } from '#wire/hue.ts';
import { BackButton } from '#ui/PageHeader.tsx';
import { Section } from '#ui/Section.tsx';
import { LinkedText } from '#ui/LinkedText.tsx';
import { DateTile } from '#features/events/web/DateTile.tsx';
import { EventCover } from '#features/events/web/EventCover.tsx';
import { FollowButtons } from '#features/events/web/FollowButtons.tsx';
import { EventTags } from '#features/events/web/EventTags.tsx';
import { reasonOfLast } from '#features/events/web/ReasonInWords.tsx';
import { Enough, ForWhom } from '#features/events/web/LazyForWhom.tsx';
import { useEvent } from '#features/events/web/useEvent.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import { t } from '#features/events/messages.ts';
import { EventFacts, type EventPartProps, homeOf } from './EventFacts.tsx';
import { AskHosts } from '#features/events/questions/web/AskHosts.tsx';
import { hasMessages, hasQuestions, Messages, needsSections, Poll, Questions } from './LazyEventParts.tsx';

const Slots = lazyPart(() =>
  import('#features/events/slots/web/Slots.tsx').then((module) => ({ default: module.Slots })),
);
const Changes = lazyPart(() =>
  import('#features/events/web/Changes.tsx').then((module) => ({ default: module.Changes })),
);
const UndoChange = lazyPart(() =>
  import('#features/events/web/UndoChange.tsx').then((module) => ({ default: module.UndoChange })),
);

export default function EventPage() {
  const { event, club } = useEvent();
  const now = useNow();
  useTitle(event.name);
  usePreview(event.name, event.description);
  const text = <Text key="text" event={event} />;
  const people = club && !isPolled(event, now) && (
    <People key="people" event={event} now={now}>
      {isRunner(club, event) && (
        <Suspense>
          <RunnerCounts event={event} now={now} />
        </Suspense>
      )}
    </People>
  );
  return (
    <article data-hue={hueOf(event.owner_club_id)}>
      <Head event={event} club={club} now={now} />
      <Notices event={event} club={club} />
      {club && isPolled(event, now) && (
        <Suspense>
          <Poll event={event} club={club} now={now} />
        </Suspense>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_22rem] lg:gap-10">
        <EventFacts event={event} club={club} now={now} />
        <div className="flex min-w-0 flex-col gap-8 lg:order-first">
          {club && hasMessages(event) && (
            <Suspense>
              <Messages event={event} />
            </Suspense>
          )}
          {/* A host knows what the event is about, and a member decides by who is coming. */}
          {isHosting(event) ? [text, people] : [people, text]}
          {club && hasQuestions(event) && (
            <Suspense>
              <Questions event={event} club={club} now={now} />
            </Suspense>
          )}
          {club && <AskHosts event={event} now={now} />}
          {club && (
            <AfterHydration>
              <SeenByVisit key={event.id} event={event.slug} />
              <Slots event={event} club={club} />
              <Changes event={event} now={now} />
            </AfterHydration>
          )}
        </div>
      </div>
    </article>
  );
}

/** Goes back one page, or two to skip the form if the viewer just created or edited the event. */
function useBackFromEvent(club: ClubOfUser | undefined): () => void {
  const { from } = (useLocation().state ?? {}) as { from?: string };
  return useBack(homeOf(club), from && /new-event|edit/.test(from) ? 2 : 1);
}

function Head({ event, club, now }: EventPartProps) {
  const back = useBackFromEvent(club);
  const cancelled = isCancelled(event);
  const isFullAndOpen = isFull(event) && !cancelled && !isClosed(event, now);
  return (
    <header className="mb-4 sm:mb-8">
      <div className="mb-1 flex flex-wrap items-center justify-between gap-3 sm:mb-3">
        <BackButton onClick={back} />
        {/* On a phone, the menu in the bar of the host has these actions. */}
        <div className={cn('flex flex-wrap items-center gap-3', isHosting(event) && 'max-lg:hidden')}>
          {club && <FollowButtons event={event} now={now} />}
          {club?.is_planner && !cancelled && (
            <Button asChild variant="secondary" className="offline:hidden">
              <Link to={`/app/events/edit/${event.slug}`}>
                <Pencil aria-hidden />
                {t('edit')}
              </Link>
            </Button>
          )}
          {club && isRunner(club, event) && (
            <Suspense>
              <EventMenu event={event} club={club} now={now} className="-mr-2" />
            </Suspense>
          )}
        </div>
      </div>
      <EventCover event={event} />
      <div className="flex items-start gap-4 sm:gap-5">
        <DateTile event={event} now={now} className="relative -mt-6 ml-3 ring-4 ring-bg sm:ml-5 sm:w-18" />
        <div className="min-w-0 pt-2">
          <div className="flex items-center gap-2">
            {isFullAndOpen && <span className="text-sm font-semibold">{t('full')}</span>}
            <EventTags event={event} now={now} />
          </div>
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
              <Link to={homeOf(club)} className="underline underline-offset-4 hover:text-ink">
                {event.club_name}
              </Link>
            ) : (
              <span>{event.club_name}</span>
            )}
            {event.series && (
              <span>
                {' · '}
                <Link
                  to={`/app/series/${event.series.slug}`}
                  className="underline underline-offset-4 hover:text-ink"
                >
                  {repeatText(event.series)}
                </Link>
              </span>
            )}
          </p>
          {club && needsSections(event) && (
            <Suspense>
              <ForWhom event={event} />
              {!cancelled && <Enough event={event} />}
            </Suspense>
          )}
        </div>
      </div>
      {club && isRunner(club, event) && (
        <Suspense>
          <Headcount event={event} club={club} now={now} />
          {event.reach && <Reach event={event} now={now} />}
        </Suspense>
      )}
    </header>
  );
}

function Notices({ event, club }: Omit<EventPartProps, 'now'>) {
  const { conflicting_events: conflicts } = event;
  const why = reasonOfLast(event.changes, ({ kind }) => kind === 'cancelled');
  return (
    <div className="mb-6 flex flex-col gap-3 empty:hidden">
      <AfterHydration>
        <UndoChange event={event} />
      </AfterHydration>
      {isCancelled(event) && (
        <Banner tone="danger" title={t('eventIsCancelled')}>
          {why && <p className="font-semibold wrap-anywhere">{why}</p>}
          <p>{t('eventIsCancelledText')}</p>
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
