import { LogOut } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { api, logOut } from '#web/api.ts';
import { explain, sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import { CodeQuestion } from '#features/auth/web/CodeQuestion.tsx';
import { useFreshCode } from '#features/auth/web/useFreshCode.ts';
import { OwnPicture } from '#features/media/web/OwnPicture.tsx';
import { YourData } from '#features/account/web/YourData.tsx';
import type { User } from '#features/users/contract.ts';
import { Banner, NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { Failure } from '#wire/client.ts';
import { EmailConfirmation } from './EmailConfirmation.tsx';

export default function ProfilePage() {
  useTitle('My Account');
  const user = useUser();
  const back = useBack('/app');
  return (
    <div className="mx-auto max-w-xl">
      <PageHeader title="My Account" back={<BackButton onClick={back} />} />
      <div className="flex flex-col gap-5">
        <EmailConfirmation />
        {user.pending_email && (
          <Banner tone="warn" title="Confirm your new email">
            Open the link that we sent to <strong className="wrap-anywhere">{user.pending_email}</strong>{' '}
            within 10 minutes. Until then you log in with <span className="wrap-anywhere">{user.email}</span>.
          </Banner>
        )}
        <OwnPicture user={user} />
        <Card>
          <ProfileForm user={user} />
        </Card>
        <Button variant="ghost" className="self-center" onClick={() => void logOut()}>
          <LogOut aria-hidden />
          Log Out
        </Button>
        <YourData email={user.email} />
      </div>
    </div>
  );
}

const LinkSent = ({ user: { email, pending_email } }: { user: User }) => (
  <p>
    Open the link that we sent to <strong className="wrap-anywhere">{pending_email}</strong> within 10
    minutes. Until then you log in with <span className="wrap-anywhere">{email}</span>.
  </p>
);

const fields = [
  { key: 'email', label: 'Email', type: 'email', autoComplete: 'email' },
  { key: 'user_name', label: 'User Name', type: 'text', autoComplete: 'nickname' },
  { key: 'first_name', label: 'First Name', type: 'text', autoComplete: 'given-name' },
  { key: 'last_name', label: 'Last Name', type: 'text', autoComplete: 'family-name' },
] as const;

const needsCode = (failure: Error | null) => failure instanceof Failure && failure.error === 'code_missing';

/** Leaves validation to the server. Changing the email needs a code, which a dialog asks for. */
function ProfileForm({ user }: { user: User }) {
  const { email, user_name, first_name, last_name } = user;
  const navigate = useNavigate();
  const [draft, setDraft] = useState({ email, user_name, first_name, last_name });
  const codeRequest = useFreshCode(email);
  const [requested, setRequested] = useState(false);
  const save = useSubmit({
    mutationFn: (code: string | undefined) => api.users.update({ ...draft, code }),
    onSuccess: async (saved, code) => {
      queryClient.setQueryData(queries.user().queryKey, saved);
      const isSaved = fields.some(({ key }) => key !== 'email' && saved[key] !== user[key]);
      if (isSaved || !code) notify('userUpdated');
      if (!code) return navigate('/app');
      codeRequest.forget();
      setRequested(true);
    },
    onError: (failure, code) => {
      if (needsCode(failure)) codeRequest.request();
      else if (!code) notify('userUpdateFailed');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const failed = save.error && !codeRequest.sent && !needsCode(save.error) ? save.error : null;
  return (
    <>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        {fields.map(({ key, label, ...input }) => (
          <Field key={key} label={label}>
            <TextInput
              {...input}
              name={key}
              value={draft[key]}
              onChange={(event) => setDraft({ ...draft, [key]: event.target.value })}
            />
          </Field>
        ))}
        <NotSaved title="Your account wasn't updated" reason={failed && sentence(failed)} />
        <Button type="submit" busy={save.isPending || codeRequest.isPending} className="sm:self-end">
          Save Changes
        </Button>
      </form>
      {codeRequest.sent && (
        <CodeQuestion
          key={codeRequest.sent.sentAt}
          {...codeRequest.sent}
          title="Change your email"
          description={`First enter the code that we sent to your current email. Then open the link that we send to ${draft.email}: it makes the change.`}
          confirmLabel="Continue"
          busy={save.isPending}
          error={save.error && !needsCode(save.error) ? explain(save.error) : undefined}
          onSent={(...sent) => {
            save.reset();
            codeRequest.remember(...sent);
          }}
          onConfirm={(code) => save.mutate(code)}
          onClose={() => {
            save.reset();
            codeRequest.forget();
          }}
        />
      )}
      {requested && (
        <Dialog
          open
          onOpenChange={() => void navigate('/app')}
          dismissible={false}
          title="Confirm your new email"
          description="Your email has not changed yet."
          footer={
            <Button size="lg" className="w-full" onClick={() => void navigate('/app')}>
              Done
            </Button>
          }
        >
          <LinkSent user={user} />
        </Dialog>
      )}
    </>
  );
}
