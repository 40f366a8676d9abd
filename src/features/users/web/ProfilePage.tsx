import { Bell, CalendarX2, LogOut } from 'lucide-react';
import type { FormEvent } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, logOut } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { settings } from '#web/settings.ts';
import { useBack } from '#web/useBack.ts';
import { useDraft } from '#web/useDraft.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { useRequestCode } from '#features/auth/web/useRequestCode.ts';
import { OwnPicture } from '#features/media/web/OwnPicture.tsx';
import { YourData } from '#features/account/web/YourData.tsx';
import type { User } from '#features/users/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { Failure } from '#wire/client.ts';
import { isPhone } from '#wire/phone.ts';
import { EmailChange, type RequestedEmail } from './EmailChange.tsx';
import { EmailConfirmation } from './EmailConfirmation.tsx';
import { LookSettings } from './LookSettings.tsx';
import { t } from '#features/users/messages.ts';
import { deviceTime } from '#wire/server-time.ts';

export default function ProfilePage() {
  useTitle(t('myAccount'));
  const user = useUser();
  const back = useBack('/app');
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const [{ requested, changed }, setDraft, kept] = useDraft<Draft>('profile', { changed: {} });
  const setRequested = (next: RequestedEmail | undefined) =>
    setDraft((draft) => ({ ...draft, requested: next }));
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title={t('myAccount')} back={<BackButton onClick={back} />} />
      <div className="flex flex-col gap-5">
        {query.has('email_code') ? (
          <EmailConfirmation />
        ) : (
          <EmailChange
            user={user}
            requested={requested}
            onChange={setRequested}
            onDone={() => void navigate('/app')}
          />
        )}
        <OwnPicture user={user} />
        <div>
          <DraftNotice of={kept} />
          <Card>
            <ProfileForm
              user={user}
              requested={requested}
              onEmailRequested={setRequested}
              changed={changed}
              onChange={(next) => setDraft((draft) => ({ ...draft, changed: next }))}
              onDone={() => {
                kept.forget();
                void navigate('/app');
              }}
            />
          </Card>
        </div>
        <LookSettings user={user} />
        <Button asChild variant="secondary" className="sm:self-start">
          <Link to="/app/settings/notifications">
            <Bell aria-hidden />
            {t('emailsAndNotifications')}
          </Link>
        </Button>
        <Button asChild variant="secondary" className="sm:self-start">
          <Link to="/app/away">
            <CalendarX2 aria-hidden />
            {t('imAway')}
          </Link>
        </Button>
        <YourData email={user.email} />
        <Button variant="secondary" className="mt-4 sm:self-start" onClick={() => void logOut()}>
          <LogOut aria-hidden />
          {t('logOut')}
        </Button>
        {settings.version && (
          <footer className="flex flex-wrap items-center gap-x-4 text-sm text-muted">
            <span>{t('version', { version: settings.version })}</span>
            <a
              href="/licenses.txt"
              target="_blank"
              rel="noopener noreferrer"
              className="py-3 underline underline-offset-4 hover:text-ink"
            >
              {t('licences')}
            </a>
          </footer>
        )}
      </div>
    </div>
  );
}

const fields = () =>
  [
    { key: 'email', label: t('email'), type: 'email', autoComplete: 'email' },
    { key: 'user_name', label: t('userName'), type: 'text', autoComplete: 'nickname' },
    { key: 'first_name', label: t('firstName'), type: 'text', autoComplete: 'given-name' },
    { key: 'last_name', label: t('lastName'), type: 'text', autoComplete: 'family-name' },
    { key: 'phone', label: t('phone'), type: 'tel', autoComplete: 'tel' },
  ] as const;

type Changed = Partial<Pick<User, ReturnType<typeof fields>[number]['key']>>;

/** Unsaved input, which survives the reload after a change of the language. */
interface Draft {
  requested?: RequestedEmail | undefined;
  changed: Changed;
}

const needsCode = (failure: unknown) => failure instanceof Failure && failure.error === 'code_missing';

interface ProfileFormProps {
  user: User;
  requested: RequestedEmail | undefined;
  onEmailRequested: (requested: RequestedEmail) => void;
  /** Only the fields that were changed here, so that saving does not overwrite changes from another device. */
  changed: Changed;
  onChange: (changed: Changed) => void;
  /** Called when everything is saved. */
  onDone: () => void;
}

/**
 * Leaves validation to the server. A new email is saved in separate steps, because it needs codes; all other fields are
 * saved at once.
 */
function ProfileForm({ user, requested, onEmailRequested, changed, onChange, onDone }: ProfileFormProps) {
  const { email, user_name, first_name, last_name, phone } = user;
  const showFailure = useFailureToast();
  const draft = { email: requested?.email ?? email, user_name, first_name, last_name, phone, ...changed };
  const sendCode = useRequestCode(
    () => onEmailRequested({ email: draft.email, sentAt: deviceTime() }),
    'email_change',
  );
  const save = useSubmit({
    mutationFn: async () => {
      try {
        return { saved: await api.users.update(draft), isEmailOpen: false };
      } catch (failure) {
        if (!needsCode(failure)) throw failure;
        const { email: _, ...others } = draft;
        return { saved: await api.users.update(others), isEmailOpen: true };
      }
    },
    onSuccess: ({ saved, isEmailOpen }) => {
      const isSaved = fields().some(({ key }) => key !== 'email' && saved[key] !== user[key]);
      queryClient.setQueryData(queries.user().queryKey, saved);
      onChange({});
      if (isSaved || !isEmailOpen) showToast('userUpdated');
      if (isEmailOpen) {
        onEmailRequested({ email: draft.email });
        sendCode.mutate(email);
      } else if (!requested && !saved.pending_email) onDone();
    },
    onError: () => showFailure('userUpdateFailed'),
  });
  const isPhoneRefused =
    save.error instanceof Failure && draft.phone.trim() !== '' && !isPhone(draft.phone.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {fields().map(({ key, label, ...input }) => (
        <Field
          key={key}
          label={label}
          hint={key === 'email' ? t('whoSeesEmail') : key === 'phone' && t('whoSeesPhone')}
          error={key === 'phone' && isPhoneRefused && t('phoneHint')}
        >
          <TextInput
            {...input}
            name={key}
            value={draft[key]}
            onChange={(event) => onChange({ ...changed, [key]: event.target.value })}
          />
        </Field>
      ))}
      <NotSaved title={t('accountNotUpdated')} reason={save.error && sentence(save.error)} />
      <Button type="submit" busy={save.isPending} className="sm:self-end">
        {t('saveChanges')}
      </Button>
    </form>
  );
}
