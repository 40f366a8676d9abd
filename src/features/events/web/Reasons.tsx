import type { Reason } from '#features/events/contract.ts';
import { t } from '#features/events/messages.ts';
import { reasons } from './ReasonInWords.tsx';

type ReasonsProps = { value: Reason | undefined; onChange: (reason: Reason | undefined) => void };

/** Buttons to choose a reason. A second tap deselects the reason. */
export const Reasons = ({ value, onChange }: ReasonsProps) => (
  <div role="group" aria-label={t('reason')} className="flex flex-wrap gap-2">
    {(Object.keys(reasons()) as Reason[]).map((each) => (
      <button
        key={each}
        type="button"
        aria-pressed={each === value}
        onClick={() => onChange(each === value ? undefined : each)}
        className="min-h-11 rounded-full border border-line px-4 text-sm font-semibold transition-colors hover:bg-sunken aria-pressed:border-accent aria-pressed:bg-accent aria-pressed:text-accent-ink"
      >
        {reasons()[each]}
      </button>
    ))}
  </div>
);
