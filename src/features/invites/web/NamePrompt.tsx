import { type FormEvent, useState } from 'react';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { useDraft } from '#web/useDraft.ts';
import { showToast } from '#web/copy.ts';
import { isBlank } from '#wire/blank.ts';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { t } from '#features/invites/invitation-messages.ts';

export type Names = { first_name: string; last_name: string };

type NamePromptProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  clubName: string;
  busy: boolean;
  /** `forgetDraft` is called once the names are saved. */
  onNames: (names: Names, forgetDraft: () => void) => void;
};

/** Asks for a name, which is required to join a club. */
export const NamePrompt = ({ open, onOpenChange, clubName, ...form }: NamePromptProps) => (
  <Dialog
    open={open}
    onOpenChange={onOpenChange}
    title={t('whatIsYourName')}
    description={t('whatIsYourNameText', { club: clubName })}
    dismissible={false}
  >
    <NameForm {...form} />
  </Dialog>
);

function NameForm({ busy, onNames }: Pick<NamePromptProps, 'busy' | 'onNames'>) {
  const [names, setNames, kept] = useDraft<Names>('name', { first_name: '', last_name: '' });
  const [submitted, setSubmitted] = useState(false);
  const control = (name: keyof Names) => ({
    value: names[name],
    onChange: ({ target }: { target: { value: string } }) => setNames({ ...names, [name]: target.value }),
  });
  const missing = (name: keyof Names) => submitted && isBlank(names[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (!isBlank(names.first_name) && !isBlank(names.last_name)) return onNames(names, kept.forget);
    setSubmitted(true);
    showToast('nameMissing');
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <DraftNotice of={kept} />
      <Field label={t('firstName')} required error={missing('first_name') && t('firstNameMissing')}>
        <TextInput {...control('first_name')} autoComplete="given-name" maxLength={60} />
      </Field>
      <Field label={t('lastName')} required error={missing('last_name') && t('lastNameMissing')}>
        <TextInput {...control('last_name')} autoComplete="family-name" maxLength={60} />
      </Field>
      <Button type="submit" busy={busy} busyLabel={t('joining')} className="mt-2 sm:self-end">
        {t('joinClub')}
      </Button>
    </form>
  );
}
