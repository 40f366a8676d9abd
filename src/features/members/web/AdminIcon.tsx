import { Crown } from 'lucide-react';
import { Tooltip } from '#ui/Tooltip.tsx';

/** Stands beside the name of an admin. */
export function AdminIcon({ own }: { own: boolean }) {
  const text = own ? 'You are an admin of this club' : 'Admin';
  return (
    <Tooltip text={text}>
      <span
        role="img"
        aria-label={text}
        // A tooltip must be within reach of the keyboard too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="inline-grid size-6 shrink-0 place-items-center rounded-full text-warn"
      >
        <Crown aria-hidden className="size-4.5" />
      </span>
    </Tooltip>
  );
}
