import { CalendarPlus, Check } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { useNow } from '#web/useNow.ts';
import { InviteMembers } from '#features/invites/web/InviteMembers.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { ClubCalendar } from './ClubCalendar.tsx';
import { useFirstSteps, useHideOnceComplete } from './useFirstSteps.ts';
import { t } from '#features/clubs/first-steps-messages.ts';
import type { Elements } from '#ui/elements.ts';

/** A club with other members and an event needs no first steps after 14 days. */
const isOld = ({ created_at }: Club, now: Instant) => created_at < addSeconds(now, -14 * 24 * 3600);

/** Three steps that the founder of a new club ticks off by taking them. They are hidden for good when all are done. */
export function FirstSteps({ club }: { club: Club }) {
  const heading = useId();
  const change = useFirstSteps(club);
  const invited = club.first_steps?.invited === true || club.member_count > 1;
  const planned = club.event_count > 0;
  const added = club.first_steps?.calendar_added === true;
  const now = useNow();
  const isUnderWay = club.member_count > 1 && planned && isOld(club, now);
  const isComplete = isUnderWay || (invited && planned && added);
  useHideOnceComplete(club, isComplete);
  if (isComplete) return null;
  const looks = { variant: 'secondary', size: 'sm' } as const;
  return (
    <Card asChild flush>
      <section aria-labelledby={heading}>
        <div className="flex items-center justify-between gap-4 py-1 pr-2 pl-4 sm:pl-5">
          <h2 id={heading} className="font-bold">
            {t('title')}
          </h2>
          <Button variant="ghost" size="sm" onClick={() => change.mutate(null)}>
            {t('hide')}
          </Button>
        </div>
        <ol className="divide-y divide-line border-t border-line">
          <Step done={invited} text={t('inviteSomeone')}>
            <InviteMembers club={club} label={t('invite')} {...looks} />
          </Step>
          <Step done={planned} text={t('planAnEvent')}>
            <Button asChild {...looks}>
              <Link to={`/app/${club.slug}/new-event`}>
                <CalendarPlus aria-hidden />
                {t('plan')}
              </Link>
            </Button>
          </Step>
          <Step done={added} text={t('addTheCalendar')}>
            <ClubCalendar club={club} label={t('add')} {...looks} />
          </Step>
        </ol>
      </section>
    </Card>
  );
}

function Step({ done, text, children }: { done: boolean; text: string; children: Elements }) {
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-x-3 py-1 pr-2 pl-4 sm:pl-5">
      <span
        className={`grid size-5 shrink-0 place-items-center rounded-full border ${done ? 'border-accent bg-accent text-accent-ink' : 'border-control'}`}
      >
        {done && <Check aria-hidden className="size-3.5" strokeWidth={3} />}
      </span>
      <span className={`min-w-0 flex-1 basis-[8em] ${done ? 'text-muted line-through' : ''}`}>
        {text}
        {done && <span className="sr-only"> {t('done')}</span>}
      </span>
      {!done && <span className="ml-auto">{children}</span>}
    </li>
  );
}
