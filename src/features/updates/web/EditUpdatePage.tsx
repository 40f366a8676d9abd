import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { api } from '#web/api.ts';
import { LeaveWithToast } from '#web/LeaveWithToast.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import type { Update } from '#features/updates/contract.ts';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { useMayChange } from './useMayChange.ts';
import { namesOf, type UpdateDraft, UpdateForm } from './UpdateForm.tsx';
import { t } from '#features/updates/messages.ts';

export default function EditUpdatePage() {
  const { slug = '', update: id } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const { data: updates } = useSuspenseQuery(queries.updates(slug));
  const mayChange = useMayChange(club);
  const update = updates.find((each) => each.id === id);
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

function EditForm({ club, update, onSaved }: { club: string; update: Update; onSaved: () => void }) {
  const save = useSubmit({
    mutationFn: (draft: UpdateDraft) =>
      api.updates.edit({ club, update: update.id, ...changed(update, draft) }),
    onSuccess: async () => {
      notify({ title: t('updateSaved'), text: t('updateSavedText') });
      await refreshUpdates();
      onSaved();
    },
  });
  return (
    <UpdateForm
      club={club}
      initial={{ content: update.content, pictures: update.pictures }}
      submitLabel={t('saveChanges')}
      busyLabel={t('saving')}
      busy={save.isPending}
      notSaved={t('updateNotSaved')}
      failure={save.error}
      onSubmit={(draft) => save.mutate(draft)}
    />
  );
}

/** Sends only what changed, so that concurrent changes of the other part are not overwritten. */
function changed(before: Update, { content, pictures }: UpdateDraft) {
  const [old, chosen] = [namesOf(before.pictures), namesOf(pictures)];
  return {
    ...(content !== before.content && { content }),
    ...(String(old) !== String(chosen) && { pictures: chosen }),
  };
}

/** Refetches all that shows updates. */
export const refreshUpdates = () =>
  Promise.all(['updates', 'club'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
