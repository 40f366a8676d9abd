import { useId } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import {
  maxNudges,
  mayCome,
  nextNudgeAt,
  nudgesOf,
  whyCannotNudge,
} from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { nudgedLists, type NudgedList } from '#features/notifications/contract.ts';
import { hasEnded, isCancelled } from '#features/events/rules.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { longDate, relativeTime, timeOfDay } from '#wire/format.ts';
import { t } from '#features/events/answers/messages.ts';

/** The number of members whom a nudge would reach. It never reaches the viewer. */
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
    onSuccess: ({ nudged }) => void showToast({ title: t('nudged', { n: nudged }) }),
    onSettled: () => refreshEvents(),
  });
  const reach = reachOf(event);
  const lists = nudgedLists.filter((list) => reach[list] > 0);
  if (lists.length === 0 || isCancelled(event) || hasEnded(event, now)) return null;
  return (
    <div className="mt-3 flex flex-col gap-2">
      {lists.map((list) => (
        <div key={list} className="flex flex-wrap items-center justify-between gap-3">
          <div className="text-sm">
            <p id={`${id}-${list}`}>{whoTexts[list](reach[list])}</p>
            <p id={`${id}-${list}-state`} className="text-muted empty:hidden">
              {stateOf(event, list, now)}
            </p>
          </div>
          <Button
            size="sm"
            variant="secondary"
            disabled={whyCannotNudge(event, list, now) !== undefined}
            aria-describedby={`${id}-${list} ${id}-${list}-state`}
            busy={nudge.isPending && nudge.variables === list}
            onClick={() => network.run(() => nudge.mutate(list))}
          >
            {t('nudge', { n: reach[list] })}
          </Button>
        </div>
      ))}
      <p role="alert" className="text-sm font-medium text-danger empty:hidden">
        {network.notice ?? (nudge.error && explain(nudge.error))}
      </p>
    </div>
  );
}

/** When the members on a list were nudged last, and why they cannot be nudged now. */
function stateOf(event: Event, list: NudgedList, now: Instant): string {
  const last = nudgesOf(event, list);
  const next = nextNudgeAt(event, list);
  const why = {
    event_closed: t('nudgeClosed'),
    nudged_enough: t('nudgedEnough', { n: maxNudges }),
    nudged_lately: next && t('nudgeAgain', { day: longDate(next, now), time: timeOfDay(next) }),
  }[whyCannotNudge(event, list, now) as string];
  const when = last && t('lastNudged', { when: relativeTime(last.last_at, now) });
  return [when, why].filter(Boolean).join(' ');
}
