import { Plus, X } from 'lucide-react';
import { TimeInput, typedProblem } from '#features/events/web/TimeFields.tsx';
import type { TimesForm, TypedInstant } from '#features/events/form-rules.ts';
import { otherStartProblem } from '#features/events/polls/form-rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { Field } from '#ui/Field.tsx';
import { IconButton } from '#ui/IconButton.tsx';
import { t } from '#features/events/polls/messages.ts';

type OtherStartsProps = {
  form: TimesForm;
  /** The proposed starts other than the first. */
  others: readonly TypedInstant[];
  onChange: (others: TypedInstant[]) => void;
  /** The time of the last failed validation, to show errors. */
  invalidAt: Instant | undefined;
};

const maxOthers = 11;

const problems = () => ({ past: t('startInPast'), same: t('sameTime') });

/** Further starts of a new event, on which members vote. All proposed times have the duration of the first. */
export function OtherStarts({ form, others, onChange, invalidAt }: OtherStartsProps) {
  const errorOf = (at: number) => {
    const problem = invalidAt && otherStartProblem([form.start_time, ...others], at + 1, invalidAt);
    return problem === 'typed' ? typedProblem(others[at]) : problem && problems()[problem];
  };
  return (
    <div className="flex flex-col gap-4">
      {others.map((start, at) => (
        // eslint-disable-next-line react/no-array-index-key -- The times have no other identity.
        <div key={at} className="flex items-end gap-2">
          <Field label={t('nthTime', { n: at + 2 })} required error={errorOf(at)} className="grow">
            <TimeInput
              form={form}
              value={start}
              onChange={(typed) => onChange(others.map((other, index) => (index === at ? typed : other)))}
            />
          </Field>
          <IconButton
            label={t('removeTime', { n: at + 2 })}
            icon={X}
            onClick={() => onChange(others.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {others.length < maxOthers && (
        <Button variant="secondary" className="self-start" onClick={() => onChange([...others, undefined])}>
          <Plus aria-hidden />
          {t('addTime')}
        </Button>
      )}
      <p className="text-sm text-muted">{t('offerSeveralHint')}</p>
    </div>
  );
}
