import { Mail } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Event } from '#features/events/contract.ts';
import { listsFor } from '#features/updates/form-rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { MessageSheet } from './LazyMessageParts.tsx';
import { t } from '#features/updates/messages.ts';

/** Writes a message about an event. Absent if the viewer, who runs the event, may write to nobody. */
export function MessageButton({ event, club, now }: { event: Event; club: ClubOfUser; now: Instant }) {
  const [isOpen, setOpen] = useState(false);
  if (listsFor(event, club, now).length === 0) return null;
  return (
    <>
      <Button variant="secondary" size="sm" className="offline:hidden" onClick={() => setOpen(true)}>
        <Mail aria-hidden />
        {t('message')}
      </Button>
      {isOpen && (
        <Suspense>
          <MessageSheet event={event} club={club} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
