import { useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import type { Series } from '#features/events/series/contract.ts';
import { Button } from '#ui/Button.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { t } from '#features/events/series/messages.ts';

/** Ends a series after a confirmation that says how many dates it cancels. */
export function EndSeries({ series: { slug, name, events } }: { series: Series }) {
  const [isOpen, setOpen] = useState(false);
  const now = useNow();
  const upcomingDates = events.filter(
    ({ deleted_at, start_time }) => deleted_at === null && start_time > now,
  );
  const end = useSubmit({
    mutationFn: () => api.series.end({ series: slug }),
    onSuccess: async () => {
      await refreshEvents();
      setOpen(false);
      showToast({ title: t('seriesEnded'), text: t('seriesEndedText') });
    },
    onError: (failure) => {
      setOpen(false);
      showToast({ title: t('seriesNotEnded'), text: explain(failure) });
    },
  });
  return (
    <>
      <Button variant="ghost" className="text-danger! offline:hidden" onClick={() => setOpen(true)}>
        {t('endSeries')}
      </Button>
      <ConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title={t('endThisSeries')}
        text={t('endThisSeriesText', { n: upcomingDates.length, name })}
        confirmLabel={t('endSeries')}
        cancelLabel={t('keepSeries')}
        danger
        busy={end.isPending}
        busyLabel={t('ending')}
        onConfirm={() => end.mutate()}
      />
    </>
  );
}
