import type { Config } from '#platform/config.ts';
import type { NoticeActor } from '#platform/notices/notice.ts';
import { t } from '#features/members/notice-messages.ts';
import { fullName } from '#features/users/rules.ts';

/** The name of the person who caused a notice. */
export const actorName = (actor: NoticeActor): string => (actor ? fullName(actor) : t('someone'));

/** The footer of emails to members. */
export const whyMember = ({ productName }: Pick<Config, 'productName'>, club: string): string =>
  t('asMember', { club, product: productName });

/** The button that opens a club. */
export const openClub = ({ publicUrl }: Pick<Config, 'publicUrl'>, path: string) => ({
  label: t('openClub'),
  url: `${publicUrl}${path}`,
});
