import { useRef, useState } from 'react';
import { durationOf, type DurationUnit, readableTimes, type TimesForm } from '#features/events/form-rules.ts';
import { t as ofErrors } from '#wire/error-messages.ts';
import { instant } from '#wire/instant.ts';
import { hasHalfDays } from '#wire/look.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';
import { DAY, dateTimeProblem, dateTimeText, parseDateTime } from '#ui/date-time-text.ts';
import { cn } from '#ui/class-names.ts';
import { readDuration } from '#ui/duration-text.ts';
import { Field } from '#ui/Field.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { Select } from '#ui/Select.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { dayKey, timeOfDay } from '#wire/format.ts';
import { t } from '#features/events/messages.ts';

type EndFieldsProps = {
  form: TimesForm;
  change: (part: Partial<TimesForm>) => void;
  /** Whether to show the error of the end before its field has lost the focus. */
  tried: boolean;
};

/** The end and the duration of an event: each follows from the other. */
export const EndFields = ({ form, change, tried }: EndFieldsProps) => (
  <div className="flex flex-wrap items-start gap-x-2 gap-y-5">
    <EndField form={form} change={change} tried={tried} />
    <DurationFields form={form} change={change} />
  </div>
);

/** The widest time of the language: '10:00 pm' or '22:00 Uhr'. */
const widestTime = () => timeOfDay('2026-01-01T22:00:00.000Z', 'UTC');

/** The time of the end, with its day if that is not the day of the start. */
function EndField({ form, change, tried }: EndFieldsProps) {
  const [typed, setTyped] = useState<string>();
  const { unread_end, time_zone } = form;
  const times = readableTimes(form);
  const isOtherDay = times && dayKey(times.start_time, time_zone) !== dayKey(times.end_time, time_zone);
  const end = times && new Date(times.end_time);
  const written = end && (isOtherDay ? dateTimeText(end, time_zone) : timeOfDay(end, time_zone));
  const type = (text: string) => {
    setTyped(text);
    if (!times || text.trim() === '') return;
    const end = readEnd(text, times);
    if (endProblem(end, times)) change({ unread_end: text });
    else change({ ...durationOf({ ...times, end_time: instant(end as Date) }), unread_end: undefined });
  };
  const problem = times && unread_end !== undefined && endProblem(readEnd(unread_end, times), times);
  const error = (tried || typed === undefined) && problem;
  return (
    <Field label={t('end')} error={error} className={cn('grow', (isOtherDay || error) && 'basis-full')}>
      <TextInput
        autoComplete="off"
        spellCheck={false}
        className="px-2.5!"
        // The text below gives the width.
        size={1}
        disabled={!times}
        value={typed ?? unread_end ?? written ?? ''}
        onChange={({ target }) => type(target.value)}
        onBlur={() => setTyped(undefined)}
      />
      <span
        aria-hidden
        data-text={widestTime()}
        className="-mt-1.5 h-0 overflow-hidden border-x border-transparent px-2.5 whitespace-nowrap before:content-[attr(data-text)]"
      />
    </Field>
  );
}

type ReadableTimes = NonNullable<ReturnType<typeof readableTimes>>;

/** The end that a text means. A time alone is the first such time from the start on. Null if it can't be read. */
function readEnd(text: string, { start_time, time_zone }: ReadableTimes): Date | null {
  const start = new Date(start_time);
  const later = (time: Date, by: number) => atWallTime(Number(wallTime(time, time_zone)) + by, time_zone);
  const readOn = (day: Date) => parseDateTime(text, start, time_zone, day);
  const [end, nextDay] = [readOn(start), readOn(later(start, DAY))];
  const isTimeAlone = end?.getTime() !== nextDay?.getTime();
  if (!end || end >= start || !isTimeAlone) return end;
  // After a start at 7:30 pm, '9:00' means 9:00 pm, and '9:00 am' the next morning.
  const evening = later(end, DAY / 2);
  const mayBeEvening = hasHalfDays() && !/[ap]\.?m/i.test(text);
  return mayBeEvening && evening >= start ? evening : nextDay;
}

function endProblem(end: Date | null, { start_time }: ReadableTimes): string | undefined {
  return (
    dateTimeProblem(end) ?? (end && instant(end) < start_time ? ofErrors('ends_before_start') : undefined)
  );
}

/** The texts of each unit. */
export const durations = {
  minutes: { unit: 'minutes', words: 'durationInMinutes' },
  hours: { unit: 'hours', words: 'durationInHours' },
  days: { unit: 'days', words: 'durationInDays' },
} as const satisfies Record<DurationUnit, Record<'unit' | 'words', string>>;

function DurationFields({ form: { duration, unit }, change }: Omit<EndFieldsProps, 'tried'>) {
  /** The unit before the user began to type, which a number without a unit has. */
  const unitBefore = useRef(unit);
  const set = (part: Partial<TimesForm>) => change({ ...part, unread_end: undefined });
  const choose = (next: DurationUnit) => {
    unitBefore.current = next;
    set({ unit: next });
  };
  return (
    <div
      onFocus={() => {
        unitBefore.current = unit;
      }}
      className="flex grow-3 basis-50 flex-wrap"
    >
      <Field label={t('duration')} className="grow basis-26">
        <NumberStepper
          value={duration}
          onChange={(next) => set({ duration: next })}
          onText={(text) => set(readDuration(text, unitBefore.current))}
          className="rounded-r-none! after:rounded-r-none!"
        />
      </Field>
      <Field label={t('unit')} labelHidden className="shrink-0 justify-end">
        <Select
          compact
          className="-ml-px [&_select]:rounded-l-none"
          value={unit}
          onChange={({ target }) => choose(target.value as DurationUnit)}
        >
          {Object.entries(durations).map(([each, texts]) => (
            <option key={each} value={each}>
              {t(texts.unit, { n: duration })}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}
