import { queries } from '#web/queries.ts';
import { uniqueBy, useMore } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import { sourceSet } from '#wire/pictures.ts';
import { fullName, ownName } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { useJoined } from '#ui/useJoined.ts';
import { t } from '#features/events/answers/messages.ts';

/** The number of names that are rendered before the list is opened. */
const initialCount = 24;

type AttendeeListProps = {
  label: string;
  /** The slug of the event. */
  event: string;
  answer: 'going' | 'waiting' | 'maybe';
  /** The first page of attendees. */
  attendees: readonly Attendee[];
  /** The cursor of the next page. */
  from: string | null;
  /** Whether the names are visible. */
  isOpen: boolean;
  isNumbered: boolean;
};

/** The people who gave one answer to an event. The host has a badge. */
export function AttendeeList({
  label,
  event,
  answer,
  attendees: first,
  from,
  isOpen,
  isNumbered,
}: AttendeeListProps) {
  const me = useUser().id;
  const List = isNumbered ? 'ol' : 'ul';
  const more = useMore(from, queries.morePeople(event, answer, from ?? ''));
  const attendees = uniqueBy('attendee_id', [...first, ...more.pages.flatMap(({ people }) => people)]);
  const hasJoined = useJoined(attendees.map(({ attendee_id }) => attendee_id));
  return (
    <>
      <List aria-label={label} className="grid gap-x-8 sm:grid-cols-2">
        {(isOpen ? attendees : attendees.slice(0, initialCount)).map((attendee, at) => (
          <li key={attendee.attendee_id} className="flex min-h-15 min-w-0 items-center gap-3 py-2">
            {isNumbered && <span className="min-w-6 text-right text-muted tabular-nums">{at + 1}.</span>}
            <Avatar
              name={ownName(attendee)}
              src={attendee.profile_picture_url}
              srcSet={sourceSet(attendee.profile_picture_url, 'person')}
              seed={attendee.attendee_id}
              previous={attendees[at - 1]?.attendee_id}
              className={attendee.attendee_id === me && hasJoined(me) ? 'animate-join' : ''}
              size="md"
            />
            <span className="min-w-0 font-medium wrap-anywhere">
              {fullName(attendee)}
              {attendee.guests > 0 && <Guests n={attendee.guests} />}
              {attendee.attendee_id === me && <span className="font-normal text-muted"> {t('you')}</span>}
            </span>
            {attendee.attendee_role === 'organiser' && (
              <Badge tone="accent" className="shrink-0">
                {t('host')}
              </Badge>
            )}
          </li>
        ))}
      </List>
      {more.hasMore && (
        <ShowMore className="mt-3 items-start" busy={more.busy} failed={more.failed} onPress={more.load}>
          {t('showMore')}
        </ShowMore>
      )}
    </>
  );
}

/** The guests of a member, beside the member's name: 'Ana +1'. */
const Guests = ({ n }: { n: number }) => (
  <>
    <span aria-hidden className="text-muted tabular-nums">
      {' '}
      +{n}
    </span>
    <span className="sr-only"> {t('plusGuests', { n })}</span>
  </>
);
