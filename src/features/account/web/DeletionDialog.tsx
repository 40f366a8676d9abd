import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { queries } from '#web/queries.ts';
import type { ClubChoice, Deletion } from '#features/account/contract.ts';
import { fullName } from '#features/users/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { Select } from '#ui/Select.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#features/account/messages.ts';

/** Option value for deleting the club instead of choosing a successor. */
const deleteOption = 'delete';

type DeletionDialogProps = { busy: boolean; onClose: () => void; onDecided: (choices: ClubChoice[]) => void };

/** Lists what is deleted, and asks for a successor in each club whose only admin is the user. */
export function DeletionDialog({ busy, onClose, onDecided }: DeletionDialogProps) {
  const { data, isError, isFetching, refetch } = useQuery({ ...queries.deletion(), staleTime: 0 });
  const [picked, setPicked] = useState<Record<string, string>>({});
  const [submitted, setSubmitted] = useState(false);
  const form = useId();
  const clubs = data?.need_choice ?? [];
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    const open = clubs.find((club) => !choiceFrom(club, picked[club.id]));
    if (!data || open)
      return event.currentTarget.querySelector<HTMLSelectElement>(`[name="${open?.id}"]`)?.focus();
    onDecided(clubs.flatMap((club) => choiceFrom(club, picked[club.id]) ?? []));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={false}
      role="alertdialog"
      title={t('deleteYourAccountQuestion')}
      description={t('deleteYourAccountQuestionText')}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('keepMyAccount')}
          </Button>
          <Button type="submit" variant="danger" form={form} disabled={!data} busy={busy}>
            {t('emailMeACode')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <Consequences />
        {!data && !isError && <SkeletonText lines={2} />}
        {isError && (
          <NotLoaded busy={isFetching} retry={() => void refetch()}>
            {t('clubsNotLoaded')}
          </NotLoaded>
        )}
        {data && <GoAlong clubs={data.go_along} />}
        {clubs.map((club) => (
          <Field
            key={club.id}
            label={t('whoTakesOver', { club: club.club_name })}
            hint={t(club.other_count > club.members.length ? 'successorOfMany' : 'successor')}
            error={submitted && !choiceFrom(club, picked[club.id]) ? t('successorMissing') : undefined}
            required
          >
            <Select
              name={club.id}
              value={picked[club.id] ?? ''}
              onChange={(event) => setPicked({ ...picked, [club.id]: event.target.value })}
            >
              <option value="">{t('choose')}</option>
              {club.members.map((member) => (
                <option key={member.id} value={member.id}>
                  {fullName(member)}
                </option>
              ))}
              <option value={deleteOption}>{t('noSuccessor')}</option>
            </Select>
          </Field>
        ))}
      </form>
    </Dialog>
  );
}

/** `undefined` if nothing is chosen, or if the chosen member has left meanwhile. */
function choiceFrom(
  { id, members }: Deletion['need_choice'][number],
  pick: string | undefined,
): ClubChoice | undefined {
  if (pick === deleteOption) return { club: id, delete: true };
  const successor = members.find((member) => member.id === pick);
  return successor && { club: id, successor: successor.id };
}

function Consequences() {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div>
        <h3 className="font-semibold">{t('whatGoes')}</h3>
        <ul className="mt-1 list-disc space-y-1 pl-5 text-sm text-muted">
          <li>{t('goesProfile')}</li>
          <li>{t('goesPlaces')}</li>
          <li>{t('goesSettings')}</li>
          <li>{t('goesInviteLinks')}</li>
        </ul>
      </div>
      <div>
        <h3 className="font-semibold">{t('whatStays')}</h3>
        <ul className="mt-1 list-disc space-y-1 pl-5 text-sm text-muted">
          <li>{t('staysUpdates')}</li>
          <li>{t('staysEvents')}</li>
        </ul>
      </div>
    </div>
  );
}

function GoAlong({ clubs }: { clubs: Deletion['go_along'] }) {
  if (clubs.length === 0) return null;
  return (
    <Banner tone="warn" title={t('deletedAsWell')}>
      {clubs.map(({ club_name }) => club_name).join(', ')}
    </Banner>
  );
}
