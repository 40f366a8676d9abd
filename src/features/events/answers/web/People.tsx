import { ChevronDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { AfterHydration } from '#web/AfterHydration.tsx';
import { useUser } from '#web/useSession.ts';
import type { Event } from '#features/events/contract.ts';
import type { Attendee } from '#features/events/people-contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import { fullName } from '#features/members/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { AvatarStack } from '#ui/AvatarStack.tsx';
import { Section } from '#ui/Section.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { t } from '#features/events/answers/messages.ts';

const AttendeeList = lazyPart(() =>
  import('./AttendeeList.tsx').then((module) => ({ default: module.AttendeeList })),
);

type PeopleProps = {
  event: Event;
  now: Instant;
  /** What the hosts know about these people. */
  children?: ReactNode;
};

/** The maximum number of faces above the folded names. */
const maxFaces = 8;

/** The faces of the people who are going. Unfolds to the names of all people, grouped by their answer. */
export function People({ event, now, children }: PeopleProps) {
  const { user_count, attendees, waiting, maybe } = event;
  const me = useUser().id;
  const [isOpen, setOpen] = useState(false);
  const isOver = hasEnded(event, now);
  const isPast = isOver || isCancelled(event);
  const faces = viewerSecond(attendees, me).slice(0, maxFaces);
  const others = user_count - faces.length;
  const lists = [
    { answer: 'going', title: t('going'), count: user_count, people: attendees, from: event.more_attendees },
    {
      answer: 'waiting',
      title: t('waiting'),
      count: event.waiting_count,
      people: waiting,
      from: event.more_waiting,
    },
    { answer: 'maybe', title: t('maybe'), count: event.maybe_count, people: maybe, from: event.more_maybe },
  ] as const;
  const shown = lists.filter(({ answer, people }) => people.length > 0 && (answer === 'going' || !isPast));
  const title = isCancelled(event) ? t('whoWasGoing') : isOver ? t('whoWent') : t('whoIsComing');
  return (
    <div>
      {shown.length === 0 && (
        <Section title={title}>
          <p className="text-muted">{t('nobodyGoing')}</p>
        </Section>
      )}
      {shown.length > 0 && (
        <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary className="cursor-pointer list-none rounded-md [&::-webkit-details-marker]:hidden">
            <div className="flex min-h-11 flex-wrap items-center gap-x-3">
              <h2 className="text-xl font-bold">{title}</h2>
              <span className="ml-auto inline-flex items-center gap-1 text-sm font-semibold text-accent">
                {t('allNames')}
                <ChevronDown aria-hidden className="size-5 transition-transform group-open:rotate-180" />
              </span>
            </div>
            <p aria-hidden className="flex items-center gap-2 pt-1 font-semibold text-muted tabular-nums">
              <AvatarStack size="sm" people={faces.map(pictureOf)} />
              <span>{others > 0 && `+${others}`}</span>
            </p>
          </summary>
          <div className="flex flex-col gap-6 pt-3">
            <AfterHydration>
              {shown.map(({ answer, title, count, people, from }) => {
                const list = (
                  <AttendeeList
                    key={answer}
                    label={answer === 'going' ? t('attendees') : title}
                    event={event.slug}
                    answer={answer}
                    attendees={people}
                    from={from}
                    isOpen={isOpen}
                    isNumbered={answer === 'waiting'}
                  />
                );
                return isPast ? (
                  list
                ) : (
                  <Section key={answer} title={title} count={count}>
                    {list}
                  </Section>
                );
              })}
            </AfterHydration>
          </div>
        </details>
      )}
      <div className="contents">{children}</div>
    </div>
  );
}

/** The host stays first, then comes the viewer, whose face appears as soon as they are going. */
function viewerSecond(attendees: readonly Attendee[], me: string): Attendee[] {
  const rank = ({ attendee_id, attendee_role }: Attendee) =>
    attendee_role === 'organiser' ? 0 : attendee_id === me ? 1 : 2;
  return [...attendees].sort((one, other) => rank(one) - rank(other));
}

const pictureOf = (person: Attendee) => ({
  name: fullName(person),
  src: person.profile_picture_url,
  seed: person.attendee_id,
});
