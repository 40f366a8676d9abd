import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { api } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useDraft } from '#web/useDraft.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import type { Club } from '#features/clubs/contract.ts';
import { Failure } from '#wire/client.ts';
import { Banner } from '#ui/Banner.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { newUpdateAnchor } from './UpdateEntry.tsx';
import { namesOf, type PostFieldsProps, type UpdateDraft } from './PostFields.tsx';
import { UpdateForm } from './UpdateForm.tsx';
import { t } from '#features/updates/form-messages.ts';

/** An update is important or not from the start. */
interface NewUpdateDraft extends UpdateDraft {
  important?: boolean;
}

export default function NewUpdatePage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const [draft, setDraft, kept] = useDraft<NewUpdateDraft>(`new-update:${club.id}`, {
    content: '',
    pictures: [],
  });
  const publish = usePublish(club, kept.forget);
  const change: PostFieldsProps['onChange'] = (part) =>
    setDraft((latest) => ({ ...latest, ...(typeof part === 'function' ? part(latest) : part) }));
  const back = useBack(`/app/clubs/${slug}`);
  useTitle(t('clubUpdate'));
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('clubUpdate')} text={t('clubUpdateText')} back={<BackButton onClick={back} />} />
      {!club.is_planner && (
        <Banner tone="warn" className="mb-5">
          {t('cannotPublish')}
        </Banner>
      )}
      <DraftNotice of={kept} />
      <UpdateForm
        club={club.id}
        draft={draft}
        onChange={change}
        hint={club.is_planner && t('contentHint', { club: club.club_name })}
        disabled={!club.is_planner}
        submitLabel={t('publish')}
        submitHint={club.is_planner && (draft.important ? t('importantHint') : t('emailHint'))}
        busyLabel={t('publishing')}
        busy={publish.isPending}
        notSaved={t('updateNotPublished')}
        failure={publish.error}
        onSubmit={() => (club.is_planner ? publish.mutate(draft) : showToast('publishNotAdmin'))}
      >
        {club.is_planner && (
          <Checkbox
            label={t('important')}
            checked={draft.important ?? false}
            onChange={({ target }) => setDraft((latest) => ({ ...latest, important: target.checked }))}
            className="-my-2.5"
          />
        )}
      </UpdateForm>
    </div>
  );
}

function usePublish({ id, slug }: Club, forgetDraft: () => void) {
  const showFailure = useFailureToast();
  const navigate = useNavigate();
  return useSubmit({
    mutationFn: ({ content, pictures, important }: NewUpdateDraft) =>
      api.updates.publish({
        club: slug,
        clubId: id,
        content,
        pictures: namesOf(pictures),
        ...(important && { important }),
      }),
    onSuccess: async () => {
      forgetDraft();
      showToast('published');
      // Refetch before navigating, so that the club page contains the new update.
      queryClient.removeQueries({ queryKey: ['updates'] });
      await queryClient.invalidateQueries({ queryKey: ['club'] });
      await navigate(`/app/clubs/${slug}#${newUpdateAnchor}`, { replace: true });
    },
    onError: (failure) => {
      if (!(failure instanceof Failure && failure.error === 'not_admin')) return showFailure('publishFailed');
      showFailure('publishNotAdmin');
      // The cached right is outdated.
      void queryClient.invalidateQueries({ queryKey: ['club'] });
    },
  });
}
