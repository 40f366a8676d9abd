import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { queries } from '#web/queries.ts';
import { uniqueById, useMore } from '#web/useMore.ts';
import { useUser } from '#web/useSession.ts';
import type { LoadedClub } from '#features/clubs/contract.ts';
import { sourceSet } from '#wire/pictures.ts';
import type { Member } from '#features/members/contract.ts';
import { firstMembers, fullName, role } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Badge } from '#ui/Badge.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Section } from '#ui/Section.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { AdminIcon } from './AdminIcon.tsx';
import { hidden, Rich } from '#ui/Rich.tsx';
import { t } from '#features/members/messages.ts';

type ClubMembersProps = {
  club: LoadedClub;
  admin: boolean;
  /** Whether the first steps are shown. They already suggest inviting somebody. */
  steps: boolean;
};

/** The member list of the club page. */
export function ClubMembers({ club, admin, steps }: ClubMembersProps) {
  const [showAll, setShowAll] = useState(false);
  const me = useUser().id;
  const { slug, member_count, more_members } = club;
  const more = useMore(more_members, queries.moreMembers(slug, more_members ?? ''));
  const members = uniqueById([...club.members, ...more.pages.flatMap((page) => page.members)]);
  const alone = member_count === 1 && admin && !steps;
  const shown = showAll ? members : members.slice(0, firstMembers);
  const count = members.length + (club.left_out?.members ?? 0);
  const hasHidden = !showAll && shown.length < count;
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
        <ul className="py-2">
          {shown.map((member) => (
            <Row key={member.id} member={member} own={member.id === me} />
          ))}
        </ul>
        {(hasHidden || more.hasMore) && (
          <ShowMore
            className="px-4 pb-4"
            busy={showAll && more.busy}
            failed={more.failed}
            onPress={hasHidden ? () => setShowAll(true) : more.load}
          >
            {more.hasMore ? t('showMoreMembers') : t('showAllMembers', { n: count })}
          </ShowMore>
        )}
        {alone && (
          <EmptyState
            icon={UsersRound}
            title={t('inviteYourMembers')}
            text={t('inviteYourMembersText')}
            className="border-t border-line py-8!"
          />
        )}
      </Card>
    </Section>
  );
}

function Row({ member, own }: { member: Member; own: boolean }) {
  const name = fullName(member);
  return (
    <li className="flex min-h-14 items-center gap-3 px-4 py-1.5">
      <Avatar
        name={name}
        seed={member.id}
        src={member.profile_picture_url}
        srcSet={sourceSet(member.profile_picture_url, 'person')}
        size="md"
      />
      <span className="min-w-0 wrap-anywhere">
        {name}
        {own && <span className="text-muted"> {t('you')}</span>}
      </span>
      <span className="ml-auto">
        {member.club_role === role.admin && <AdminIcon own={own} />}
        {member.club_role === role.organiser && <Badge>{t('organiser')}</Badge>}
      </span>
    </li>
  );
}
