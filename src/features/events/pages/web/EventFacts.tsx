import { CalendarClock, MapPin, Share2, UserRound, UsersRound } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { CountsInWords } from '#features/events/answers/web/CountsInWords.tsx';
import { CancelEvent, EventOver, TakeOverButton } from '#features/events/answers/web/LazyRunnerParts.tsx';
import { AddToCalendar } from '#features/calendar/web/AddToCalendar.tsx';
import { hostAction } from '#features/events/checkins/rules.ts';
import type { Event } from '#features/events/contract.ts';
import { whyCannotChangeHosts } from '#features/events/form-rules.ts';
import { actionFor, hasEnded, isCancelled, isClosed, isHosting, isPolled } from '#features/events/rules.ts';
import { fullName, isRunner, ownName } from '#features/members/rules.ts';
import { t as ofPolls } from '#features/events/polls/messages.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { barButton } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { longDate, timeOfDay } from '#wire/format.ts';
import { LinkedText } from '#ui/LinkedText.tsx';
import { EventAction } from '#features/events/answers/web/EventAction.tsx';
import { EventTime } from '#features/events/web/EventTime.tsx';
import { MapLink } from '#features/events/web/MapLink.tsx';
import { useShare } from '#features/events/web/useShare.ts';
import { t } from '#features/events/messages.ts';

export type EventPartProps = {
  event: Event;
  /** The club of the event if the viewer is a member. */
  club: ClubOfUser | undefined;
  now: Instant;
};

/** The page above that of an event. */
export const homeOf = (club: ClubOfUser | undefined): string => (club ? `/app/clubs/${club.slug}` : '/app');

/** Times are shown without seconds. */
const toMinute = (time: Instant): string => time.slice(0, 16);

/** Date, location, host, and the actions on the event. */
export function EventFacts({ event, club, now }: EventPartProps) {
  const share = useShare(event);
  const polled = isPolled(event, now);
  const open = !isCancelled(event) && !isClosed(event, now);
  const hosts = isHosting(event);
  const shareButton = (
    <Button
      variant="secondary"
      className={hosts ? barButton : 'grow px-2.5! text-sm!'}
      onClick={() => void share()}
    >
      <Share2 aria-hidden />
      {t('share')}
    </Button>
  );
  return (
    <Card className="flex flex-col gap-5 lg:sticky lg:top-24">
      <Fact icon={CalendarClock} label={t('dateAndTime')}>
        {polled ? (
          <p className="font-semibold">{ofPolls('notChosenYet')}</p>
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
          <HostLines host={event.host} attendees={event.attendees} />
          {club?.is_planner && !hosts && !whyCannotChangeHosts(event, now) && (
            <Suspense>
              <TakeOverButton event={event} />
            </Suspense>
          )}
        </Fact>
      )}
      {!polled && (
        <Fact icon={UsersRound} label={t('attendees')}>
          <CountsInWords event={event} now={now} isRunner={club !== undefined && isRunner(club, event)} />
        </Fact>
      )}
      <Suspense>
        {actionFor(event, now) === 'cancel' && <CancelEvent event={event} afterwards={homeOf(club)} />}
        {hosts && isClosed(event, now) && hostAction(event, now) === 'check_in' && <EventOver />}
      </Suspense>
      <div className="flex flex-col gap-3 border-t border-line pt-5">
        <EventAction event={event} now={now} club={club}>
          {shareButton}
        </EventAction>
        <div className="flex flex-wrap gap-2">
          {!isCancelled(event) && !hasEnded(event, now) && !polled && (
            <AddToCalendar event={event} className="grow px-2.5! text-sm!" />
          )}
          {!hosts && shareButton}
        </div>
      </div>
    </Card>
  );
}

type HostLinesProps = { host: NonNullable<Event['host']>; attendees: Event['attendees'] };

/** The hosts, the first host first. */
function HostLines({ host, attendees }: HostLinesProps) {
  const first = {
    attendee_id: host.host_first_name,
    first_name: host.host_first_name,
    last_name: host.host_last_name,
    profile_picture_url: host.host_profile_picture_url,
  };
  const hosts = attendees.filter(({ attendee_role }) => attendee_role === 'organiser');
  return (hosts.length > 0 ? hosts : [first]).map((each) => (
    <p key={each.attendee_id} className="flex items-start gap-2 not-first-of-type:mt-1 wrap-anywhere">
      <Avatar name={ownName(each)} src={each.profile_picture_url} seed={each.attendee_id} size="xs" />
      <span>{fullName(each)}</span>
    </p>
  ));
}

function Fact({ icon: Icon, label, children }: { icon: typeof MapPin; label: string; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <h2 className="sr-only">{label}</h2>
        <div className="contents">{children}</div>
      </div>
    </div>
  );
}
