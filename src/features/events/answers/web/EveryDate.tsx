import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event } from '#features/events/contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import { shortDate } from '#wire/format.ts';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { t } from '#features/events/messages.ts';

type EveryDateProps = { event: Event; series: NonNullable<Event['series']> };

/** Asks a member who has just said that they are going whether that is for this date alone or for every date. */
export function EveryDate({ event, series }: EveryDateProps) {
  const [isForOne, setForOne] = useState(false);
  const network = useNeedsNetwork();
  const every = useSubmit({
    mutationFn: () => api.series.standing({ series: series.slug, answer: 'going', guests: event.my_guests }),
    onSuccess: () => void refreshEvents(),
  });
  if (isForOne) return null;
  const problem = network.notice ?? (every.error && explain(every.error));
  return (
    <div role="group" aria-label={t('whichDates')} className="mb-2 flex w-full flex-wrap gap-2">
      {every.isSuccess ? (
        <p role="status" className="w-full text-center text-sm font-semibold text-ok">
          {t('everyDateAnswered', { repeats: repeatText(series) })}
        </p>
      ) : (
        <>
          <Button variant="secondary" size="sm" className="grow" onClick={() => setForOne(true)}>
            {t('justThisDate', { date: shortDate(event.start_time) })}
          </Button>
          <Button
            variant="secondary"
            size="sm"
            className="grow"
            busy={every.isPending}
            onClick={() => network.run(() => every.mutate())}
          >
            {repeatText(series)}
          </Button>
        </>
      )}
      <InlineError className="w-full text-center">{problem}</InlineError>
    </div>
  );
}
