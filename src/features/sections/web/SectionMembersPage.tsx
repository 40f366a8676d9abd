import { keepPreviousData, useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { api } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { explain, sentence } from '#web/explain.ts';
import { NextPage } from '#web/NextPage.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { showToast } from '#web/copy.ts';
import { useBack } from '#web/useBack.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { useDraft } from '#web/useDraft.ts';
import { uniqueById } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import { fullName, isAdminIn, manyMembers } from '#features/members/rules.ts';
import { AdminsOnly } from '#features/members/web/AdminsOnly.tsx';
import { Portrait } from '#features/members/web/Portrait.tsx';
import type { Section } from '#features/sections/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { SearchField } from '#ui/TextInput.tsx';
import { t } from '#features/sections/messages.ts';

/** The members of a section, for the admins of its club. */
export default function SectionMembersPage() {
  const { slug = '', section: id = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const { data: sections, error, isFetching, refetch } = useQuery(queries.sections(slug));
  const isAdmin = isAdminIn(club, useUser().id);
  const section = sections?.find((each) => each.id === id);
  const title = section?.name ?? t('sections');
  const back = useBack(`/app/clubs/${slug}/sections`);
  useTitle(title);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={<span className="wrap-anywhere">{title}</span>}
        text={isAdmin && section && t('membersText')}
        back={<BackButton onClick={back} />}
      />
      {!isAdmin && <AdminsOnly club={slug} />}
      {isAdmin && section && <Members key={section.id} club={club} section={section} />}
      {isAdmin && !sections && !error && (
        <Card aria-busy>
          <SkeletonText lines={6} />
        </Card>
      )}
      {isAdmin && !sections && error && (
        <NotLoaded title={t('notLoaded')} busy={isFetching} retry={() => void refetch()}>
          {explain(error)}
        </NotLoaded>
      )}
      {isAdmin && sections && !section && (
        <EmptyState
          icon="lighthouse"
          title={t('gone')}
          action={
            <Button asChild variant="secondary">
              <Link to={`/app/clubs/${slug}/sections`}>{t('toSections')}</Link>
            </Button>
          }
        />
      )}
    </div>
  );
}

type MembersProps = { club: LoadedClub; section: Section };

function Members({ club: { slug, member_count }, section }: MembersProps) {
  const me = useUser().id;
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  /** The members whose box is not as it was loaded, by id. */
  const [changed, setChanged, kept] = useDraft<Record<string, boolean>>(`section:${section.id}`, {});
  const q = useDebouncedValue(typed.trim());
  const query = useInfiniteQuery({
    ...queries.membersForAdmin(slug, q),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = query;
  const members = uniqueById(data?.pages.flatMap((page) => page.members) ?? []);
  const idsWith = (ticked: boolean) => Object.keys(changed).filter((id) => changed[id] === ticked);
  const save = useSubmit({
    mutationFn: () =>
      api.sections.changeMembers({
        club: slug,
        section: section.id,
        add: idsWith(true),
        remove: idsWith(false),
      }),
    onSuccess: async () => {
      kept.forget();
      showToast({ title: t('membersSaved') });
      await Promise.all(
        [['sections'], ['club'], ['membersForAdmin']].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      );
      await navigate(`/app/clubs/${slug}/sections`, { replace: true });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <DraftNotice of={kept} />
      {member_count >= manyMembers && <SearchField label={t('find')} value={typed} onChange={setTyped} />}
      {!data &&
        (error ? (
          <NotLoaded title={t('membersNotLoaded')} retry={() => void refetch()}>
            {explain(error)}
          </NotLoaded>
        ) : (
          <Card aria-busy>
            <SkeletonText lines={6} />
          </Card>
        ))}
      {members.length > 0 && (
        <Card asChild flush>
          <ul aria-label={section.name} className="divide-y divide-line">
            {members.map((member, at) => (
              <li key={member.id} className="px-4">
                <Checkbox
                  className="min-h-14 items-center!"
                  checked={changed[member.id] ?? member.section_ids.includes(section.id)}
                  onChange={({ target }) =>
                    setChanged((before) => ({ ...before, [member.id]: target.checked }))
                  }
                  label={
                    <span className="flex items-center gap-3">
                      <Portrait member={member} previous={members[at - 1]?.id} />
                      <span className="min-w-0 wrap-anywhere">
                        {fullName(member)}
                        {member.id === me && <span className="text-muted"> {t('you')}</span>}
                      </span>
                    </span>
                  }
                />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {data && members.length === 0 && (
        <EmptyState icon="lighthouse" title={t('noOneFound')} text={t('noOneFoundText', { q })} />
      )}
      <NextPage query={query}>{t('showMoreMembers')}</NextPage>
      <NotSaved title={t('membersNotSaved')} reason={save.error && sentence(save.error)} />
      <BottomBar>
        <Button
          className="w-full"
          busy={save.isPending}
          busyLabel={t('saving')}
          onClick={() => save.mutate()}
        >
          {t('save')}
        </Button>
      </BottomBar>
    </div>
  );
}
