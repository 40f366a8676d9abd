import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain, sentence } from '#web/explain.ts';
import { queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import type { Contact } from '#features/members/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { type RadioChoice, RadioList } from '#ui/RadioList.tsx';
import { Rich } from '#ui/Rich.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#features/members/contact-messages.ts';

type PhoneFor = Contact['phone_for'];

const choices = (): RadioChoice<PhoneFor>[] => [
  { value: 'nobody', label: t('nobody') },
  { value: 'hosts', label: t('hosts'), hint: t('hostsText') },
  { value: 'members', label: t('members') },
];

type ContactDialogProps = { club: { slug: string; club_name: string }; onClose: () => void };

/** Chooses who sees the viewer's phone in a club. */
export function ContactDialog({ club, onClose }: ContactDialogProps) {
  const queryKey = ['contact', club.slug];
  const { phone } = useUser();
  const query = useQuery({ queryKey, queryFn: () => api.members.contact({ club: club.slug }) });
  const [chosen, setChosen] = useState<PhoneFor>();
  const phone_for = chosen ?? query.data?.phone_for;
  const save = useSubmit({
    mutationFn: (contact: Contact) => api.members.setContact({ club: club.slug, ...contact }),
    onSuccess: (saved) => {
      queryClient.setQueryData(queryKey, saved);
      showToast({ title: t('saved') });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('contact')}
      description={t('whoSeesPhone', { club: club.club_name })}
      footer={
        phone_for && (
          <Button busy={save.isPending} busyLabel={t('saving')} onClick={() => save.mutate({ phone_for })}>
            {t('save')}
          </Button>
        )
      }
    >
      <NotSaved title={t('notSaved')} reason={save.error && sentence(save.error)} />
      {phone_for ? (
        <RadioList
          legend={t('whoSeesPhone', { club: club.club_name })}
          legendHidden
          choices={choices()}
          value={phone_for}
          onChange={setChosen}
        />
      ) : query.error ? (
        <NotLoaded title={t('notLoaded')} retry={() => void query.refetch()}>
          {explain(query.error)}
        </NotLoaded>
      ) : (
        <SkeletonText lines={4} />
      )}
      {phone === '' && (
        <p className="mt-2 text-sm text-muted">
          <Rich parts={t.parts('noPhone', { link: toAccount })} />
        </p>
      )}
    </Dialog>
  );
}

const toAccount = (text: string) => (
  <Link to="/app/profile" className="text-accent underline underline-offset-4">
    {text}
  </Link>
);
