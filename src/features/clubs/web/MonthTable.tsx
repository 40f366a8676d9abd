import { Link } from 'react-router';
import { monthAfter } from '#features/clubs/rules.ts';
import type { EventCard } from '#features/events/contract.ts';
import { isCancelled, isPolled } from '#features/events/rules.ts';
import { stateWords } from '#features/events/answers/web/AttendButton.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { firstDayOfWeek } from '#ui/first-day-of-week.ts';
import { dayKey, fullDate, monthYear, timeOfDay, weekdayName } from '#wire/format.ts';
import { groupBy } from '#wire/group-by.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { t } from '#features/clubs/messages.ts';
import { t as ofEvents } from '#features/events/home-messages.ts';

const day = 24 * 60 * 60_000;

/** The days of a month by weeks, with the days of other months that complete the first and the last week. */
function weeksOf(month: string): string[][] {
  const [first, end] = [Date.parse(month), Date.parse(monthAfter(month))];
  const before = (new Date(first).getUTCDay() - firstDayOfWeek() + 7) % 7;
  const weeks: string[][] = [];
  for (let start = first - before * day; start < end; start += 7 * day)
    weeks.push(Array.from({ length: 7 }, (_, n) => instant(start + n * day).slice(0, 10)));
  return weeks;
}

type MonthTableProps = { month: string; events: readonly EventCard[]; now: Instant; busy: boolean };

/** The events of a month as a table with a row for each week. */
export function MonthTable({ month, events, now, busy }: MonthTableProps) {
  const weeks = weeksOf(month);
  const byDay = groupBy(events, ({ start_time }) => dayKey(start_time));
  return (
    <Card flush>
      <table aria-busy={busy || undefined} className="w-full table-fixed border-collapse">
        <caption className="sr-only">{t('eventsInMonth', { month: monthYear(month, 'UTC') })}</caption>
        <thead>
          <tr>
            {weeks[0]?.map((date) => (
              <th key={date} scope="col" className="px-2 py-2 text-left text-xs font-semibold text-muted">
                {weekdayName(new Date(date).getUTCDay() || 7)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]} className="border-t border-line">
              {week.map((date) => (
                <td key={date} className="h-24 border-l border-line p-1 align-top first:border-l-0">
                  {date.startsWith(month) && (
                    <>
                      <DayNumber date={date} isToday={date === dayKey(now)} />
                      <ul className="grid gap-1">
                        {byDay.get(date)?.map((event) => (
                          <li key={event.id}>
                            <EventLink event={event} now={now} />
                          </li>
                        ))}
                      </ul>
                    </>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const DayNumber = ({ date, isToday }: { date: string; isToday: boolean }) => (
  <p
    className={cn(
      'mb-1 grid size-6 place-items-center rounded-full text-xs tabular-nums',
      isToday ? 'bg-accent font-bold text-accent-ink' : 'text-muted',
    )}
  >
    <span className="sr-only">{fullDate(date, 'UTC')}</span>
    <span aria-hidden>{Number(date.slice(8))}</span>
  </p>
);

function EventLink({ event, now }: { event: EventCard; now: Instant }) {
  const { slug, name, start_time, my_answer } = event;
  return (
    <Link
      to={`/app/events/${slug}`}
      className={cn(
        'block rounded-sm px-1.5 py-1 text-xs leading-tight wrap-anywhere hover:underline',
        my_answer === 'going' ? 'bg-accent-soft text-accent-strong' : 'bg-sunken',
        isCancelled(event) && 'text-muted line-through',
      )}
    >
      <span className="block">{isPolled(event, now) ? ofEvents('timePoll') : timeOfDay(start_time)}</span>{' '}
      <span className="font-semibold">{name}</span>
      {my_answer && <span className="sr-only"> {stateWords()[my_answer]}</span>}
    </Link>
  );
}
