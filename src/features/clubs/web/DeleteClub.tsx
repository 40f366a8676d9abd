import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { useMembershipEnded } from '#features/members/web/useMembershipEnded.ts';
import { Button } from '#ui/Button.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { t } from '#features/clubs/form-messages.ts';

/** Deletes the club after the user has typed its name. */
export function DeleteClub({ club }: { club: Club }) {
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const remove = useDelete(club);
  const ask = (open: boolean) => {
    setAsking(open);
    setTyped('');
    setError(undefined);
  };
  const confirm = () => {
    if (typed.trim() === club.club_name) return remove.mutate();
    setError(t('wrongClubName'));
  };
  return (
    <section
      aria-labelledby="delete-club"
      className="mt-8 flex flex-wrap items-center justify-between gap-4 rounded-xl border border-danger/40 p-5 sm:p-6"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h2 id="delete-club" className="text-lg font-bold">
          {t('deleteThisClub')}
        </h2>
        <p className="mt-1 text-sm text-muted">{t('deleteThisClubText')}</p>
      </div>
      <Button variant="secondary" className="text-danger!" onClick={() => ask(true)}>
        <Trash2 aria-hidden />
        {t('deleteClub')}
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={ask}
        title={t('deleteThisClubQuestion')}
        text={t('deleteThisClubQuestionText', { club: club.club_name, n: club.member_count })}
        confirmLabel={t('deleteClub')}
        danger
        busy={remove.isPending}
        busyLabel={t('deleting')}
        onConfirm={confirm}
      >
        <Field label={t('typeToConfirm', { club: club.club_name })} error={error}>
          <TextInput
            value={typed}
            autoComplete="off"
            onChange={(event) => {
              setTyped(event.target.value);
              setError(undefined);
            }}
          />
        </Field>
      </ConfirmDialog>
    </section>
  );
}

function useDelete({ slug, club_name }: Club) {
  const goHome = useMembershipEnded();
  return useSubmit({
    mutationFn: () => api.clubs.remove({ club: slug }),
    onSuccess: async () => {
      showToast({ title: t('clubDeleted'), text: t('clubDeletedText', { club: club_name }) });
      await goHome();
    },
    onError: (failure) => showToast({ title: t('clubNotDeleted'), text: explain(failure) }),
  });
}
