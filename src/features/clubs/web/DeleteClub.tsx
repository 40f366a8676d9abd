import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { useMembershipEnded } from '#features/members/web/useMembershipEnded.ts';
import { Button } from '#ui/Button.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';

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
    setError('This is not the name of the club.');
  };
  return (
    <section
      aria-labelledby="delete-club"
      className="mt-8 flex flex-wrap items-center justify-between gap-4 rounded-xl border border-danger/40 p-5 sm:p-6"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h2 id="delete-club" className="text-lg font-bold">
          Delete this club
        </h2>
        <p className="mt-1 text-sm text-muted">
          Its events, updates and members’ places go with it, for good. Nobody can bring them back.
        </p>
      </div>
      <Button variant="secondary" className="text-danger!" onClick={() => ask(true)}>
        <Trash2 aria-hidden />
        Delete club
      </Button>
      <ConfirmDialog
        open={asking}
        onOpenChange={ask}
        title="Delete this club?"
        text={`${club.club_name}, all of its events and all of its updates will be deleted for all ${club.member_count === 1 ? 'time' : `${club.member_count} members`}. This cannot be undone.`}
        confirmLabel="Delete club"
        danger
        busy={remove.isPending}
        busyLabel="Deleting"
        onConfirm={confirm}
      >
        <Field label={`Type ${club.club_name} to confirm`} error={error}>
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
      notify({ title: 'Club deleted', text: `${club_name} is gone.` });
      await goHome();
    },
    onError: (failure) => notify({ title: 'Error', text: explain(failure) }),
  });
}
