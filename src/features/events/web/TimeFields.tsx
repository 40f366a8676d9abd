import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { endOf, type TimesForm, type TypedInstant } from '#features/events/form-rules.ts';
import { instant } from '#wire/instant.ts';
import { timeZones } from '#wire/time-zone.ts';
import { dateTimeProblem } from '#ui/date-time-text.ts';
import { DateTimeInput, type TypedDate } from '#ui/DateTimeInput.tsx';
import { Field } from '#ui/Field.tsx';
import { Select } from '#ui/Select.tsx';
import { fullDateAndTime } from '#wire/format.ts';
import { browserZone } from './useSuggestedStarts.ts';
import { t } from '#features/events/messages.ts';

function signUpHint({ entry_until_time, time_zone }: TimesForm): string {
  return entry_until_time
    ? t('noSignUpsAfter', { time: fullDateAndTime(entry_until_time, time_zone) })
    : t('noSignUpsAfterThisTime');
}

export function enteredTimes({ start_time, duration, unit, time_zone }: TimesForm) {
  return { start_time, end_time: start_time && endOf(start_time, duration, unit), time_zone };
}

/** Why a typed time can't be sent. Undefined if it can. */
export const typedProblem = (time: TypedInstant): string | undefined =>
  dateTimeProblem(time ? new Date(time) : (time as TypedDate));

type TimeInputProps = {
  form: TimesForm;
  value: TypedInstant;
  onChange: (value: TypedInstant) => void;
};

export const TimeInput = ({ form, value, onChange }: TimeInputProps) => (
  <DateTimeInput
    timeZone={form.time_zone}
    value={value ? new Date(value) : (value as TypedDate)}
    onChange={(typed) => onChange(typed && instant(typed))}
  />
);

type MoreTimesProps = {
  form: TimesForm;
  change: (part: Partial<TimesForm>) => void;
  setZone: (zone: string) => void;
  /** The label of the cut-off. */
  cutOff: string;
  cutOffError: ReactNode;
};

/** A collapsed section for the fields that few events need: the cut-off and the time zone. */
export const MoreTimes = ({ form, change, setZone, cutOff, cutOffError }: MoreTimesProps) => (
  <More>
    <Field label={cutOff} hint={signUpHint(form)} error={cutOffError}>
      <TimeInput
        form={form}
        value={form.entry_until_time}
        onChange={(entry_until_time) => change({ entry_until_time })}
      />
    </Field>
    <Field label={t('timeZone')} hint={t('timeZoneHint')}>
      <ZoneSelect value={form.time_zone} onChange={setZone} />
    </Field>
  </More>
);

const More = ({ children }: { children: ReactNode }) => (
  <details className="group -mx-5 -mb-5 border-t border-line sm:-mx-6 sm:-mb-6">
    <summary className="flex min-h-13 cursor-pointer list-none items-center gap-3 px-5 font-semibold focus-visible:-outline-offset-2 sm:px-6 [&::-webkit-details-marker]:hidden">
      {t('more')}
      <span className="min-w-0 text-sm font-normal wrap-anywhere text-muted">{t('moreHint')}</span>
      <ChevronDown
        aria-hidden
        className="ml-auto size-5 shrink-0 text-muted transition-transform group-open:rotate-180"
      />
    </summary>
    <div className="flex flex-col gap-5 px-5 pt-1 pb-5 sm:px-6 sm:pb-6">{children}</div>
  </details>
);

function ZoneSelect({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const zones = new Set([value, browserZone(), 'UTC', ...timeZones()]);
  return (
    <Select value={value} onChange={({ target }) => onChange(target.value)}>
      {[...zones].map((zone) => (
        <option key={zone} value={zone}>
          {zone.replaceAll('_', ' ')}
        </option>
      ))}
    </Select>
  );
}
