import { useState } from 'react';
import { queries } from '#web/queries.ts';
import { uniqueBy, useMore } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import { sourceSet } from '#wire/pictures.ts';
import { fullName } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { t } from '#features/events/answers/messages.ts';

/** Number of attendees before "Show all". A list that is only slightly longer is shown in full. */
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
  isNumbered?: boolean;
};

/** The people who gave one answer to an event. The host has a badge. */
export function AttendeeList({
  label,
  event,
  answer,
  attendees: first,
  from,
  isNumbered = false,
}: AttendeeListProps) {
  const me = useUser().id;
  const List = isNumbered ? 'ol' : 'ul';
  const more = useMore(from, queries.morePeople(event, answer, from ?? ''));
  const attendees = uniqueBy('attendee_id', [...first, ...more.pages.flatMap(({ people }) => people)]);
  const [showAll, setShowAll] = useState(first.length <= initialCount + 4);
  return (
    <>
      <List aria-label={label} className="grid gap-x-8 sm:grid-cols-2">
        {(showAll ? attendees : attendees.slice(0, initialCount)).map((attendee, at) => (
          <li key={attendee.attendee_id} className="flex min-h-15 min-w-0 items-center gap-3 py-2">
            {isNumbered && <span className="min-w-6 text-right text-muted tabular-nums">{at + 1}.</span>}
            <Avatar
              name={fullName(attendee)}
              src={attendee.profile_picture_url}
              srcSet={sourceSet(attendee.profile_picture_url, 'person')}
              seed={attendee.attendee_id}
              size="md"
            />
            <span className="min-w-0 font-medium wrap-anywhere">
              {fullName(attendee)}
              {attendee.attendee_id === me && <span className="font-normal text-muted"> {t('you')}</span>}
            </span>
            {attendee.attendee_role === 'organiser' && (
              <Badge tone="accent" className="shrink-0">
                {t('organiser')}
              </Badge>
            )}
          </li>
        ))}
      </List>
      {(!showAll || more.hasMore) && (
        <ShowMore
          className="mt-3 items-start"
          busy={showAll && more.busy}
          failed={more.failed}
          onPress={showAll ? more.load : () => setShowAll(true)}
        >
          {more.hasMore ? t('showMore') : t('showAll', { n: attendees.length })}
        </ShowMore>
      )}
    </>
  );
}
