import { useState } from 'react';
import { Failure } from '#wire/client.ts';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { refreshUser } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import { Checkbox } from '#ui/Checkbox.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { t } from '#features/calendar/link-messages.ts';

/** Switches invitations in emails on or off. Asks for confirmation if that would show events twice. */
export function InvitationsByMail() {
  const isOn = useUser().invites_by_mail;
  const [asking, setAsking] = useState(false);
  const choose = useSubmit({
    mutationFn: async (choice: { invites_by_mail: boolean; confirmed?: boolean }) => {
      await api.calendar.choose(choice);
      await refreshUser();
    },
    onSuccess: () => setAsking(false),
    onError: (failure) => {
      const isQuestion = failure instanceof Failure && failure.error === 'feed_in_use';
      setAsking(isQuestion);
      if (!isQuestion) showToast({ title: t('notSaved'), text: explain(failure) });
    },
  });
  return (
    <>
      <Checkbox
        label={t('invitationsByMail')}
        hint={t('invitationsByMailText')}
        checked={choose.isPending ? choose.variables.invites_by_mail : isOn}
        onChange={(event) => choose.mutate({ invites_by_mail: event.target.checked })}
      />
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('seeTwice')}
        text={t('seeTwiceText')}
        confirmLabel={t('getBoth')}
        busy={choose.isPending}
        busyLabel={t('saving')}
        onConfirm={() => choose.mutate({ invites_by_mail: true, confirmed: true })}
      />
    </>
  );
}
