import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { useBack } from '#web/useBack.ts';
import { usePreview } from '#web/usePreview.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { ClubMembers } from '#features/members/web/ClubMembers.tsx';
import { LatestUpdate } from '#features/updates/web/LatestUpdate.tsx';
import { hueOf } from '#wire/hue.ts';
import { BackButton } from '#ui/PageHeader.tsx';
import { ClubEvents } from './ClubEvents.tsx';
import { ClubHeader } from './ClubHeader.tsx';
import { ClubCare, FirstSteps, needsClubCare } from './LazyClubParts.tsx';
import { t } from '#features/clubs/messages.ts';

export default function ClubPage() {
  const { slug = '' } = useParams();
  const { data: club } = useSuspenseQuery(queries.club(slug));
  const admin = isAdminIn(club, useUser().id);
  const steps = admin && club.first_steps !== null && (
    <Suspense>
      <FirstSteps club={club} />
    </Suspense>
  );
  const back = useBackFromClub();
  useTitle(club.club_name);
  usePreview(
    club.club_name,
    club.club_description ||
      t('defaultDescription', { club: club.club_name, productName: settings.productName }),
  );
  return (
    <div data-hue={hueOf(club.id)}>
      <div className="-mt-5 sm:mt-0 sm:mb-2">
        <BackButton onClick={back} />
      </div>
      <ClubHeader club={club} admin={admin} />
      <div className="mt-2 grid gap-x-12 gap-y-6 sm:mt-8 sm:gap-y-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-1 sm:gap-10">
          {needsClubCare(club) && (
            <Suspense>
              <ClubCare club={club} />
            </Suspense>
          )}
          {/* Above the other content while the club has no events, then below it. */}
          {club.event_count === 0 && steps}
          <LatestUpdate club={club} />
          <ClubEvents club={club} steps={steps !== false} />
          {club.event_count > 0 && steps}
        </div>
        <ClubMembers club={club} admin={admin} steps={steps !== false} />
      </div>
    </div>
  );
}

/** Goes back one page after a creation form, otherwise home. */
function useBackFromClub(): () => void {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const stepBack = useBack('/app');
  return /new-(club|event|update)/.test(hash) ? stepBack : () => void navigate('/app');
}
