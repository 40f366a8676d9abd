import { keepPreviousData, useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Link, useParams } from 'react-router';
import { NextPage } from '#web/NextPage.tsx';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { ListActions } from '#web/ListActions.tsx';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { uniqueById } from '#web/useMore.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Club } from '#features/clubs/contract.ts';
import { InviteMembers } from '#features/invites/web/InviteMembers.tsx';
import { isAdminIn, manyMembers, role } from '#features/members/rules.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { SearchField } from '#ui/TextInput.tsx';
import { MemberList } from './MemberList.tsx';
import { MemberTable } from './MemberTable.tsx';
import { SectionFilter } from './SectionFilter.tsx';
import { useIsWide } from './useIsWide.ts';
import { t } from '#features/members/messages.ts';

const AdminsOnly = lazyPart(() =>
  import('./AdminsOnly.tsx').then((module) => ({ default: module.AdminsOnly })),
);

const AskAboutOrganisers = lazyPart(() => import('./AskAboutOrganisers.tsx'));

/** Whether the club has organisers, and no admin has said yet whether they plan events. */
const isUndecided = ({ organisers_plan, members }: Club) =>
  organisers_plan === null && members.some(({ club_role }) => club_role === role.organiser);

export default function MembersPage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const admin = isAdminIn(club, useUser().id);
  const back = useBack(`/app/clubs/${slug}`);
  useTitle(t('membersTitle', { club: club.club_name }));
  return (
    <>
      <PageHeader
        title={t('members')}
        text={<span className="wrap-anywhere">{club.club_name}</span>}
        back={<BackButton onClick={back} />}
        actions={
          admin && (
            <>
              <Button asChild variant="secondary" size="sm">
                <Link to={`/app/clubs/${slug}/attendance`}>{t('attendance')}</Link>
              </Button>
              <Button asChild variant="secondary" size="sm" className="offline:hidden">
                <Link to={`/app/clubs/${slug}/sections`}>{t('sections')}</Link>
              </Button>
              <InviteMembers club={club} size="sm" />
            </>
          )
        }
      />
      {admin ? (
        <>
          {isUndecided(club) && (
            <Suspense>
              <AskAboutOrganisers club={club} />
            </Suspense>
          )}
          <Members club={club} />
        </>
      ) : (
        <Suspense>
          <AdminsOnly club={slug} />
        </Suspense>
      )}
    </>
  );
}

function Members({ club }: { club: Club }) {
  const [typed, setTyped] = useState('');
  const [section, setSection] = useState<string>();
  const q = useDebouncedValue(typed.trim());
  const { data: sections = [] } = useQuery(queries.sections(club.slug));
  const query = useInfiniteQuery({
    ...queries.membersForAdmin(club.slug, q, section),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = query;
  const List = useIsWide() ? MemberTable : MemberList;
  const members = uniqueById(data?.pages.flatMap((page) => page.members) ?? []);
  return (
    <div className="flex flex-col gap-4">
      {club.member_count >= manyMembers && (
        <SearchField
          label={t('find')}
          placeholder={t('findPlaceholder')}
          value={typed}
          onChange={setTyped}
          className="sm:max-w-80"
        />
      )}
      <SectionFilter sections={sections} value={section} onChange={setSection} />
      {!data && !error && (
        <Card aria-busy>
          <SkeletonText lines={6} />
        </Card>
      )}
      {!data && error && (
        <NotLoaded title={t('membersNotLoaded')} retry={() => void refetch()}>
          {explain(error)}
        </NotLoaded>
      )}
      <ListActions
        title={t('membersTitle', { club: club.club_name })}
        readAll={async () => (await import('./EveryMember.tsx')).everyMember(club.slug, section)}
        download={() => api.members.export({ club: club.slug })}
      />
      {members.length > 0 && <List club={club} members={members} sections={sections} />}
      {data && members.length === 0 && (
        <EmptyState
          icon="lighthouse"
          title={t('noOneFound')}
          text={q ? t('noOneFoundText', { q }) : t('noOneInSection')}
        />
      )}
      <NextPage query={query}>{t('showMoreMembers')}</NextPage>
    </div>
  );
}
