import type { Config } from '#platform/config.ts';
import type { Sender, NoticeActor } from '#platform/notices/notice.ts';
import { t } from '#features/members/notice-messages.ts';
import type { ClubForReader } from '#features/members/queries.ts';
import { fullName } from '#features/users/rules.ts';

/** The name of the person who caused a notice. */
export const actorName = (actor: NoticeActor): string => (actor ? fullName(actor) : t('someone'));

/** A club on whose behalf an email is sent. */
export const senderOf = ({ club_id: id, club_name: name, club_picture: picture }: ClubForReader): Sender => ({
  id,
  name,
  picture,
});

/** The footer of emails to members. */
export const whyMember = ({ productName }: Pick<Config, 'productName'>, club: string): string =>
  t('asMember', { club, product: productName });

/** A club as the sender of a line of the weekly email. */
export const lineFrom = ({ publicUrl }: Pick<Config, 'publicUrl'>, club: ClubForReader) => ({
  sender: senderOf(club),
  page: `${publicUrl}/app/clubs/${club.club_slug}`,
});

/** The button that opens a club. */
export const openClub = ({ publicUrl }: Pick<Config, 'publicUrl'>, path: string) => ({
  label: t('openClub'),
  url: `${publicUrl}${path}`,
});
