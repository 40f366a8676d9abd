import { useId } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import {
  maxNudges,
  nextNudgeAt,
  nudgesOf,
  reachOf,
  sizesOf,
  whyCannotNudge,
} from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import type { NudgedList } from '#features/notifications/contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { longDateInSentence, relativeTime, timeOfDay } from '#wire/format.ts';
import { t } from '#features/events/answers/messages.ts';

const whoTexts = {
  silent: (n: number) => t('countSilent', { n }),
  maybe: (n: number) => t('countMaybe', { n }),
  unconfirmed: (n: number) => t('countUnconfirmed', { n }),
};

type NudgeButtonsProps = {
  event: Event;
  lists: readonly NudgedList[];
  /** The id of the section to which a nudge is limited. */
  section?: string | undefined;
  now: Instant;
};

/** Lets the hosts ask the members on these lists for their answers. Each list has a button of its own. */
export function NudgeButtons({ event, lists, section, now }: NudgeButtonsProps) {
  const id = useId();
  const network = useNeedsNetwork();
  const nudge = useSubmit({
    mutationFn: (to: NudgedList) =>
      api.answers.nudge({ event: event.slug, to, ...(section && { section_ids: [section] }) }),
    onSuccess: ({ nudged }) => void showToast({ title: t('nudged', { n: nudged }) }),
    onSettled: () => refreshEvents(),
  });
  const sizes = sizesOf(event);
  const reach = reachOf(event);
  return (
    <div className="flex flex-col gap-3">
      {lists.map((list) => (
        <div key={list} className="flex flex-wrap items-center justify-between gap-3">
          <div className="text-sm">
            <p id={`${id}-${list}`}>{whoTexts[list](sizes[list])}</p>
            <p id={`${id}-${list}-state`} className="text-muted empty:hidden">
              {stateOf(event, list, reach[list], now)}
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
      <InlineError>{network.notice ?? (nudge.error && explain(nudge.error))}</InlineError>
    </div>
  );
}

/** When the members on a list were nudged last, and how many would get an email, or why they cannot be nudged now. */
function stateOf(event: Event, list: NudgedList, reach: number, now: Instant): string {
  const last = nudgesOf(event, list);
  const next = nextNudgeAt(event, list);
  const why = {
    event_closed: t('nudgeClosed'),
    nudged_enough: t('nudgedEnough', { n: maxNudges }),
    nudged_lately: next && t('nudgeAgain', { day: longDateInSentence(next, now), time: timeOfDay(next) }),
  }[whyCannotNudge(event, list, now) as string];
  const when = last && t('lastNudged', { when: relativeTime(last.last_at, now) });
  return [when, why ?? t('getEmail', { n: reach })].filter(Boolean).join(' ');
}
