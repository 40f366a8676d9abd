import { ChevronDown } from 'lucide-react';
import { Link } from 'react-router';
import { CalendarsThatKnow } from '#features/events/answers/web/CalendarsThatKnow.tsx';
import type { Event } from '#features/events/contract.ts';
import { t } from '#features/events/reach/messages.ts';
import { fullName } from '#features/members/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Card } from '#ui/Card.tsx';

type Numbers = NonNullable<Event['reach']>;

/** How many people the last new time, new place or cancellation has reached, and whom it has not. For runners. */
export function Reach({ event, now }: { event: Event; now: Instant }) {
  const { reach } = event;
  if (!reach || event.start_time <= now) return null;
  const { all, reached, missing } = reach;
  const isTelling = missing === null && reached < all;
  return (
    <Card asChild className="mt-3 flex max-w-xl flex-col gap-1">
      <section>
        <p className="font-semibold tabular-nums">
          {isTelling ? t('telling', { n: all }) : t('reached', { n: reached, all })}
        </p>
        {missing && missing.length > 0 && <Missing slug={event.slug} missing={missing} n={all - reached} />}
        <How event={event} reach={reach} now={now} />
      </section>
    </Card>
  );
}

/** The names of some people, and a link to all of them if there are more. */
function Missing({
  slug,
  missing,
  n,
}: {
  slug: string;
  missing: NonNullable<Numbers['missing']>;
  n: number;
}) {
  const names = missing.map((person) =>
    t(person.why === 'not_delivered' ? 'notDelivered' : 'onItsWay', { name: fullName(person) }),
  );
  return (
    <>
      <p className="wrap-anywhere">{t('notReached', { names: names.join(', ') })}</p>
      {n > missing.length && (
        <Link
          to={`/app/events/${slug}/answers?list=unreached`}
          className="inline-flex min-h-11 items-center self-start font-semibold text-accent tabular-nums underline underline-offset-4"
        >
          {t('allNotReached', { n })}
        </Link>
      )}
    </>
  );
}

const kinds = ['answered', 'seen', 'calendar', 'push', 'email'] as const;

/** In a fold: how people were reached, and how many calendars know the change. */
function How({ event, reach: { by }, now }: { event: Event; reach: Numbers; now: Instant }) {
  const ways = kinds.flatMap((kind) => (by && by[kind] > 0 ? [t(kind, { n: by[kind] })] : []));
  if (ways.length === 0 && !event.calendars) return null;
  return (
    <details className="group -mb-3 text-sm text-muted open:mb-0">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-1 [&::-webkit-details-marker]:hidden">
        {t('how')}
        <ChevronDown aria-hidden className="size-4 transition-transform group-open:rotate-180" />
      </summary>
      {ways.length > 0 && <p className="tabular-nums">{ways.join(', ')}</p>}
      <CalendarsThatKnow event={event} now={now} className="mt-1" />
    </details>
  );
}
