import { Crown } from 'lucide-react';
import { Tooltip } from '#ui/Tooltip.tsx';
import { t } from '#features/members/messages.ts';

/** Marks an admin beside their name. */
export function AdminIcon({ own }: { own: boolean }) {
  const text = own ? t('youAreAnAdminOfThisClub') : t('admin');
  return (
    <Tooltip text={text}>
      <span
        role="img"
        aria-label={text}
        // Focusable, so that keyboard users can open the tooltip.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="inline-grid size-6 shrink-0 place-items-center rounded-full text-warn"
      >
        <Crown aria-hidden className="size-4.5" />
      </span>
    </Tooltip>
  );
}
