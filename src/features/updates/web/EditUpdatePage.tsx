import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { ChangedMeanwhile } from '#web/ChangedMeanwhile.tsx';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { LeaveWithToast } from '#web/LeaveWithToast.tsx';
import { current, queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import type { Update } from '#features/updates/contract.ts';
import { Failure } from '#wire/client.ts';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { useEditedPost } from './useEditedPost.ts';
import { useMayChange } from './useMayChange.ts';
import { UpdateForm } from './UpdateForm.tsx';
import { t } from '#features/updates/form-messages.ts';

export default function EditUpdatePage() {
  const { slug = '', update: id } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const { data: updates } = useSuspenseQuery(queries.updates(slug));
  const mayChange = useMayChange(club);
  const found = updates.find((each) => each.id === id);
  const [opened] = useState(found);
  // An update that is deleted meanwhile stays on the page, with the user's changes.
  const update = found ?? opened;
  const path = `/app/clubs/${slug}/updates`;
  const back = useBack(path);
  useTitle(t('editUpdate'));
  if (!update) return <LeaveWithToast to={path} title={t('updateNotFound')} text={t('updateNotFoundText')} />;
  if (!mayChange(update))
    return <LeaveWithToast to={path} title={t('permissionDenied')} text={t('permissionDeniedText')} />;
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('editUpdate')} text={t('editUpdateText')} back={<BackButton onClick={back} />} />
      <EditForm club={slug} update={update} onSaved={back} />
    </div>
  );
}

/** Loads the current state of an update. Throws a 404 if it was deleted. */
async function newest(club: string, id: string): Promise<Update> {
  const updates = await queryClient.query({ ...queries.updates(club), ...current });
  const update = updates.find((each) => each.id === id);
  if (!update) throw new Failure(404, 'not_found');
  return update;
}

type EditFormProps = { club: string; update: Update; onSaved: () => void };

function EditForm({ club, update, onSaved }: EditFormProps) {
  const { form, save, kept, conflict } = useEditedPost({
    club,
    post: update,
    newest: () => newest(club, update.id),
    onSaved: async () => {
      showToast({ title: t('updateSaved'), text: t('updateSavedText') });
      await refreshUpdates();
      onSaved();
    },
  });
  return (
    <>
      <DraftNotice of={kept} />
      <UpdateForm
        club={club}
        draft={form.values}
        onChange={form.change}
        submitLabel={t('saveChanges')}
        busyLabel={t('saving')}
        busy={save.isPending}
        notSaved={t('updateNotSaved')}
        failure={save.error}
        onSubmit={() => save.mutate()}
      >
        <ChangedMeanwhile values={conflict} />
      </UpdateForm>
    </>
  );
}

/** Refetches all data that contains updates. */
export const refreshUpdates = () =>
  Promise.all(['updates', 'club'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
