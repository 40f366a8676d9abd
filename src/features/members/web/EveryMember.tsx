import { api } from '#web/api.ts';
import type { PrintedGroup } from '#web/printed-list.tsx';
import { allPages, uniqueById } from '#web/useMore.ts';
import { bySection, fullName, role } from '#features/members/rules.ts';
import { t } from '#features/members/messages.ts';

/** All members of a club or of one section, by section. */
export async function everyMember(club: string, section: string | undefined): Promise<PrintedGroup[]> {
  const [sections, pages] = await Promise.all([
    api.sections.ofClub({ club }),
    allPages((after) => api.members.forAdmin({ club, section, after })),
  ]);
  const members = uniqueById(pages.flatMap((page) => page.members));
  const details = { [role.admin]: t('admin'), [role.organiser]: t('organiser'), [role.member]: '' };
  const shown = section ? sections.filter(({ id }) => id === section) : sections;
  return bySection(members, shown).map(({ people, ...group }) => ({
    ...group,
    rows: people.map((member) => ({
      id: member.id,
      name: fullName(member),
      details: details[member.club_role],
    })),
  }));
}
