import type { Member } from '#features/members/contract.ts';
import { ownName } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { sourceSet } from '#wire/pictures.ts';

export type PortraitProps = {
  member: Omit<Member, 'section_ids'>;
  /** The id of the member before this one. */
  previous: string | undefined;
};

export const Portrait = ({ member, previous }: PortraitProps) => (
  <Avatar
    name={ownName(member)}
    seed={member.id}
    previous={previous}
    src={member.profile_picture_url}
    srcSet={sourceSet(member.profile_picture_url, 'person')}
  />
);
