import { returnUrl } from '#web/first/after-login.ts';
import { api } from '#web/api.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import type { CodeStatus, Purpose } from '../contract.ts';
import { deviceTime } from '#wire/server-time.ts';

/**
 * The server's response about the code of an address. The server sends at most one code a minute, so the response may
 * be about a code that was sent earlier.
 */
export interface RequestedCode extends Omit<CodeStatus, 'sent_ago'> {
  email: string;
  /** When the code was sent, and when the response arrived. In milliseconds. */
  sentAt: number;
  receivedAt: number;
}

/**
 * Requests a code by email, for any purpose but a login to the user's own address. A user who logs in by the link in the
 * email gets to the same page as one who enters the code here.
 */
export function useRequestCode(onSent: (code: RequestedCode) => void, purpose: Purpose = 'login') {
  const showFailure = useFailureToast();
  return useSubmit({
    mutationFn: (email: string) =>
      purpose === 'login' ? api.auth.login({ email, rUrl: returnUrl() }) : api.auth.sendCode({ purpose }),
    onSuccess({ sent_ago, ...status }, email) {
      const receivedAt = deviceTime();
      onSent({ ...status, email, receivedAt, sentAt: receivedAt - sent_ago * 1000 });
    },
    onError: () => showFailure('loginFailed'),
  });
}
