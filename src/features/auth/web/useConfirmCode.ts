import { useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { beginSession } from '#web/first/session.ts';
import { canStoreLogin } from '#web/first/storage.ts';
import { loginNotStored } from '#web/StorageNotice.tsx';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { Failure } from '#wire/client.ts';
import { normalCode } from '../rules.ts';
import type { CodeFailure } from './useLoginCode.ts';
import { deviceTime } from '#wire/server-time.ts';

/** Logs in with a code. A wrong code is not sent a second time, because the server counts wrong tries. */
export function useConfirmCode(onEnter: () => void | Promise<void>, onFailure: (why: CodeFailure) => void) {
  const [wrongCodes] = useState(() => new Set<string>());
  const failWith = (failure: CodeFailure) => {
    showToast('loginFailed');
    onFailure(failure);
  };
  const confirm = useSubmit({
    mutationFn: async (entered: { email: string; code: string }) => {
      beginSession(await api.auth.confirm(entered));
      await onEnter();
    },
    onError(error, { code }) {
      const failure = failureOf(error);
      if (failure.why === 'wrong') wrongCodes.add(normalCode(code));
      failWith(failure);
    },
  });
  return {
    busy: confirm.isPending,
    confirm(email: string, code: string) {
      // The server would use up the code.
      if (!canStoreLogin()) return failWith({ why: 'unchecked', message: loginNotStored() });
      if (wrongCodes.has(normalCode(code))) return failWith({ why: 'repeated' });
      confirm.mutate({ email, code });
    },
    forgetWrongCodes: () => wrongCodes.clear(),
  };
}

function failureOf(error: Error): CodeFailure {
  const { status, retryAfter = 0 } = error instanceof Failure ? error : new Failure();
  if (status === 400) return { why: 'wrong' };
  if (status === 429) return { why: 'locked', until: deviceTime() + retryAfter * 1000 };
  return { why: 'unchecked', message: sentence(error) };
}
