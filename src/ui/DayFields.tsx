import { Field } from './Field.tsx';
import { TextInput } from './TextInput.tsx';
import { firstDay, lastDay } from '#wire/day.ts';

/** The days of a period, such as '2026-11-24'. Empty if not entered yet. */
export interface Period {
  first_on: string;
  last_on: string;
}

export type DayFieldsProps = {
  value: Period;
  onChange: (change: Partial<Period>) => void;
  labels: Period;
  errors?: { [Key in keyof Period]?: string | false | undefined } | undefined;
};

/** The first and the last day of a period. The last day follows the first one. */
export const DayFields = ({ value: { first_on, last_on }, onChange, labels, errors }: DayFieldsProps) => (
  <div className="grid items-start gap-3 min-[30rem]:grid-cols-2">
    <Field label={labels.first_on} error={errors?.first_on} required>
      <TextInput
        type="date"
        min={firstDay}
        max={lastDay}
        value={first_on}
        onChange={({ target }) =>
          onChange({ first_on: target.value, ...(last_on < target.value && { last_on: target.value }) })
        }
      />
    </Field>
    <Field label={labels.last_on} error={errors?.last_on} required>
      <TextInput
        type="date"
        min={first_on}
        max={lastDay}
        value={last_on}
        onChange={({ target }) => onChange({ last_on: target.value })}
      />
    </Field>
  </div>
);
