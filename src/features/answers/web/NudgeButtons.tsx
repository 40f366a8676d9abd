import { useId } from 'react';
import { api } from '#web/api.ts';
import { notify } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { maxNudges, mayCome, nextNudgeAt, whyCannotNudge } from '#features/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { nudgedLists, type NudgedList } from '#features/notifications/contract.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { longDate, relativeTime, time12h } from '#ui/format.ts';
import { t } from '#features/answers/messages.ts';

/** The members whom a nudge would reach, which is never the viewer. */
const reachOf = (event: Event): Record<NudgedList, number> => ({
  silent: event.silent_count - Number(event.my_answer === null),
  maybe: event.maybe_count - Number(event.my_answer === 'maybe'),
  unconfirmed:
    event.confirmed_count === null ? 0 : mayCome(event) - event.confirmed_count - Number(event.must_confirm),
});

const whoTexts = {
  silent: (n: number) => t('countSilent', { n }),
  maybe: (n: number) => t('countMaybe', { n }),
  unconfirmed: (n: number) => t('countUnconfirmed', { n }),
};

/** Lets the organisers ask members for their answers. */
export function NudgeButtons({ event }: { event: Event }) {
  const now = useNow();
  const id = useId();
  const network = useNeedsNetwork();
  const nudge = useSubmit({
    mutationFn: (to: NudgedList) => api.answers.nudge({ event: event.slug, to }),
    onSuccess: ({ nudged }) => void notify({ title: t('nudged', { n: nudged }) }),
    onSettled: () => refreshEvents(),
  });
  const reach = reachOf(event);
  const lists = nudgedLists.filter((list) => reach[list] > 0);
  if (lists.length === 0 || isCancelled(event) || hasEnded(event, now)) return null;
  const isRefused = whyCannotNudge(event, now) !== undefined;
  return (
    <div className="mt-3 flex flex-col gap-2">
      {lists.map((list) => (
        <div key={list} className="flex items-center justify-between gap-3">
          <p id={`${id}-${list}`} className="text-sm">
            {whoTexts[list](reach[list])}
          </p>
          <Button
            size="sm"
            variant="secondary"
            disabled={isRefused}
            aria-describedby={`${id}-${list} ${id}-state`}
            busy={nudge.isPending && nudge.variables === list}
            onClick={() => network.run(() => nudge.mutate(list))}
          >
            {t('nudge', { n: reach[list] })}
          </Button>
        </div>
      ))}
      <p id={`${id}-state`} className="text-sm text-muted empty:hidden">
        {stateOf(event, now)}
      </p>
      <p role="alert" className="text-sm font-medium text-danger empty:hidden">
        {network.notice ?? (nudge.error && explain(nudge.error))}
      </p>
    </div>
  );
}

/** When the members were nudged last, and why they cannot be nudged now. */
function stateOf(event: Event, now: Instant): string {
  const { nudges, nudged_at } = event;
  const last = nudged_at ? t('lastNudged', { when: relativeTime(nudged_at, now) }) : '';
  const next = nextNudgeAt(event);
  const why = {
    event_closed: t('nudgeClosed'),
    nudged_enough: t('nudgedEnough', { n: maxNudges }),
    nudged_lately: nudged_at && t('nudgeAgain', { day: longDate(next, now), time: time12h(next) }),
  }[whyCannotNudge(event, now) as string];
  return [nudges > 0 && last, why].filter(Boolean).join(' ');
}
