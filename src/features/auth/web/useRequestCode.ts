import { api } from '#web/api.ts';
import { returnUrl } from '#web/after-login.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';

/** Requests a code by email. The link in the email has the same return address as the login. */
export const useRequestCode = (onSent: (email: string, from: string) => void) =>
  useSubmit({
    mutationFn: (email: string) => api.auth.login({ email, rUrl: returnUrl() }),
    onSuccess: ({ from }, email) => onSent(email, from),
    onError: () => notify('loginFailed'),
  });
