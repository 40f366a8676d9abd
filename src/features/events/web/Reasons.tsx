import type { Reason } from '#features/events/contract.ts';
import { ToggleChip } from '#ui/ToggleChip.tsx';
import { t } from '#features/events/messages.ts';
import { reasons } from './ReasonInWords.tsx';

type ReasonsProps = { value: Reason | undefined; onChange: (reason: Reason | undefined) => void };

/** Buttons to choose a reason. A second tap deselects the reason. */
export const Reasons = ({ value, onChange }: ReasonsProps) => (
  <div role="group" aria-label={t('reason')} className="flex flex-wrap gap-2">
    {(Object.keys(reasons()) as Reason[]).map((each) => (
      <ToggleChip
        key={each}
        aria-pressed={each === value}
        onClick={() => onChange(each === value ? undefined : each)}
      >
        {reasons()[each]}
      </ToggleChip>
    ))}
  </div>
);
