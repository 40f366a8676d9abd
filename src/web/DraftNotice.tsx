import { Button } from '#ui/Button.tsx';
import { isToday, shortDayAndTime, timeOfDay } from '#wire/format.ts';
import { t } from './messages.ts';
import { useNow } from './useNow.ts';
import type { DraftOf } from './useDraft.ts';

/** Says that the form shows a draft, and offers to start over. */
export function DraftNotice({ of: { keptAt, startOver } }: { of: DraftOf }) {
  const now = useNow();
  if (keptAt === undefined) return null;
  const time = isToday(keptAt, now) ? timeOfDay(keptAt) : shortDayAndTime(keptAt);
  return (
    <p role="status" className="mb-3 flex flex-wrap items-center gap-x-2 text-sm text-muted">
      <span>{t('draftFrom', { time })}</span>
      <Button variant="link" size="sm" onClick={startOver}>
        {t('startOver')}
      </Button>
    </p>
  );
}
