import { useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Afterwards } from '#features/members/handover-contract.ts';
import { fullName } from '#features/members/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { type RadioChoice, RadioList } from '#ui/RadioList.tsx';
import type { MemberActionProps } from './RoleSelect.tsx';
import { t } from '#features/members/handover-messages.ts';

const choices = (): RadioChoice<Afterwards>[] => [
  { value: 'stay', label: t('stayAdmin') },
  { value: 'step_down', label: t('becomeMember') },
  { value: 'leave', label: t('leaveTheClub') },
];

type HandOverClubDialogProps = MemberActionProps & { onOpenChange: (open: boolean) => void };

/** Offers to hand over the club to a member, and says what follows for the admin. */
export default function HandOverClubDialog({ club, member, onOpenChange }: HandOverClubDialogProps) {
  const [afterwards, setAfterwards] = useState<Afterwards>('stay');
  const name = fullName(member);
  const offer = useSubmit({
    mutationFn: () => api.members.offerHandover({ club: club.slug, user_id: member.id, afterwards }),
    onSuccess: async () => {
      onOpenChange(false);
      showToast({ title: t('offered', { name }) });
      await queryClient.invalidateQueries({ queryKey: ['club'] });
    },
  });
  // An offer from the member to the viewer is not possible, because the member is no admin.
  const former = club.handover?.to.id === member.id ? undefined : club.handover?.to;
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={<span className="wrap-anywhere">{t('handOverTitle', { club: club.club_name, name })}</span>}
      description={t('handOverText', { name })}
      footer={
        <Button busy={offer.isPending} busyLabel={t('offering')} onClick={() => offer.mutate()}>
          {t('offer')}
        </Button>
      }
    >
      {offer.error && (
        <Banner tone="error" role="alert" title={t('notOffered')} className="mb-3">
          {explain(offer.error)}
        </Banner>
      )}
      <RadioList legend={t('forYourself')} choices={choices()} value={afterwards} onChange={setAfterwards} />
      {former && <p className="mt-2 text-sm text-muted">{t('replacesOffer', { name: fullName(former) })}</p>}
    </Dialog>
  );
}
