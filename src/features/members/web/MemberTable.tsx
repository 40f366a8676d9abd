import { useUser } from '#web/useSession.ts';
import type { Club } from '#features/clubs/contract.ts';
import { sourceSet } from '#wire/pictures.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import { fullName, ownName, role } from '#features/members/rules.ts';
import type { Section } from '#features/sections/contract.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Card } from '#ui/Card.tsx';
import { AdminIcon } from './AdminIcon.tsx';
import { EjectButton } from './EjectButton.tsx';
import { MemberMenu } from './MemberMenu.tsx';
import { NotArriving } from './NotArriving.tsx';
import { RoleSelect } from './RoleSelect.tsx';
import { SectionBadges } from './SectionFilter.tsx';
import { t } from '#features/members/messages.ts';

export type MembersProps = {
  club: Club;
  members: readonly MemberForAdmin[];
  sections: readonly Section[];
};

/** The members of a club on a wide screen. */
export function MemberTable({ club, members, sections }: MembersProps) {
  const me = useUser();
  return (
    <Card flush className="overflow-x-auto">
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{t('membersOf', { club: club.club_name })}</caption>
        <thead>
          <tr className="border-b border-line text-sm text-muted [&>th]:px-4 [&>th]:py-3 [&>th]:font-semibold [&>th]:whitespace-nowrap">
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('userName')}</th>
            <th scope="col">{t('email')}</th>
            <th scope="col">{t('role')}</th>
            <th scope="col">
              <span className="sr-only">{t('eject')}</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {members.map((member, at) => (
            <tr key={member.id} className="[&>*]:px-4 [&>*]:py-3">
              <th scope="row" className="min-w-56 font-semibold">
                <span className="flex items-center gap-3">
                  <Avatar
                    name={ownName(member)}
                    seed={member.id}
                    previous={members[at - 1]?.id}
                    src={member.profile_picture_url}
                    srcSet={sourceSet(member.profile_picture_url, 'person')}
                  />
                  <span className="min-w-0 wrap-anywhere">
                    {fullName(member)}
                    {member.id === me.id && <span className="font-normal text-muted"> {t('you')}</span>}
                    <SectionBadges sections={sections} ids={member.section_ids} className="mt-1" />
                  </span>
                  {member.club_role === role.admin && <AdminIcon own={member.id === me.id} />}
                </span>
              </th>
              <td className="max-w-40 min-w-24 wrap-anywhere">{member.user_name || <None />}</td>
              <td className="min-w-56 wrap-anywhere">
                <span className="block">{member.email}</span>
                {member.email_refused && <NotArriving />}
              </td>
              <td className="min-w-44">
                <RoleSelect club={club} member={member} />
              </td>
              <td className="w-px">
                <span className="flex items-center gap-1">
                  <EjectButton club={club} member={member} />
                  <MemberMenu club={club} member={member} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

const None = () => <span className="text-muted">{t('none')}</span>;
