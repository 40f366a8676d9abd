import { useState } from 'react';
import { useUser } from '#web/useSession.ts';
import type { Attendee } from '#features/events/contract.ts';
import { sourceSet } from '#features/media/rules.ts';
import { fullName } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';

/** How many stand there before one asks for all; a few more than these are shown at once. */
const shownAtFirst = 24;

/** Who goes, the organiser marked. */
export function AttendeeList({ attendees }: { attendees: readonly Attendee[] }) {
  const me = useUser().id;
  const [all, setAll] = useState(attendees.length <= shownAtFirst + 4);
  return (
    <>
      <ul aria-label="Attendees" className="grid gap-x-8 sm:grid-cols-2">
        {(all ? attendees : attendees.slice(0, shownAtFirst)).map((attendee) => (
          <li key={attendee.attendee_id} className="flex min-h-15 min-w-0 items-center gap-3 py-2">
            <Avatar
              name={fullName(attendee)}
              src={attendee.profile_picture_url}
              srcSet={sourceSet(attendee.profile_picture_url, 'person')}
              seed={attendee.attendee_id}
              size="md"
            />
            <span className="min-w-0 font-medium wrap-anywhere">
              {fullName(attendee)}
              {attendee.attendee_id === me && <span className="font-normal text-muted"> (you)</span>}
            </span>
            {attendee.attendee_role === 'organiser' && (
              <Badge tone="accent" className="shrink-0">
                Organiser
              </Badge>
            )}
          </li>
        ))}
      </ul>
      {!all && (
        <Button variant="secondary" className="mt-3" onClick={() => setAll(true)}>
          Show all {attendees.length}
        </Button>
      )}
    </>
  );
}
