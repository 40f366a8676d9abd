import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { DayPicker, type Modifiers } from 'react-day-picker';
import { atWallTime, wallTime } from '#wire/wall-time.ts';
import { cn } from './class-names.ts';
import { DEFAULT_TIME } from './date-time-text.ts';
import { weekdayName } from './date-words.ts';
import { firstDayOfWeek } from './first-day-of-week.ts';
import { fullDate, fullDateAndTime, monthYear } from '#wire/format.ts';
import { hasHalfDays, look } from '#wire/look.ts';
import { Select } from './Select.tsx';
import { t } from '#ui/date-time-messages.ts';
import { serverTime } from '#wire/server-time.ts';

const MINUTE_STEP = 5;
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
  const [today] = useState(() => dayOf(new Date(serverTime()), timeZone));
  const selected = value ? dayOf(value, timeZone) : undefined;
  const pick = (day: Date) => {
    const wall = value ? wallTime(value, timeZone) : new Date(DEFAULT_TIME);
    wall.setUTCFullYear(day.getFullYear(), day.getMonth(), day.getDate());
    onChange(atWallTime(wall.setUTCSeconds(0, 0), timeZone));
  };
  return (
    <>
      <DayPicker
        mode="single"
        required
        autoFocus
        showOutsideDays
        lang={look().language}
        weekStartsOn={firstDayOfWeek()}
        today={today}
        selected={selected}
        defaultMonth={selected}
        onSelect={pick}
        classNames={looks}
        components={{ Chevron }}
        formatters={formatters}
        labels={labels}
      />
      {value && <Clock value={value} onChange={onChange} timeZone={timeZone} />}
      <p role="status" className="mt-3 text-center text-sm text-muted">
        {value ? fullDateAndTime(value, timeZone) : t('chooseADay')}
      </p>
    </>
  );
}

/** The calendar passes days as dates in the time zone of the browser, which can differ from that of the reader. */
const inUtc = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());

const formatters = {
  formatCaption: (month: Date) => monthYear(inUtc(month), 'UTC'),
  formatWeekdayName: (day: Date) => weekdayName(inUtc(day), 'short').slice(0, 2),
};

const labels = {
  labelGrid: formatters.formatCaption,
  labelWeekday: (day: Date) => weekdayName(inUtc(day), 'long'),
  labelNav: () => t('changeMonth'),
  labelPrevious: () => t('previousMonth'),
  labelNext: () => t('nextMonth'),
  labelDayButton: (day: Date, { today }: Modifiers) => {
    const date = fullDate(inUtc(day), 'UTC');
    return today ? t('currentDay', { day: date }) : date;
  },
};

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
  const wall = wallTime(value, timeZone);
  const [hours, minute] = [wall.getUTCHours(), wall.getUTCMinutes()];
  const set = (hours: number, minute: number) =>
    onChange(atWallTime(wall.setUTCHours(hours, minute, 0, 0), timeZone));
  // A typed minute between two steps stays in the options until another one is picked.
  const minutes = MINUTES.includes(minute) ? MINUTES : [minute, ...MINUTES];
  const is12 = hasHalfDays();
  const half = hours < 12 ? 0 : 12;
  const hourOptions = is12
    ? Array.from({ length: 12 }, (_, place) => half + ((place + 1) % 12))
    : Array.from({ length: 24 }, (_, hour) => hour);
  return (
    <div
      role="group"
      aria-label={t('time')}
      className={cn('mt-2 grid gap-2 border-t border-line pt-3', is12 ? 'grid-cols-3' : 'grid-cols-2')}
    >
      <Select
        aria-label={t('hour')}
        value={hours}
        onChange={({ target }) => set(Number(target.value), minute)}
      >
        {hourOptions.map((hour) => (
          <option key={hour} value={hour}>
            {is12 ? hour % 12 || 12 : hour}
          </option>
        ))}
      </Select>
      <Select
        aria-label={t('minute')}
        value={minute}
        onChange={({ target }) => set(hours, Number(target.value))}
      >
        {minutes.map((minute) => (
          <option key={minute} value={minute}>
            {String(minute).padStart(2, '0')}
          </option>
        ))}
      </Select>
      {is12 && (
        <Select
          aria-label={t('amOrPm')}
          value={half}
          onChange={({ target }) => set((hours % 12) + Number(target.value), minute)}
        >
          <option value={0}>{t('am')}</option>
          <option value={12}>{t('pm')}</option>
        </Select>
      )}
    </div>
  );
}
