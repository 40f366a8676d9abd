import { useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import type { Event } from '#features/events/contract.ts';
import { fullName } from '#features/members/rules.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

/** Lets a planner become the first host, after a confirmation. */
export function TakeOverButton({ event }: { event: Event }) {
  const [isOpen, setOpen] = useState(false);
  const { id } = useUser();
  const network = useNeedsNetwork();
  const save = useSubmit({
    mutationFn: () => api.hosts.handOver({ event: event.slug, user_id: id }),
    onSuccess: async () => {
      await refreshEvents();
      setOpen(false);
    },
  });
  const { host_first_name: first_name = '', host_last_name: last_name = '' } = event.host ?? {};
  return (
    <>
      <Button
        variant="link"
        size="sm"
        aria-haspopup="dialog"
        className="-my-1 px-0! offline:text-muted!"
        onClick={() => network.run(() => setOpen(true))}
      >
        {t('takeOver')}
      </Button>
      <InlineError>{network.notice}</InlineError>
      <LazyConfirmDialog
        open={isOpen}
        onOpenChange={setOpen}
        title={t('takeOverTitle')}
        text={t('takeOverText', { name: fullName({ first_name, last_name }) })}
        confirmLabel={t('takeOver')}
        busy={save.isPending}
        busyLabel={t('takingOver')}
        onConfirm={() => save.mutate()}
      >
        <NotSaved title={t('hostsNotChanged')} reason={save.error && sentence(save.error)} />
      </LazyConfirmDialog>
    </>
  );
}
