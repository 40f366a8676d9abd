import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import type { Series } from '#features/events/series/contract.ts';
import { Card } from '#ui/Card.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Field } from '#ui/Field.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { SegmentedControl } from '#ui/SegmentedControl.tsx';
import { SeatsHeld } from './SeatsHeld.tsx';
import { t } from '#features/events/series/messages.ts';

const options = () =>
  [
    { value: 'going', label: t('imGoing') },
    { value: 'no', label: t('cantGo') },
    { value: 'none', label: t('eachTime') },
  ] as const;
type Choice = ReturnType<typeof options>[number]['value'];

/** The viewer's answer to each date: 'Every Tuesday: I'm going'. */
export function StandingAnswer({ series }: { series: Series }) {
  const { slug, guests_max, my_standing } = series;
  const repeats = repeatText(series);
  const [isAsking, setAsking] = useState(false);
  const network = useNeedsNetwork();
  const save = useSubmit({
    mutationFn: ({ choice, guests = 0 }: { choice: Choice; guests?: number }) =>
      api.series.standing({ series: slug, answer: choice === 'none' ? null : choice, guests }),
    onSettled: async () => {
      setAsking(false);
      await refreshEvents();
    },
  });
  const chosen = save.isPending ? save.variables.choice : (my_standing?.answer ?? 'none');
  const guests = my_standing?.guests ?? 0;
  const choose = (choice: Choice) =>
    network.run(() => {
      if (choice === 'none' && my_standing && my_standing.dates > 0) setAsking(true);
      else save.mutate({ choice });
    });
  const problem = network.notice ?? (save.error && explain(save.error));
  return (
    <Card className="flex flex-col gap-3">
      <p className="font-semibold">{t('standingAnswer', { repeats })}</p>
      <SegmentedControl
        label={repeats}
        options={options()}
        value={chosen}
        onChange={choose}
        className="max-sm:flex-col sm:self-start"
      />
      {chosen === 'going' && (guests_max > 0 || guests > 0) && (
        <Field
          label={t('guests')}
          hint={t('guestsHint', { n: guests_max })}
          className="grid grid-cols-[1fr_9rem] items-center"
        >
          <NumberStepper
            value={save.isPending ? (save.variables.guests ?? 0) : guests}
            max={guests_max}
            onChange={(next) => network.run(() => save.mutate({ choice: 'going', guests: next }))}
            className="row-span-2"
          />
        </Field>
      )}
      <p role="status" className="text-sm text-muted">
        {chosen === 'none'
          ? t('eachTimeHint')
          : my_standing && my_standing.dates > 0
            ? t('answersDates', { n: my_standing.dates })
            : t('standingHint')}
      </p>
      {series.seats_held && <SeatsHeld series={series} held={series.seats_held} />}
      <InlineError>{problem}</InlineError>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('endStanding')}
        text={t('endStandingText', { n: my_standing?.dates ?? 0 })}
        confirmLabel={t('eachTime')}
        cancelLabel={t('keepStanding')}
        busy={save.isPending}
        onConfirm={() => save.mutate({ choice: 'none' })}
      />
    </Card>
  );
}
