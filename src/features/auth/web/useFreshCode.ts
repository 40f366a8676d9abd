import { useState } from 'react';
import { type RequestedCode, useRequestCode } from './useRequestCode.ts';

/** Requests a code for an operation that requires one. `sent` is set once the email is sent. */
export function useFreshCode(email: string) {
  const [sent, remember] = useState<RequestedCode>();
  const request = useRequestCode(remember);
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
