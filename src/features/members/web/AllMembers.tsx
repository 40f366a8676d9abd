import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { UserRoundSearch } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { NextPage } from '#web/NextPage.tsx';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useDebouncedValue } from '#web/useDebouncedValue.ts';
import { uniqueById, useMore } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import type { Member } from '#features/members/contract.ts';
import { fullName, manyMembers, role } from '#features/members/rules.ts';
import type { Section } from '#features/sections/contract.ts';
import { Badge } from '#ui/Badge.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { SearchField } from '#ui/TextInput.tsx';
import { AdminIcon } from './AdminIcon.tsx';
import { Portrait, type PortraitProps } from './Portrait.tsx';
import { SectionBadges, SectionFilter } from './SectionFilter.tsx';
import { t } from '#features/members/messages.ts';

/** The list of all members, in a large club with a search. */
export function AllMembers({ club }: { club: LoadedClub }) {
  const [typed, setTyped] = useState('');
  const [section, setSection] = useState<string>();
  const q = useDebouncedValue(typed.trim());
  const { data: sections = [] } = useQuery(queries.sections(club.slug));
  return (
    <>
      {club.member_count >= manyMembers && (
        <SearchField label={t('find')} value={typed} onChange={setTyped} className="px-4 pt-4" />
      )}
      <SectionFilter sections={sections} value={section} onChange={setSection} className="px-4 pt-4" />
      {q || section ? (
        <FoundMembers slug={club.slug} q={q} section={section} sections={sections} />
      ) : (
        <LoadedMembers club={club} sections={sections} />
      )}
    </>
  );
}

/** The first page of members, which the club page contains, and the following ones. */
function LoadedMembers({ club, sections }: { club: LoadedClub; sections: readonly Section[] }) {
  const { slug, members, more_members } = club;
  const more = useMore(more_members, queries.moreMembers(slug, more_members ?? ''));
  return (
    <Rows members={[...members, ...more.pages.flatMap((page) => page.members)]} sections={sections}>
      {more.hasMore && (
        <ShowMore className="px-4 pb-4" busy={more.busy} failed={more.failed} onPress={more.load}>
          {t('showMoreMembers')}
        </ShowMore>
      )}
    </Rows>
  );
}

type FoundMembersProps = {
  slug: string;
  q: string;
  section: string | undefined;
  sections: readonly Section[];
};

function FoundMembers({ slug, q, section, sections }: FoundMembersProps) {
  const query = useInfiniteQuery({
    ...queries.foundMembers(slug, q, section),
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
        text={q ? t('noOneFoundByName', { q }) : t('noOneInSection')}
        className="py-8!"
      />
    );
  return (
    <Rows members={members} sections={sections}>
      <NextPage query={query} className="px-4 pb-4">
        {t('showMoreMembers')}
      </NextPage>
    </Rows>
  );
}

type RowsProps = { members: readonly Member[]; sections: readonly Section[]; children: ReactNode };

function Rows({ members, sections, children }: RowsProps) {
  const me = useUser().id;
  return (
    <>
      <ul className="py-2">
        {uniqueById(members).map((member, at, all) => (
          <Row
            key={member.id}
            member={member}
            previous={all[at - 1]?.id}
            own={member.id === me}
            sections={sections}
          />
        ))}
      </ul>
      <span className="contents">{children}</span>
    </>
  );
}

type RowProps = PortraitProps & { member: Member; own: boolean; sections: readonly Section[] };

function Row({ member, previous, own, sections }: RowProps) {
  return (
    <li className="flex min-h-14 items-center gap-3 px-4 py-1.5">
      <Portrait member={member} previous={previous} />
      <span className="min-w-0 wrap-anywhere">
        {fullName(member)}
        {own && <span className="text-muted"> {t('you')}</span>}
        <SectionBadges sections={sections} ids={member.section_ids} />
      </span>
      <span className="ml-auto">
        {member.club_role === role.admin && <AdminIcon own={own} />}
        {member.club_role === role.organiser && <Badge>{t('organiser')}</Badge>}
      </span>
    </li>
  );
}
