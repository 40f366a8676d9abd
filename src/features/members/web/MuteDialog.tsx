import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { t } from '#features/members/mute-messages.ts';

type MuteDialogProps = {
  club: { slug: string; club_name: string; muted: boolean };
  onClose: () => void;
};

const texts = {
  mute: {
    title: 'muteTitle',
    text: 'muteText',
    confirm: 'mute',
    busy: 'muting',
    done: 'muted',
    failed: 'notMuted',
  },
  unmute: {
    title: 'unmuteTitle',
    text: 'unmuteText',
    confirm: 'unmute',
    busy: 'unmuting',
    done: 'unmuted',
    failed: 'notUnmuted',
  },
} as const;

/** Mutes a club for the viewer after confirmation, or ends that. */
export default function MuteDialog({
  club: { slug, club_name: club, muted: isMuted },
  onClose,
}: MuteDialogProps) {
  const { title, text, confirm, busy, done, failed } = texts[isMuted ? 'unmute' : 'mute'];
  const save = useSubmit({
    mutationFn: () => api.members.mute({ club: slug, muted: !isMuted }),
    onSuccess: ({ muted }) => {
      queryClient.setQueryData(queries.club(slug).queryKey, (shown) => shown && { ...shown, muted });
      showToast({ title: t(done) });
      onClose();
    },
    onError: (failure) => showToast({ title: t(failed), text: explain(failure) }),
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t(title, { club })}
      text={t(text)}
      confirmLabel={t(confirm)}
      busy={save.isPending}
      busyLabel={t(busy)}
      onConfirm={() => save.mutate()}
    />
  );
}
