import { CalendarPlus, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useNow } from '#app/web/useNow.ts';
import type { EventCard as EventOnCard } from '#features/events/contract.ts';
import { type Phase, phaseOf } from '#features/events/rules.ts';
import { EventCard } from '#features/events/web/EventCard.tsx';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Section } from '#ui/Section.tsx';

/** How many past ones are shown before the rest is asked for. */
const firstPast = 4;

const groups = [
  { phase: 'upcoming', title: 'Upcoming' },
  { phase: 'in_progress', title: 'In Progress' },
  { phase: 'previous', title: 'Previous' },
] as const satisfies { phase: Phase; title: string }[];

type ClubEventsProps = { slug: string; events: readonly EventOnCard[]; admin: boolean };

/** What the club does, by whether it is still to come. */
export function ClubEvents({ slug, events, admin }: ClubEventsProps) {
  const now = useNow();
  const byPhase = Map.groupBy(events, (event) => phaseOf(event, now));
  const plan = (label: string) => (
    <Button asChild size={events.length > 0 ? 'sm' : 'md'}>
      <Link to={`/app/${slug}/new-event`}>
        <Plus aria-hidden />
        {label}
      </Link>
    </Button>
  );
  return (
    <Section
      title="Events"
      count={events.length}
      collapsible="mobile"
      actions={admin && events.length > 0 && plan('New event')}
    >
      {events.length === 0 ? (
        <EmptyState
          icon={CalendarPlus}
          title={admin ? 'Plan your first event' : 'Nothing planned yet'}
          text={
            admin
              ? 'Your members see it here at once, and in the calendar apps they use.'
              : 'Events will show up here as soon as an admin plans one.'
          }
          action={admin && plan('New event')}
          className="rounded-xl border border-dashed border-line"
        />
      ) : (
        <div className="flex flex-col gap-8">
          {groups.map(({ phase, title }) => (
            <Group key={phase} title={title} events={inOrder(byPhase.get(phase) ?? [], phase)} now={now} />
          ))}
        </div>
      )}
    </Section>
  );
}

/** The nearest first: of what has ended, that is the latest. */
const inOrder = (events: readonly EventOnCard[], phase: Phase) =>
  events.toSorted((a, b) =>
    phase === 'previous'
      ? b.start_time.localeCompare(a.start_time)
      : a.start_time.localeCompare(b.start_time),
  );

type GroupProps = { title: string; events: readonly EventOnCard[]; now: Instant };

function Group({ title, events, now }: GroupProps) {
  const [all, setAll] = useState(false);
  const shown = all || title !== 'Previous' ? events : events.slice(0, firstPast);
  if (events.length === 0) return null;
  return (
    <section tabIndex={-1} aria-label={title} className="outline-none">
      <h3 className="mb-3 text-sm font-semibold text-muted">{title}</h3>
      <ul className="grid gap-4">
        {shown.map((event) => (
          <li key={event.id}>
            <EventCard event={event} now={now} />
          </li>
        ))}
      </ul>
      {shown.length < events.length && (
        <Button variant="secondary" className="mt-4 w-full" onClick={() => setAll(true)}>
          Show all {events.length} previous events
        </Button>
      )}
    </section>
  );
}
