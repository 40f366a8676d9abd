import { type FormEvent, useState } from 'react';
import { showToast } from '#web/copy.ts';
import { isBlank } from '#wire/blank.ts';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { t } from '#features/invites/messages.ts';

export type Names = { first_name: string; last_name: string };

type NamePromptProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  clubName: string;
  busy: boolean;
  onNames: (names: Names) => void;
};

/** Asks for a name, which is required to join a club. */
export function NamePrompt({ open, onOpenChange, clubName, busy, onNames }: NamePromptProps) {
  const [names, setNames] = useState<Names>({ first_name: '', last_name: '' });
  const [submitted, setSubmitted] = useState(false);
  const control = (name: keyof Names) => ({
    value: names[name],
    onChange: ({ target }: { target: { value: string } }) => setNames({ ...names, [name]: target.value }),
  });
  const missing = (name: keyof Names) => submitted && isBlank(names[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (!isBlank(names.first_name) && !isBlank(names.last_name)) return onNames(names);
    setSubmitted(true);
    showToast('nameMissing');
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('whatIsYourName')}
      description={t('whatIsYourNameText', { club: clubName })}
      dismissible={false}
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
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
    </Dialog>
  );
}
