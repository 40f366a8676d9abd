import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { UserRoundSearch } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { NextPage } from '#web/NextPage.tsx';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { uniqueById, useMore } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import { sourceSet } from '#wire/pictures.ts';
import type { Member } from '#features/members/contract.ts';
import { firstMembers, fullName, manyMembers, ownName, role } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Field } from '#ui/Field.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { Section } from '#ui/Section.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { AdminIcon } from './AdminIcon.tsx';
import { hidden, Rich } from '#ui/Rich.tsx';
import { t } from '#features/members/messages.ts';

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
          <AllMembers club={club} />
        ) : (
          <>
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(4.5rem,1fr))] gap-y-3 px-1 py-4">
              {members.slice(0, firstMembers).map((member, at) => (
                <Face key={member.id} member={member} previous={members[at - 1]?.id} />
              ))}
            </ul>
            {member_count > firstMembers && (
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

type PortraitProps = {
  member: Member;
  /** The id of the member before this one. */
  previous: string | undefined;
};

const Portrait = ({ member, previous }: PortraitProps) => (
  <Avatar
    name={ownName(member)}
    seed={member.id}
    previous={previous}
    src={member.profile_picture_url}
    srcSet={sourceSet(member.profile_picture_url, 'person')}
  />
);

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

/** The list of all members, in a large club with a search. */
function AllMembers({ club }: { club: LoadedClub }) {
  const [typed, setTyped] = useState('');
  const q = useDebouncedValue(typed.trim());
  return (
    <>
      {club.member_count >= manyMembers && (
        <Field label={t('find')} labelHidden className="px-4 pt-4">
          <TextInput
            type="search"
            value={typed}
            maxLength={100}
            placeholder={t('find')}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
      )}
      {q ? <FoundMembers slug={club.slug} q={q} /> : <LoadedMembers club={club} />}
    </>
  );
}

/** The first page of members, which the club page contains, and the following ones. */
function LoadedMembers({ club: { slug, members, more_members } }: { club: LoadedClub }) {
  const more = useMore(more_members, queries.moreMembers(slug, more_members ?? ''));
  return (
    <Rows members={[...members, ...more.pages.flatMap((page) => page.members)]}>
      {more.hasMore && (
        <ShowMore className="px-4 pb-4" busy={more.busy} failed={more.failed} onPress={more.load}>
          {t('showMoreMembers')}
        </ShowMore>
      )}
    </Rows>
  );
}

function FoundMembers({ slug, q }: { slug: string; q: string }) {
  const query = useInfiniteQuery({
    ...queries.foundMembers(slug, q),
    placeholderData: keepPreviousData,
  });
  const { data, error, refetch } = query;
  if (!data)
    return error ? (
      <NotLoaded title={t('membersNotLoaded')} retry={() => void refetch()}>
        {explain(error)}
      </NotLoaded>
    ) : (
      <SkeletonText lines={3} className="p-4" />
    );
  const members = data.pages.flatMap((page) => page.members);
  if (members.length === 0)
    return (
      <EmptyState
        icon={UserRoundSearch}
        title={t('noOneFound')}
        text={t('noOneFoundByName', { q })}
        className="py-8!"
      />
    );
  return (
    <Rows members={members}>
      <NextPage query={query} className="px-4 pb-4">
        {t('showMoreMembers')}
      </NextPage>
    </Rows>
  );
}

function Rows({ members, children }: { members: readonly Member[]; children: ReactNode }) {
  const me = useUser().id;
  return (
    <>
      <ul className="py-2">
        {uniqueById(members).map((member, at, all) => (
          <Row key={member.id} member={member} previous={all[at - 1]?.id} own={member.id === me} />
        ))}
      </ul>
      <span className="contents">{children}</span>
    </>
  );
}

function Row({ member, previous, own }: PortraitProps & { own: boolean }) {
  return (
    <li className="flex min-h-14 items-center gap-3 px-4 py-1.5">
      <Portrait member={member} previous={previous} />
      <span className="min-w-0 wrap-anywhere">
        {fullName(member)}
        {own && <span className="text-muted"> {t('you')}</span>}
      </span>
      <span className="ml-auto">
        {member.club_role === role.admin && <AdminIcon own={own} />}
        {member.club_role === role.organiser && <Badge>{t('organiser')}</Badge>}
      </span>
    </li>
  );
}
