import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { DayPicker } from 'react-day-picker';
import { atWallTime, wallTime } from '#wire/wall-time.ts';
import { clockParts, MINUTE_STEP, withClock } from './date-time-text.ts';
import { fullDate, fullDateAndTime } from '#wire/format.ts';
import { Select } from './Select.tsx';
import { t } from '#ui/date-time-messages.ts';

const HOURS = Array.from({ length: 12 }, (_, place) => place + 1);
const MINUTES = Array.from({ length: 60 / MINUTE_STEP }, (_, place) => place * MINUTE_STEP);

const navigation = 'grid size-11 place-items-center rounded-full text-muted hover:bg-sunken hover:text-ink';

const looks = {
  months: 'relative',
  month_caption: 'flex h-11 items-center pl-2.5 font-semibold',
  nav: 'absolute top-0 right-0 flex',
  button_previous: navigation,
  button_next: navigation,
  month_grid: 'w-full table-fixed border-collapse',
  weekday: 'h-9 text-center text-xs font-medium text-muted',
  day: 'p-0 text-center',
  day_button:
    'mx-auto grid size-11 place-items-center rounded-full text-sm tabular-nums transition-colors hover:bg-sunken in-data-today:font-bold in-data-today:text-accent in-data-outside:text-muted in-data-selected:bg-accent in-data-selected:font-bold in-data-selected:text-accent-ink in-data-today:in-data-selected:text-accent-ink',
};

type PanelProps = { value: Date | null; onChange: (value: Date) => void; timeZone: string | undefined };

/** The calendar and clock of a DateTimeInput. A separate module, because the calendar is large and rarely needed. */
export default function DateTimePanel({ value, onChange, timeZone }: PanelProps) {
  const [today] = useState(() => dayOf(new Date(), timeZone));
  const selected = value ? dayOf(value, timeZone) : undefined;
  const pick = (day: Date) => {
    const noon = atWallTime(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate(), 12), timeZone);
    onChange(value ? withClock(noon, clockParts(value, timeZone), timeZone) : noon);
  };
  return (
    <>
      <DayPicker
        mode="single"
        required
        autoFocus
        showOutsideDays
        weekStartsOn={1}
        today={today}
        selected={selected}
        defaultMonth={selected}
        onSelect={pick}
        classNames={looks}
        components={{ Chevron }}
        labels={{ labelDayButton: (day, { today }) => (today ? `Today, ${fullDate(day)}` : fullDate(day)) }}
      />
      {value && <Clock value={value} onChange={onChange} timeZone={timeZone} />}
      <p role="status" className="mt-3 text-center text-sm text-muted">
        {value ? fullDateAndTime(value, timeZone) : t('chooseADay')}
      </p>
    </>
  );
}

/** The day of a date in the time zone, in the form that the calendar expects: noon in the time zone of the browser. */
function dayOf(date: Date, timeZone: string | undefined): Date {
  const wall = wallTime(date, timeZone);
  return new Date(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate(), 12);
}

function Chevron({ orientation }: { orientation?: 'up' | 'down' | 'left' | 'right' }) {
  const Icon = orientation === 'left' ? ChevronLeft : ChevronRight;
  return <Icon aria-hidden className="size-5" />;
}

function Clock({ value, onChange, timeZone }: PanelProps & { value: Date }) {
  const clock = clockParts(value, timeZone);
  const set = (part: Partial<typeof clock>) => onChange(withClock(value, { ...clock, ...part }, timeZone));
  // A typed minute between two steps stays in the options until another one is picked.
  const minutes = MINUTES.includes(clock.minute) ? MINUTES : [clock.minute, ...MINUTES];
  return (
    <div
      role="group"
      aria-label={t('time')}
      className="mt-2 grid grid-cols-3 gap-2 border-t border-line pt-3"
    >
      <Select
        aria-label={t('hour')}
        value={clock.hour}
        onChange={(event) => set({ hour: Number(event.target.value) })}
      >
        {HOURS.map((hour) => (
          <option key={hour}>{hour}</option>
        ))}
      </Select>
      <Select
        aria-label={t('minute')}
        value={clock.minute}
        onChange={(event) => set({ minute: Number(event.target.value) })}
      >
        {minutes.map((minute) => (
          <option key={minute} value={minute}>
            {String(minute).padStart(2, '0')}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t('amOrPm')}
        value={clock.half}
        onChange={(event) => set({ half: event.target.value === 'AM' ? 'AM' : 'PM' })}
      >
        <option>{t('am')}</option>
        <option>{t('pm')}</option>
      </Select>
    </div>
  );
}
