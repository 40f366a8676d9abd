import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import type { Event } from '#features/events/contract.ts';
import { fullName, ownName, role } from '#features/members/rules.ts';
import { Avatar } from '#ui/Avatar.tsx';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

type HandOverDialogProps = { event: Event; onOpenChange: (open: boolean) => void };

/** Chooses the host among the planners of the club. A viewer who is not the host is selected by default. */
export default function HandOverDialog({ event, onOpenChange }: HandOverDialogProps) {
  const { id: viewer } = useUser();
  const isHost = event.my_role === 'organiser';
  const [chosen, setChosen] = useState(isHost ? undefined : viewer);
  const planners = usePlanners(event);
  const save = useSubmit({
    mutationFn: (user_id: string) => api.answers.handOver({ event: event.slug, user_id }),
    onSuccess: async () => {
      await refreshEvents();
      onOpenChange(false);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={isHost ? t('chooseHost') : t('takeOver')}
      description={t('chooseHostText')}
      size="sm"
      footer={
        <Button
          disabled={!chosen}
          busy={save.isPending}
          busyLabel={t('handingOver')}
          onClick={() => chosen && save.mutate(chosen)}
        >
          {chosen === viewer ? t('takeOver') : t('makeHost')}
        </Button>
      }
    >
      {save.error && (
        <Banner tone="error" role="alert" title={t('hostNotChanged')} className="mb-3">
          {explain(save.error)}
        </Banner>
      )}
      {planners.error && (
        <Banner tone="error" title={t('membersNotLoaded')}>
          {explain(planners.error)}
        </Banner>
      )}
      {planners.isPending && <SkeletonText lines={3} />}
      {planners.data?.length === 0 && <p className="text-muted">{t('noOtherPlanner')}</p>}
      <fieldset>
        <legend className="sr-only">{t('newHost')}</legend>
        {planners.data?.map((planner) => (
          <label
            key={planner.id}
            className="flex min-h-12 cursor-pointer items-center gap-3 rounded-md px-2 hover:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="host"
              checked={planner.id === chosen}
              onChange={() => setChosen(planner.id)}
              className="size-5 shrink-0 accent-accent"
            />
            <Avatar name={ownName(planner)} src={planner.profile_picture_url} seed={planner.id} size="sm" />
            <span className="min-w-0 wrap-anywhere">
              {planner.id === viewer ? t('you', { name: fullName(planner) }) : fullName(planner)}
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}

/** The planners of the club who are not the host, the viewer first. The first page of members begins with them. */
function usePlanners({ owner_club_id: club, attendees }: Event) {
  const { id: viewer } = useUser();
  const host = attendees.find(({ attendee_role }) => attendee_role === 'organiser')?.attendee_id;
  return useQuery({
    ...queries.club(club),
    select: ({ members, organisers_plan }) =>
      members
        .filter(
          ({ id, club_role }) => id !== host && club_role >= (organisers_plan ? role.organiser : role.admin),
        )
        .sort((one, other) => Number(other.id === viewer) - Number(one.id === viewer)),
  });
}
