import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
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

/** Chooses the host among the admins of the club. A viewer who is not the host is selected by default. */
export default function HandOverDialog({ event, onOpenChange }: HandOverDialogProps) {
  const { id: viewer } = useUser();
  const isHost = event.my_role === 'organiser';
  const [chosen, setChosen] = useState(isHost ? undefined : viewer);
  const admins = useAdmins(event);
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
      {admins.error && (
        <Banner tone="error" title={t('adminsNotLoaded')}>
          {explain(admins.error)}
        </Banner>
      )}
      {admins.isPending && <SkeletonText lines={3} />}
      {admins.data?.length === 0 && <p className="text-muted">{t('noOtherAdmin')}</p>}
      <fieldset>
        <legend className="sr-only">{t('newHost')}</legend>
        {admins.data?.map((admin) => (
          <label
            key={admin.id}
            className="flex min-h-12 cursor-pointer items-center gap-3 rounded-md px-2 hover:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="host"
              checked={admin.id === chosen}
              onChange={() => setChosen(admin.id)}
              className="size-5 shrink-0 accent-accent"
            />
            <Avatar name={ownName(admin)} src={admin.profile_picture_url} seed={admin.id} size="sm" />
            <span className="min-w-0 wrap-anywhere">
              {admin.id === viewer ? t('you', { name: fullName(admin) }) : fullName(admin)}
            </span>
          </label>
        ))}
      </fieldset>
    </Dialog>
  );
}

/** The admins of the club who are not the host, the viewer first. The first page of members begins with the admins. */
function useAdmins({ owner_club_id: club, attendees }: Event) {
  const { id: viewer } = useUser();
  const host = attendees.find(({ attendee_role }) => attendee_role === 'organiser')?.attendee_id;
  return useQuery({
    queryKey: ['admins', club],
    queryFn: () => api.members.ofClub({ club }),
    select: ({ members }) =>
      members
        .filter(({ id, club_role }) => club_role === role.admin && id !== host)
        .sort((one, other) => Number(other.id === viewer) - Number(one.id === viewer)),
  });
}
