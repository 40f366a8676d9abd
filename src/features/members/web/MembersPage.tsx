import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { queries } from '#app/web/queries.ts';
import { useBack } from '#app/web/useBack.ts';
import { useUser } from '#app/web/useSession.ts';
import { useTitle } from '#app/web/useTitle.ts';
import { explain } from '#app/web/words.ts';
import type { Club } from '#features/clubs/contract.ts';
import { InviteMembers } from '#features/invites/web/InviteMembers.tsx';
import type { MemberForAdmin } from '#features/members/contract.ts';
import { fullName, isAdminAmong } from '#features/members/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { MemberList } from './MemberList.tsx';
import { MemberTable } from './MemberTable.tsx';
import { useIsWide } from './useIsWide.ts';

export default function MembersPage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const admin = isAdminAmong(club.members, useUser().id);
  const back = useBack(`/app/clubs/${slug}`);
  useTitle(`${club.club_name} members`);
  return (
    <>
      <PageHeader
        title="Members"
        text={<span className="wrap-anywhere">{club.club_name}</span>}
        back={<BackButton onClick={back} />}
        actions={admin && <InviteMembers club={club} />}
      />
      {admin ? (
        <Members club={club} />
      ) : (
        <EmptyState
          icon={Lock}
          title="Only club admins can view this page"
          text="Ask one of them if something about your membership should change."
          action={
            <Button asChild variant="secondary">
              <Link to={`/app/clubs/${slug}`}>To the club page</Link>
            </Button>
          }
        />
      )}
    </>
  );
}

/** In the order of names, those without one last: a row stays where it is when its role changes. */
const byName = (members: readonly MemberForAdmin[]) =>
  members.toSorted(
    (a, b) =>
      Number(a.first_name === '') - Number(b.first_name === '') || fullName(a).localeCompare(fullName(b)),
  );

function Members({ club }: { club: Club }) {
  const { data, error, refetch } = useQuery(queries.clubForAdmin(club.slug));
  const List = useIsWide() ? MemberTable : MemberList;
  if (data) return <List club={club} members={byName(data.members_for_admin)} />;
  if (!error) {
    return (
      <Card aria-busy>
        <SkeletonText lines={6} />
      </Card>
    );
  }
  return (
    <Banner
      tone="warn"
      role="alert"
      title="The members could not be loaded"
      action={
        <Button variant="secondary" size="sm" onClick={() => void refetch()}>
          Try Again
        </Button>
      }
    >
      {explain(error)}
    </Banner>
  );
}
