import { useSearchParams } from 'react-router';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { emailChanged } from './EmailChange.tsx';
import { t } from '#features/users/messages.ts';

/** Confirms a new email address from the link in an email. Needs a click, because mail scanners open links too. */
export function EmailConfirmation() {
  const [query, setQuery] = useSearchParams();
  const code = query.get('email_code') ?? '';
  const confirm = useSubmit({
    mutationFn: () => api.users.confirmEmail({ code }),
    onSuccess: (user) => {
      queryClient.setQueryData(queries.user().queryKey, user);
      setQuery({}, { replace: true });
      emailChanged(user);
    },
    onError: (failure) => showToast({ title: t('emailNotChanged'), text: explain(failure) }),
  });
  if (!code) return null;
  return (
    <Banner
      tone="accent"
      action={
        <Button size="sm" busy={confirm.isPending} onClick={() => confirm.mutate()}>
          {t('confirmYourNewEmail')}
        </Button>
      }
    >
      {t('confirmYourNewEmailText')}
    </Banner>
  );
}
