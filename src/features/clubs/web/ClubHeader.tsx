import { CalendarDays, CalendarHeart, Globe, MapPin, Pencil } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import { websiteHref, websiteText } from '#features/clubs/rules.ts';
import { sourceSet } from '#features/media/rules.ts';
import { LeaveClub } from '#features/members/web/LeaveClub.tsx';
import { Avatar } from '#ui/Avatar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Cover } from '#ui/Cover.tsx';
import { monthYear } from '#ui/format.ts';
import { LinkedText } from '#ui/LinkedText.tsx';

const CalendarDialog = lazy(() =>
  import('#features/calendar/web/CalendarDialog.tsx').then((module) => ({ default: module.CalendarDialog })),
);

/** The club's pictures, name and description, with its calendar, edit and leave buttons. */
export function ClubHeader({ club, admin }: { club: Club; admin: boolean }) {
  return (
    <Card asChild flush>
      <header>
        <Cover
          seed={club.id}
          src={club.profile_banner_url}
          srcSet={sourceSet(club.profile_banner_url, 'banner')}
          className={club.profile_banner_url ? 'aspect-3/1!' : 'aspect-5/2 sm:aspect-auto sm:h-52 lg:h-60'}
        />
        <div className="px-5 pb-5 sm:px-8 sm:pb-8">
          <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
            <Avatar
              square
              size="xl"
              name={club.club_name}
              seed={club.id}
              src={club.profile_picture_url}
              className="relative -mt-12 ring-4 ring-surface"
            />
            <div className="flex flex-wrap items-center gap-2 pt-3">
              <ClubCalendar club={club} />
              {admin && (
                <Button asChild variant="secondary">
                  <Link to={`/app/clubs/${club.slug}/edit`}>
                    <Pencil aria-hidden />
                    Edit
                  </Link>
                </Button>
              )}
            </div>
          </div>
          <h1 className="mt-4 text-2xl font-bold wrap-anywhere sm:text-3xl">{club.club_name}</h1>
          {club.club_description && (
            <p className="mt-2 max-w-prose whitespace-pre-line wrap-anywhere">
              <LinkedText text={club.club_description} />
            </p>
          )}
          <div className="mt-4 flex flex-wrap items-center gap-x-5 gap-y-2 text-sm text-muted">
            {club.location_name && <Fact icon={<MapPin aria-hidden />}>{club.location_name}</Fact>}
            {club.meta.website && (
              <Fact icon={<Globe aria-hidden />}>
                <a
                  href={websiteHref(club.meta.website)}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="py-1 text-accent underline underline-offset-4 hover:text-accent-strong"
                >
                  {websiteText(club.meta.website)}
                </a>
              </Fact>
            )}
            <Fact icon={<CalendarHeart aria-hidden />}>Joined {monthYear(club.created_at)}</Fact>
            <div className="-ml-4 sm:-mr-4 sm:ml-auto">
              <LeaveClub club={club} />
            </div>
          </div>
        </div>
      </header>
    </Card>
  );
}

function Fact({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="inline-flex min-w-0 items-start gap-1.5 [&_svg]:mt-0.5 [&_svg]:size-4.5 [&_svg]:shrink-0">
      {icon}
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

function ClubCalendar({ club }: { club: Club }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" onClick={() => setOpen(true)}>
        <CalendarDays aria-hidden />
        Club Calendar
      </Button>
      {open && (
        <Suspense>
          <CalendarDialog
            open
            onOpenChange={setOpen}
            feed={{
              kind: 'club',
              club_id: club.id,
              club_name: club.club_name,
              secret: club.ical_feed_url_id,
            }}
          />
        </Suspense>
      )}
    </>
  );
}
