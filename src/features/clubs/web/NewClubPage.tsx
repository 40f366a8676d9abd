import { type FormEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { explain, sentence } from '#web/explain.ts';
import { refreshUser } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useDraft } from '#web/useDraft.ts';
import { useUser } from '#web/useSession.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { PageHeader } from '#ui/PageHeader.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { t } from '#features/clubs/form-messages.ts';

export default function NewClubPage() {
  const [{ name, firstName }, setDraft, kept] = useDraft('new-club', { name: '', firstName: '' });
  // Keeps the initial value, so that the field for the first name stays if that name was saved but the club could not
  // be created.
  const [isNameless] = useState(useUser().first_name === '');
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const create = useCreate(kept.forget);
  const back = useBack('/app');
  useTitle(t('newClub'));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBlank(name))
      return create.mutate({ club_name: name, first_name: isNameless ? firstName.trim() : '' });
    setError(t('clubNameRequired'));
    field.current?.focus();
  };
  return (
    <div className="mx-auto max-w-xl sm:pt-6">
      <PageHeader title={t('newClubTitle')} text={t('newClubText')} />
      <DraftNotice of={kept} />
      <Card asChild>
        <form onSubmit={submit} noValidate className="flex flex-col gap-6">
          <Field label={t('clubName')} required error={error}>
            <TextInput
              ref={field}
              value={name}
              autoComplete="off"
              maxLength={80}
              autoFocus
              onChange={(event) => {
                setDraft((draft) => ({ ...draft, name: event.target.value }));
                setError(undefined);
              }}
            />
          </Field>
          {isNameless && (
            <Field label={t('yourFirstName')} hint={t('yourFirstNameHint')}>
              <TextInput
                value={firstName}
                autoComplete="given-name"
                maxLength={60}
                onChange={(event) => setDraft((draft) => ({ ...draft, firstName: event.target.value }))}
              />
            </Field>
          )}
          <NotSaved title={t('clubNotCreated')} reason={create.error && sentence(create.error)} />
          <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-between">
            <Button variant="secondary" onClick={back}>
              {t('back')}
            </Button>
            <Button type="submit" busy={create.isPending} busyLabel={t('creating')}>
              {t('createClub')}
            </Button>
          </div>
        </form>
      </Card>
    </div>
  );
}

function useCreate(forgetDraft: () => void) {
  const showFailure = useFailureToast();
  const navigate = useNavigate();
  return useSubmit({
    async mutationFn({ club_name, first_name }: { club_name: string; first_name: string }) {
      // The first name is saved first, because saving it can be repeated, but a club must not be created twice.
      if (first_name) await api.users.update({ first_name });
      return api.clubs.create({ club_name });
    },
    onSuccess: async ({ slug }) => {
      forgetDraft();
      await refreshUser();
      await navigate(`/app/clubs/${slug}#new-club`, { replace: true });
    },
    onError: (failure) => showFailure({ title: t('clubNotCreated'), text: explain(failure) }),
  });
}
