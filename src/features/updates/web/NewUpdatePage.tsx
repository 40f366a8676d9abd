import { useSuspenseQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useNavigate, useParams } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { Failure } from '#wire/client.ts';
import { Banner, NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { newUpdateAnchor } from './UpdateEntry.tsx';

export default function NewUpdatePage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const admin = isAdminIn(club, useUser().id);
  const [content, setContent] = useDraft('');
  const publish = usePublish(club);
  const back = useBack(`/app/clubs/${slug}`);
  useTitle('Club update');

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!admin) return notify('publishNotAdmin');
    publish.mutate(content);
  };
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Club update"
        text="Draft an update to your club. The most recent one will be published on the club page."
        back={<BackButton onClick={back} />}
      />
      {!admin && (
        <Banner tone="warn" className="mb-5">
          Only admins can publish updates.
        </Banner>
      )}
      <Card asChild>
        <form onSubmit={submit} noValidate className="flex flex-col gap-5">
          <Field label="Content" hint={admin && `All members of ${club.club_name} will see this.`}>
            <TextArea
              rows={8}
              value={content}
              maxLength={5000}
              disabled={!admin}
              onChange={(event) => setContent(event.target.value)}
            />
          </Field>
          <NotSaved title="Your update wasn't published" reason={publish.error && sentence(publish.error)} />
          <div className="flex justify-end">
            <Button
              type="submit"
              className="w-full sm:w-auto"
              disabled={!admin}
              busy={publish.isPending}
              busyLabel="Publishing"
            >
              Publish
            </Button>
          </div>
        </form>
      </Card>
    </div>
  );
}

function usePublish({ id, slug }: Club) {
  const navigate = useNavigate();
  return useSubmit({
    mutationFn: (content: string) => api.updates.publish({ club: slug, clubId: id, content }),
    onSuccess: async () => {
      notify('published');
      // Refetch before navigating, so that the club page contains the new update.
      queryClient.removeQueries({ queryKey: ['updates'] });
      await queryClient.invalidateQueries({ queryKey: ['club'] });
      await navigate(`/app/clubs/${slug}#${newUpdateAnchor}`, { replace: true });
    },
    onError: (failure) => {
      if (!(failure instanceof Failure && failure.error === 'not_admin')) return notify('publishFailed');
      notify('publishNotAdmin');
      // The cached role is outdated.
      void queryClient.invalidateQueries({ queryKey: ['club'] });
    },
  });
}
