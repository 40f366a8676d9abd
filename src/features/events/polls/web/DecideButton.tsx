import { CalendarCheck } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { sentence } from '#web/explain.ts';
import type { Event } from '#features/events/contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import type { OpenTime } from '#features/events/time-contract.ts';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { t } from '#features/events/polls/messages.ts';

type DecideButtonProps = { event: Event; time: OpenTime; words: string };

/** Lets an admin choose a time, after a confirmation that names the recipients of the notice. */
export function DecideButton({ event, time, words }: DecideButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const network = useNeedsNetwork();
  const close = () => setOpen(false);
  const decide = useSubmit({
    mutationFn: () => api.polls.decide({ event: event.slug, time: time.id }),
    onSuccess: async () => {
      await refreshEvents();
      close();
    },
    onError: (failure) => {
      close();
      showToast({ title: t('timeNotChosen'), text: sentence(failure) });
      void refreshEvents();
    },
  });
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        aria-haspopup="dialog"
        aria-label={t('chooseTimeOf', { time: words })}
        className="text-accent! offline:text-muted!"
        onClick={() => network.run(() => setOpen(true))}
      >
        <CalendarCheck aria-hidden />
        {t('choose')}
      </Button>
      <InlineError>{network.notice}</InlineError>
      <LazyConfirmDialog
        open={isOpen}
        onOpenChange={close}
        title={t('chooseThisTime')}
        text={t('chooseThisTimeText', { time: words })}
        confirmLabel={t('chooseTime')}
        cancelLabel={t('keepVoting')}
        busy={decide.isPending}
        busyLabel={t('choosing')}
        onConfirm={() => decide.mutate()}
      />
    </>
  );
}
