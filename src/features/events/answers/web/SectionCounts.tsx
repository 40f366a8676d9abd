import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { whyCannotNudge } from '#features/events/answers/form-rules.ts';
import type { Event } from '#features/events/contract.ts';
import { shortageOf } from '#features/events/rules.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import type { Instant } from '#wire/instant.ts';
import { t as ofAnswers } from '#features/events/answers/messages.ts';
import { t } from '#features/events/section-messages.ts';

/** How many members of each section are going, said maybe or have not answered. */
export const SectionCounts = ({ event: { section_counts, needed } }: { event: Event }) =>
  section_counts.length > 0 && (
    <ul aria-label={t('ofSections')} className="mt-2 flex flex-col gap-0.5 text-sm tabular-nums">
      {section_counts.map(({ id, name: section, going: n, maybe, silent }) => {
        const wanted = needed[id];
        const others = [
          maybe > 0 && t('maybeCount', { n: maybe }),
          silent > 0 && t('silentCount', { n: silent }),
        ].filter(Boolean);
        return (
          <li key={id} className="flex flex-wrap gap-x-1.5">
            <span className="font-semibold wrap-anywhere">
              {wanted === undefined
                ? t('going', { section, n })
                : t('goingOf', { section, n, needed: wanted })}
            </span>
            {others.length > 0 && <span className="text-muted">{`· ${others.join(' · ')}`}</span>}
          </li>
        );
      })}
    </ul>
  );

/** Asks the members of the sections that are short of people for their answers. Absent if all of them have answered. */
export function NudgeShort({ event, now }: { event: Event; now: Instant }) {
  const network = useNeedsNetwork();
  const missing = shortageOf(event)?.sections ?? [];
  const short = event.section_counts.filter(
    ({ id, silent }) => silent > 0 && missing.some((section) => section.id === id),
  );
  const nudge = useSubmit({
    mutationFn: () =>
      api.answers.nudge({ event: event.slug, to: 'silent', section_ids: short.map(({ id }) => id) }),
    onSuccess: ({ nudged }) => void showToast({ title: ofAnswers('nudged', { n: nudged }) }),
    onSettled: () => refreshEvents(),
  });
  if (short.length === 0 || whyCannotNudge(event, 'silent', now)) return null;
  return (
    <div className="mt-2">
      <Button
        size="sm"
        variant="secondary"
        busy={nudge.isPending}
        className="max-w-full wrap-anywhere"
        onClick={() => network.run(() => nudge.mutate())}
      >
        {t('nudge', { sections: short.map(({ name }) => name).join(', ') })}
      </Button>
      <InlineError>{network.notice ?? (nudge.error && explain(nudge.error))}</InlineError>
    </div>
  );
}
