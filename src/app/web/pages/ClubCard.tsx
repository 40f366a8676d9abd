import { Crown } from 'lucide-react';
import { Link } from 'react-router';
import type { ClubOfUser } from '#features/users/contract.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Card } from '#ui/Card.tsx';
import { Tooltip } from '#ui/Tooltip.tsx';
import { t } from '#app/web/messages.ts';

/** Links to one of the user's clubs. `previous` is the id of the club before it in the list. */
export function ClubCard({ club, previous }: { club: ClubOfUser; previous: string | undefined }) {
  return (
    <Card asChild interactive flush>
      <Link to={`/app/clubs/${club.slug}`} className="flex items-center gap-2 p-1.5 lg:gap-3 lg:p-4">
        <Avatar
          square
          name={club.club_name}
          seed={club.id}
          previous={previous}
          src={club.profile_picture_url}
          className="max-lg:size-8 max-lg:text-xs"
        />
        <span className="min-w-0 grow">
          <span className="line-clamp-1 max-w-40 font-semibold wrap-anywhere max-lg:text-sm lg:line-clamp-2 lg:max-w-none">
            {club.club_name}
          </span>
          <span className="block text-sm text-muted max-lg:hidden">
            {t('memberCount', { n: club.users })}
          </span>
        </span>
        {club.club_role === 200 && (
          <Tooltip text={t('adminHint')}>
            <span className="grid size-8 shrink-0 place-items-center rounded-full text-warn max-lg:size-5 lg:bg-warn-soft">
              <Crown aria-hidden className="size-4" />
              <span className="sr-only">{t('adminHint')}</span>
            </span>
          </Tooltip>
        )}
      </Link>
    </Card>
  );
}
