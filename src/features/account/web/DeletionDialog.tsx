import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { queries } from '#web/queries.ts';
import type { Choice, Deletion } from '#features/account/contract.ts';
import { fullName } from '#features/users/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { Select } from '#ui/Select.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';

/** Option value for deleting the club instead of choosing a successor. */
const deleteOption = 'delete';

type DeletionDialogProps = { busy: boolean; onClose: () => void; onDecided: (choices: Choice[]) => void };

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
      title="Delete your account?"
      description="This takes effect immediately and can't be undone."
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            Keep my account
          </Button>
          <Button type="submit" form={form} disabled={!data} busy={busy}>
            Mail me a code
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
        <Consequences />
        {!data && !isError && <SkeletonText lines={2} />}
        {isError && (
          <Banner
            tone="warn"
            role="alert"
            action={
              <Button variant="secondary" size="sm" busy={isFetching} onClick={() => void refetch()}>
                Try again
              </Button>
            }
          >
            What happens to your clubs did not load.
          </Banner>
        )}
        {data && <GoAlong clubs={data.go_along} />}
        {clubs.map((club) => (
          <Field
            key={club.id}
            label={`Who takes over ${club.club_name}?`}
            hint={`You are its only admin. Whom you choose becomes admin and hosts your upcoming events there.${
              club.other_count > club.members.length
                ? ' For somebody who is not in this list, make them an admin on the members page first.'
                : ''
            }`}
            error={
              submitted && !choiceFrom(club, picked[club.id])
                ? 'Choose who takes over, or delete the club.'
                : undefined
            }
            required
          >
            <Select
              name={club.id}
              value={picked[club.id] ?? ''}
              onChange={(event) => setPicked({ ...picked, [club.id]: event.target.value })}
            >
              <option value="">Choose…</option>
              {club.members.map((member) => (
                <option key={member.id} value={member.id}>
                  {fullName(member)}
                </option>
              ))}
              <option value={deleteOption}>Nobody: delete the club for all its members</option>
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
): Choice | undefined {
  if (pick === deleteOption) return { club: id, delete: true };
  const successor = members.find((member) => member.id === pick);
  return successor && { club: id, successor: successor.id };
}

function Consequences() {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div>
        <h3 className="font-semibold">What goes</h3>
        <ul className="mt-1 list-disc space-y-1 pl-5 text-sm text-muted">
          <li>your profile, your address and your pictures</li>
          <li>your places in clubs, and in events past and coming</li>
          <li>your notifications, settings, feedback and calendar addresses</li>
          <li>invite links that you made</li>
        </ul>
      </div>
      <div>
        <h3 className="font-semibold">What stays</h3>
        <ul className="mt-1 list-disc space-y-1 pl-5 text-sm text-muted">
          <li>updates that you wrote, without your name</li>
          <li>events that you hosted: those to come get another host</li>
        </ul>
      </div>
    </div>
  );
}

function GoAlong({ clubs }: { clubs: Deletion['go_along'] }) {
  if (clubs.length === 0) return null;
  return (
    <Banner
      tone="warn"
      title={`Deleted as well, because you are alone in ${clubs.length > 1 ? 'them' : 'it'}`}
    >
      {clubs.map(({ club_name }) => club_name).join(', ')}
    </Banner>
  );
}
