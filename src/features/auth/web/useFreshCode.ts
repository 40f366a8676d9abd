import { useState } from 'react';
import type { OwnPurpose } from '../contract.ts';
import { type RequestedCode, useRequestCode } from './useRequestCode.ts';

/** Requests a code for an operation that needs more than a session. `sent` is set once the email is sent. */
export function useFreshCode(email: string, purpose: OwnPurpose) {
  const [sent, remember] = useState<RequestedCode>();
  const request = useRequestCode(remember, purpose);
  return {
    sent,
    remember,
    request: () => {
      if (!request.isPending) request.mutate(email);
    },
    isPending: request.isPending,
    forget: () => remember(undefined),
  };
}
