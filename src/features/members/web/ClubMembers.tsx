import { Suspense, useState } from 'react';
import { Link } from 'react-router';
import { useUser } from '#web/useSession.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import { firstMembers, fullName, role } from '#features/members/rules.ts';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { lazyPart } from '#ui/LazyPart.tsx';
import { Section } from '#ui/Section.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { AdminIcon } from './AdminIcon.tsx';
import { Portrait, type PortraitProps } from './Portrait.tsx';
import { hidden, Rich } from '#ui/Rich.tsx';
import { t } from '#features/members/messages.ts';

const AllMembers = lazyPart(() =>
  import('./AllMembers.tsx').then((module) => ({ default: module.AllMembers })),
);

type ClubMembersProps = {
  club: LoadedClub;
  admin: boolean;
  /** Whether the first steps are shown. They already suggest inviting somebody. */
  steps: boolean;
};

/** The members on the club page: some faces, and on demand the list of all. */
export function ClubMembers({ club, admin, steps }: ClubMembersProps) {
  const [showAll, setShowAll] = useState(false);
  const { slug, member_count, members } = club;
  const alone = member_count === 1 && admin && !steps;
  return (
    <Section
      title={t('members')}
      count={member_count}
      collapsible="mobile"
      actions={
        <Button asChild variant="ghost" size="sm" className="offline:hidden">
          {admin ? (
            <Link to={`/app/clubs/${slug}/members`}>
              <Rich parts={t.parts('manage', { hidden })} />
            </Link>
          ) : (
            <Link to={`/app/clubs/${slug}/attendance`}>{t('ownAttendance')}</Link>
          )}
        </Button>
      }
    >
      <Card flush tabIndex={-1} className="outline-none">
        {showAll ? (
          <Suspense fallback={<SkeletonText lines={6} className="p-4" />}>
            <AllMembers club={club} />
          </Suspense>
        ) : (
          <>
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(4.5rem,1fr))] gap-y-3 px-1 py-4">
              {members.slice(0, firstMembers).map((member, at) => (
                <Face key={member.id} member={member} previous={members[at - 1]?.id} />
              ))}
            </ul>
            {(member_count > firstMembers || members.some(({ section_ids }) => section_ids.length > 0)) && (
              <ShowMore className="px-4 pb-4" onPress={() => setShowAll(true)}>
                {t('showAllMembers', { n: member_count })}
              </ShowMore>
            )}
          </>
        )}
        {alone && (
          <EmptyState
            icon="tent"
            title={t('inviteYourMembers')}
            text={t('inviteYourMembersText')}
            className="border-t border-line py-8!"
          />
        )}
      </Card>
    </Section>
  );
}

function Face({ member, previous }: PortraitProps) {
  const own = useUser().id === member.id;
  return (
    <li className="flex min-w-0 flex-col items-center gap-1 text-center">
      <span className="relative">
        <Portrait member={member} previous={previous} />
        {member.club_role === role.admin && (
          <span className="absolute -right-2 -bottom-1.5 grid rounded-full bg-surface">
            <AdminIcon own={own} />
          </span>
        )}
      </span>
      <span className="w-full text-xs leading-tight hyphens-manual">
        {fullName(member)}
        {own && <span className="text-muted"> {t('you')}</span>}
        {member.club_role === role.organiser && <span className="block text-muted">{t('organiser')}</span>}
      </span>
    </li>
  );
}
