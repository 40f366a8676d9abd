import { MessageCircleQuestionMark } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { Event } from '#features/events/contract.ts';
import { whyCannotAskHosts } from '#features/events/questions/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { AskSheet } from './LazyQuestionParts.tsx';
import { t } from '#features/events/questions/messages.ts';

/** Asks the hosts of an event. Absent for hosts, and once nobody can ask any more. */
export function AskHosts({ event, now }: { event: Event; now: Instant }) {
  const [isOpen, setOpen] = useState(false);
  if (event.my_role === 'organiser' || whyCannotAskHosts(event, now)) return null;
  return (
    <div>
      <Button variant="secondary" size="sm" className="offline:hidden" onClick={() => setOpen(true)}>
        <MessageCircleQuestionMark aria-hidden />
        {t('askTheHosts')}
      </Button>
      {isOpen && (
        <Suspense>
          <AskSheet event={event} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
