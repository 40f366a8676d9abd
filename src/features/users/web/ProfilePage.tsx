import { LogOut } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { api, logOut } from '#app/web/api.ts';
import { sentence } from '#app/web/explain.ts';
import { queries, queryClient } from '#app/web/queries.ts';
import { useBack } from '#app/web/useBack.ts';
import { useDeed } from '#app/web/useDeed.ts';
import { useUser } from '#app/web/useSession.ts';
import { useTitle } from '#app/web/useTitle.ts';
import { notify } from '#app/web/words.ts';
import { OwnPicture } from '#features/media/web/OwnPicture.tsx';
import { YourData } from '#features/account/web/YourData.tsx';
import type { User } from '#features/users/contract.ts';
import { Banner, NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { TextInput } from '#ui/TextInput.tsx';
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
          <Banner tone="warn" title="Your new address waits to be confirmed">
            We have sent a message to <strong className="wrap-anywhere">{user.pending_email}</strong>. Until
            you confirm it there, you log in with {user.email}.
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

const fields = [
  { key: 'email', label: 'Email', type: 'email', autoComplete: 'email' },
  { key: 'user_name', label: 'User Name', type: 'text', autoComplete: 'nickname' },
  { key: 'first_name', label: 'First Name', type: 'text', autoComplete: 'given-name' },
  { key: 'last_name', label: 'Last Name', type: 'text', autoComplete: 'family-name' },
] as const;

/** Checks nothing itself; what the server refuses stays in the form. */
function ProfileForm({ user: { email, user_name, first_name, last_name } }: { user: User }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState({ email, user_name, first_name, last_name });
  const save = useDeed({
    mutationFn: () => api.users.update(draft),
    onSuccess: async (saved) => {
      queryClient.setQueryData(queries.user().queryKey, saved);
      notify('userUpdated');
      await navigate('/app');
    },
    onError: () => notify('userUpdateFailed'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
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
      <NotSaved title="Your account has not been changed" reason={save.error && sentence(save.error)} />
      <Button type="submit" busy={save.isPending} className="sm:self-end">
        Save Changes
      </Button>
    </form>
  );
}
