import { ChevronDown, Crown } from 'lucide-react';
import { useId, useState } from 'react';
import { useUser } from '#web/useSession.ts';
import { sourceSet } from '#wire/pictures.ts';
import type { MemberForAdmin } from '#features/members/contract.ts';
import { fullName, ownName, role } from '#features/members/rules.ts';
import type { Section } from '#features/sections/contract.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { EjectButton } from './EjectButton.tsx';
import { MemberMenu } from './MemberMenu.tsx';
import { NotArriving } from './NotArriving.tsx';
import type { MembersProps } from './MemberTable.tsx';
import { RoleSelect, roleNames } from './RoleSelect.tsx';
import { SectionBadges } from './SectionFilter.tsx';
import { t } from '#features/members/messages.ts';
import type { Elements } from '#ui/elements.ts';

/** The members of a club on a small screen: names that expand to details and actions. */
export function MemberList({ club, members, sections }: MembersProps) {
  return (
    <Card flush>
      <ul className="divide-y divide-line">
        {members.map((member, at) => (
          <Item key={member.id} member={member} previous={members[at - 1]?.id} sections={sections}>
            <div className="flex flex-wrap items-end gap-3">
              <div className="min-w-40 flex-1">
                <p aria-hidden className="mb-1.5 text-sm font-semibold">
                  {t('role')}
                </p>
                <RoleSelect club={club} member={member} />
              </div>
              <div className="flex">
                <EjectButton club={club} member={member} />
                <MemberMenu club={club} member={member} />
              </div>
            </div>
          </Item>
        ))}
      </ul>
    </Card>
  );
}

type ItemProps = {
  member: MemberForAdmin;
  /** The id of the member in the row above. */
  previous: string | undefined;
  sections: readonly Section[];
  children: Elements;
};

function Item({ member, previous, sections, children }: ItemProps) {
  const [open, setOpen] = useState(false);
  const body = useId();
  const own = useUser().id === member.id;
  return (
    <li>
      <h2>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => setOpen(!open)}
          className="flex min-h-16 w-full items-center gap-3 px-4 py-2.5 text-left focus-visible:-outline-offset-2"
        >
          <Avatar
            name={ownName(member)}
            seed={member.id}
            previous={previous}
            src={member.profile_picture_url}
            srcSet={sourceSet(member.profile_picture_url, 'person')}
          />
          <span className="min-w-0 flex-1 tracking-normal wrap-anywhere">
            <span className="font-semibold">{fullName(member)}</span>
            {own && <span className="font-normal text-muted"> {t('you')}</span>}
            <span className="block text-sm font-normal text-muted"> {roleNames()[member.club_role]}</span>
            {member.email_refused && <NotArriving />}
            <SectionBadges sections={sections} ids={member.section_ids} className="mt-1 font-normal" />
          </span>
          {member.club_role === role.admin && <Crown aria-hidden className="size-4.5 shrink-0 text-warn" />}
          <ChevronDown
            aria-hidden
            className={cn('size-5 shrink-0 text-muted transition-transform', open && 'rotate-180')}
          />
        </button>
      </h2>
      <div id={body} hidden={!open} className="px-4 pt-1 pb-5">
        <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
          <Fact name={t('email')} text={member.email} />
          <Fact name={t('userName')} text={member.user_name || t('none')} />
        </dl>
        {children}
      </div>
    </li>
  );
}

const Fact = ({ name, text }: { name: string; text: string }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="wrap-anywhere">{text}</dd>
  </>
);
