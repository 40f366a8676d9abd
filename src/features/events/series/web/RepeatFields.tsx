import { useQuery } from '@tanstack/react-query';
import { queries } from '#web/queries.ts';
import { fullDateAndTime, weekdayName } from '#wire/format.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import type { Rule } from '#features/events/series/contract.ts';
import {
  repeatChoices,
  repeatsProblem,
  ruleOf,
  type RepeatChoice,
  type Repeats,
} from '#features/events/series/form-rules.ts';
import { nextSlots } from '#features/events/series/rules.ts';
import { t } from '#features/events/series/messages.ts';
import { lastDay } from '#wire/day.ts';
import type { Instant } from '#wire/instant.ts';
import { dayProblem } from '#ui/date-time-text.ts';
import { Field } from '#ui/Field.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { Select } from '#ui/Select.tsx';
import { TextInput } from '#ui/TextInput.tsx';

type RepeatFieldsProps = {
  /** The slug of the club. The next dates leave out its breaks. */
  club: string;
  repeats: Repeats;
  onChange: (repeats: Repeats) => void;
  /** Undefined while the start can't be read. */
  times: { start_time: Instant; end_time: Instant; time_zone: string } | undefined;
  now: Instant;
  /** Whether to show errors. */
  tried: boolean;
};

/** How an event repeats, and its next dates in words. */
export function RepeatFields({ club, repeats, onChange, times, now, tried }: RepeatFieldsProps) {
  const change = (part: Partial<Repeats>) => onChange({ ...repeats, ...part });
  const rule = times && ruleOf(repeats, times);
  const problem = tried && times ? repeatsProblem(repeats, times, now) : undefined;
  const monthly = (choice: 'monthly_day' | 'monthly_weekday') =>
    times && ruleOf({ ...repeats, choice }, times);
  const [byDay, byWeekday] = [monthly('monthly_day'), monthly('monthly_weekday')];
  const labels: Record<RepeatChoice, string> = {
    never: t('never'),
    weekly: t('weekly'),
    biweekly: t('biweekly'),
    monthly_day: byDay ? repeatText(byDay) : t('monthlyByDay'),
    monthly_weekday: byWeekday ? repeatText(byWeekday) : t('monthlyByWeekday'),
    custom: t('custom'),
  };
  return (
    <>
      <Field label={t('repeats')}>
        <Select
          value={repeats.choice}
          onChange={({ target }) => change({ choice: target.value as RepeatChoice })}
        >
          {repeatChoices.map((choice) => (
            <option key={choice} value={choice}>
              {labels[choice]}
            </option>
          ))}
        </Select>
      </Field>
      {rule && repeats.choice === 'custom' && (
        <div className="grid gap-3 min-[22rem]:grid-cols-2">
          <Field label={t('interval')}>
            <NumberStepper min={1} max={12} value={repeats.every} onChange={(every) => change({ every })} />
          </Field>
          <Field label={t('period')}>
            <Select
              value={repeats.freq}
              onChange={({ target }) => change({ freq: target.value as Repeats['freq'] })}
            >
              <option value="weekly">{t('everyNWeeks', { n: repeats.every })}</option>
              <option value="monthly_day">{byDay && repeatText({ ...byDay, every: repeats.every })}</option>
              <option value="monthly_weekday">
                {byWeekday && repeatText({ ...byWeekday, every: repeats.every })}
              </option>
            </Select>
          </Field>
        </div>
      )}
      {rule && repeats.choice === 'custom' && repeats.freq === 'weekly' && (
        <Weekdays
          chosen={rule.weekdays}
          onChange={(weekdays) => change({ weekdays })}
          error={problem === 'weekdays' && t('weekdaysMissing')}
        />
      )}
      {rule && (
        <Ends
          repeats={repeats}
          change={change}
          startsOn={rule.starts_on}
          error={
            problem === 'year' ? dayProblem(repeats.ends_on) : problem === 'last_day' && t('lastDayMissing')
          }
        />
      )}
      {rule && (
        <Field label={t('answers')} hint={repeats.everybody && t('everybodyHint')}>
          <Select
            value={String(repeats.everybody)}
            onChange={({ target }) => change({ everybody: target.value === 'true' })}
          >
            <option value="false">{t('eachAnswers')}</option>
            <option value="true">{t('everybody')}</option>
          </Select>
        </Field>
      )}
      {rule && <NextDates club={club} rule={rule} now={now} />}
    </>
  );
}

type WeekdaysProps = { chosen: number[]; onChange: (weekdays: number[]) => void; error: string | false };

function Weekdays({ chosen, onChange, error }: WeekdaysProps) {
  const toggle = (day: number) =>
    onChange(chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day].sort());
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-semibold">{t('weekdays')}</legend>
      <div className="grid grid-cols-7 gap-1">
        {[1, 2, 3, 4, 5, 6, 7].map((day) => (
          <label
            key={day}
            className="relative grid min-h-11 cursor-pointer place-items-center rounded-md border border-control text-sm font-semibold text-muted has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="checkbox"
              className="sr-only"
              aria-label={weekdayName(day)}
              aria-invalid={error ? true : undefined}
              checked={chosen.includes(day)}
              onChange={() => toggle(day)}
            />
            <span aria-hidden>{weekdayName(day).slice(0, 2)}</span>
          </label>
        ))}
      </div>
      <InlineError className="mt-1.5">{error}</InlineError>
    </fieldset>
  );
}

type EndsProps = {
  repeats: Repeats;
  change: (part: Partial<Repeats>) => void;
  startsOn: string;
  error: string | false | undefined;
};

function Ends({ repeats: { ends, ends_on, count }, change, startsOn, error }: EndsProps) {
  return (
    <div className="grid items-start gap-3 min-[30rem]:grid-cols-2">
      <Field label={t('ends')}>
        <Select value={ends} onChange={({ target }) => change({ ends: target.value as Repeats['ends'] })}>
          <option value="never">{t('never')}</option>
          <option value="on">{t('endsOn')}</option>
          <option value="after">{t('endsAfter')}</option>
        </Select>
      </Field>
      {ends === 'on' && (
        <Field label={t('lastDay')} error={error} required>
          <TextInput
            type="date"
            min={startsOn}
            max={lastDay}
            value={ends_on}
            onChange={({ target }) => change({ ends_on: target.value })}
          />
        </Field>
      )}
      {ends === 'after' && (
        <Field label={t('dates')}>
          <NumberStepper min={1} max={200} value={count} onChange={(next) => change({ count: next })} />
        </Field>
      )}
    </div>
  );
}

const shown = 5;

/** The next dates of the rule, as they will be on the calendar. */
function NextDates({ club, rule, now }: { club: string; rule: Rule; now: Instant }) {
  const { data: breaks = [] } = useQuery(queries.breaks(club));
  const slots = nextSlots(rule, breaks, now, shown + 1);
  return (
    <div aria-live="polite" className="rounded-lg bg-sunken px-4 py-3 text-sm">
      <p className="font-semibold">{slots.length > 0 ? repeatText(rule) : t('noDatesYet')}</p>
      <ol aria-label={t('nextDates')} className="mt-1">
        {slots.slice(0, shown).map(({ on, start_time }) => (
          <li key={on}>{fullDateAndTime(start_time, rule.time_zone)}</li>
        ))}
      </ol>
      {slots.length > shown && <p className="mt-1 text-muted">{t('andSoOn')}</p>}
    </div>
  );
}
