import { CalendarHeart, Globe, MapPin, Pencil, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import { websiteHref, websiteText } from '#features/clubs/rules.ts';
import { InviteMembers } from '#features/invites/web/InviteMembers.tsx';
import { sourceSet } from '#wire/pictures.ts';
import { LeaveClub } from '#features/members/web/LeaveClub.tsx';
import { Avatar } from '#ui/Avatar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { Cover } from '#ui/Cover.tsx';
import { Folded } from '#ui/Folded.tsx';
import { monthYear } from '#wire/format.ts';
import { LinkedText } from '#ui/LinkedText.tsx';
import { ClubCalendar } from './ClubCalendar.tsx';
import { ClubMenu } from './ClubMenu.tsx';
import { t } from '#features/clubs/messages.ts';
import type { Elements } from '#ui/elements.ts';

/** Classes of a header action, whose labels may wrap on a phone. */
const action =
  'max-sm:min-w-min max-sm:grow max-sm:basis-0 max-sm:shrink max-sm:gap-1 max-sm:px-1.5 max-sm:text-xs max-sm:[&_svg]:size-4 sm:px-3 sm:text-sm xl:[&_svg]:hidden';

/** Classes of a header action that needs a network. */
const onlineAction = cn(action, 'offline:hidden');

/** The club's pictures, name, description and facts, and everything that the viewer can do with it. */
export function ClubHeader({ club, admin }: { club: Club; admin: boolean }) {
  return (
    <Card asChild flush>
      <header>
        <Cover
          seed={club.id}
          src={club.profile_banner_url}
          srcSet={sourceSet(club.profile_banner_url, 'banner')}
          className={club.profile_banner_url ? 'aspect-3/1! max-h-55' : 'aspect-auto! h-12 sm:h-24'}
        />
        <div className="grid gap-1 px-3 pb-3 sm:gap-2 sm:px-6 sm:pb-4">
          <div className="flex items-start gap-3">
            <Avatar
              square
              size="lg"
              name={club.club_name}
              seed={club.id}
              src={club.profile_picture_url}
              className="relative -mt-6 ring-4 ring-surface"
            />
            <h1 className="mt-1.5 text-lg font-bold wrap-anywhere sm:text-2xl">{club.club_name}</h1>
          </div>
          {club.club_description && (
            <Folded
              likelyLong={club.club_description.length > 100}
              className="max-w-prose whitespace-pre-line wrap-anywhere max-sm:text-sm"
            >
              <LinkedText text={club.club_description} />
            </Folded>
          )}
          <div className="grid gap-1 sm:gap-2 xl:flex xl:items-center xl:justify-between xl:gap-6">
            <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-muted sm:gap-x-4 sm:text-sm">
              {club.location_name && <Fact icon={<MapPin aria-hidden />}>{club.location_name}</Fact>}
              {club.meta.website && (
                <Fact icon={<Globe aria-hidden />}>
                  <a
                    href={websiteHref(club.meta.website)}
                    target="_blank"
                    rel="noopener noreferrer"
                    className="text-accent underline underline-offset-4 hover:text-accent-strong"
                  >
                    {websiteText(club.meta.website)}
                  </a>
                </Fact>
              )}
              <Fact icon={<CalendarHeart aria-hidden />}>
                {t('joined', { month: monthYear(club.created_at) })}
              </Fact>
            </div>
            <div className="mt-1 flex flex-wrap gap-1.5 sm:gap-2 xl:mt-0 xl:shrink-0">
              {club.is_planner && (
                <Button asChild className={onlineAction}>
                  <Link to={`/app/${club.slug}/new-event`}>
                    <Plus aria-hidden />
                    {t('newEvent')}
                  </Link>
                </Button>
              )}
              {admin && <InviteMembers club={club} variant="secondary" className={onlineAction} />}
              {/* On a phone, what planners and admins rarely need is in the menu. */}
              <ClubCalendar club={club} className={cn(action, club.is_planner && 'max-sm:hidden')} />
              {admin && (
                <Button asChild variant="secondary" className={cn(onlineAction, 'max-sm:hidden')}>
                  <Link to={`/app/clubs/${club.slug}/edit`}>
                    <Pencil aria-hidden />
                    {t('edit')}
                  </Link>
                </Button>
              )}
              <LeaveClub club={club} className={cn(onlineAction, 'max-sm:hidden')} />
              <ClubMenu club={club} admin={admin} />
            </div>
          </div>
        </div>
      </header>
    </Card>
  );
}

function Fact({ icon, children }: { icon: Elements; children: ReactNode }) {
  return (
    <p className="inline-flex min-w-0 items-start gap-1 sm:gap-1.5 [&_svg]:mt-0.5 [&_svg]:size-3.5 sm:[&_svg]:size-4.5 [&_svg]:shrink-0">
      {icon}
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}
