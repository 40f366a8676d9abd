import { BellRing } from 'lucide-react';
import { Suspense } from 'react';
import { reachOf } from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import { nudgedLists } from '#features/notifications/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { Popover } from '#ui/Popover.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#features/events/answers/messages.ts';

const NudgeButtons = lazyPart(() =>
  import('./NudgeButtons.tsx').then((module) => ({ default: module.NudgeButtons })),
);

/** Opens the buttons that nudge members. Absent when a nudge would reach nobody. */
export function NudgeMenu({ event, now }: { event: Event; now: Instant }) {
  const reach = reachOf(event);
  const lists = nudgedLists.filter((list) => reach[list] > 0);
  if (lists.length === 0 || isCancelled(event) || hasEnded(event, now)) return null;
  return (
    <Popover
      align="start"
      className="w-88 p-4"
      trigger={
        <Button variant="secondary" size="sm">
          <BellRing aria-hidden />
          {t('nudgePeople')}
        </Button>
      }
    >
      <Suspense fallback={<SkeletonText />}>
        <NudgeButtons event={event} lists={lists} now={now} />
      </Suspense>
    </Popover>
  );
}
