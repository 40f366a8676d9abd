import { Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event } from '#features/events/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/messages.ts';
import { deviceTime } from '#wire/server-time.ts';

/** For a minute, lets the author of the last change undo it. Stays mounted to say that the change was undone. */
export function UndoChange({ event: { slug, undo } }: { event: Event }) {
  const seconds = useSecondsLeft(slug, undo);
  const network = useNeedsNetwork();
  const banner = useRef<HTMLDivElement>(null);
  const { mutate, isPending, isSuccess, variables } = useSubmit({
    mutationFn: (change: string) => api.events.undo({ event: slug, change }),
    onSuccess: async () => {
      // The focused button is about to disappear.
      banner.current?.focus();
      await refreshEvents();
    },
    onError: (error) => {
      void refreshEvents();
      showToast({ title: t('changeNotUndone'), text: explain(error), tone: 'danger' });
    },
  });
  const canUndo = undo && seconds > 0 && !(isSuccess && variables === undo.change);
  if (!canUndo && !isSuccess) return null;
  return (
    <Banner
      tone="ok"
      role="status"
      ref={banner}
      tabIndex={-1}
      action={
        canUndo && (
          <Button
            variant="secondary"
            size="sm"
            busy={isPending}
            busyLabel={t('undoing')}
            onClick={() => network.run(() => mutate(undo.change))}
          >
            <Undo2 aria-hidden />
            {t('undo')}
          </Button>
        )
      }
    >
      {canUndo ? t('changeSaved') : t('changeUndone')}
      {canUndo && (
        // Screen readers must not announce every second.
        <span role="timer" aria-live="off" className="block text-sm text-muted tabular-nums">
          {network.notice ?? t('undoIn', { n: seconds })}
        </span>
      )}
    </Banner>
  );
}

/** Counts down from the server's value, because the clocks of devices are often wrong. */
function useSecondsLeft(slug: string, undo: Event['undo']): number {
  const { change, seconds = 0 } = undo ?? {};
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const loadedAt = queryClient.getQueryState(queries.event(slug).queryKey)?.dataUpdatedAt ?? deviceTime();
    const update = () => setLeft(Math.ceil(Math.max(0, seconds - (deviceTime() - loadedAt) / 1000)));
    update();
    if (!change) return;
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [slug, change, seconds]);
  return left;
}
