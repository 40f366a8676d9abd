import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
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
import { Badge } from '#ui/Badge.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Field } from '#ui/Field.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { AdminIcon } from './AdminIcon.tsx';
import { Portrait, type PortraitProps } from './Portrait.tsx';
import { t } from '#features/members/messages.ts';

/** The list of all members, in a large club with a search. */
export function AllMembers({ club }: { club: LoadedClub }) {
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
