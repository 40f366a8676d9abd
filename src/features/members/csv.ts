import { csv, csvName, type Column } from '#platform/csv.ts';
import type { Instant } from '#wire/instant.ts';
import { inLook, look, type Look } from '#wire/look.ts';
import { dateIn } from '#wire/wall-time.ts';
import type { ListFile } from '#features/members/contract.ts';
import { t } from '#features/members/csv-messages.ts';
import type { ListedMember } from '#features/members/list-queries.ts';
import type { ClubRole } from '#features/users/contract.ts';

const roleName = (role: ClubRole) => ({ 200: t('admin'), 100: t('organiser'), 0: t('member') })[role];

const dayOf = (time: Instant) => dateIn(look().timeZone ?? 'UTC', time);

const columns = (): Column<ListedMember>[] => [
  { heading: t('firstName'), text: ({ first_name }) => first_name },
  { heading: t('lastName'), text: ({ last_name }) => last_name },
  { heading: t('email'), text: ({ email }) => email },
  { heading: t('role'), text: ({ club_role }) => roleName(club_role) },
  { heading: t('sections'), text: ({ sections }) => sections.join(', ') },
  { heading: t('joined'), text: ({ joined_at }) => dayOf(joined_at) },
  { heading: t('phone'), text: ({ phone }) => phone },
];

/** The members of a club as a file for this reader. */
export const memberFile = async (
  reader: Look,
  club: string,
  members: readonly ListedMember[],
  now: Instant,
): Promise<ListFile> => ({
  file_name: inLook(reader, () => csvName(dayOf(now), t('fileName', { club }))),
  content: await csv(reader, members, columns),
});
