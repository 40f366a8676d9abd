import { useState } from 'react';
import { useUser } from '#web/useSession.ts';
import type { Attendee } from '#features/events/contract.ts';
import { sourceSet } from '#features/media/rules.ts';
import { fullName } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/answers/messages.ts';

/** Number of attendees before "Show all". A list that is only slightly longer is shown in full. */
const initialCount = 24;

type AttendeeListProps = { label: string; attendees: readonly Attendee[]; isNumbered?: boolean };

/** People of an event; its host has a badge. */
export function AttendeeList({ label, attendees, isNumbered = false }: AttendeeListProps) {
  const me = useUser().id;
  const List = isNumbered ? 'ol' : 'ul';
  const [showAll, setShowAll] = useState(attendees.length <= initialCount + 4);
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
      {!showAll && (
        <Button variant="secondary" className="mt-3" onClick={() => setShowAll(true)}>
          {t('showAll', { n: attendees.length })}
        </Button>
      )}
    </>
  );
}
