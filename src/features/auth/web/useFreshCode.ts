import { useState } from 'react';
import { useRequestCode } from './useRequestCode.ts';
import type { SentCode } from './useSentCode.ts';

/** Requests a code for an operation that requires one. `sent` is set once the email is sent. */
export function useFreshCode(email: string) {
  const [sent, setSent] = useState<SentCode>();
  const remember = (address: string, from: string) => setSent({ email: address, from, sentAt: Date.now() });
  const request = useRequestCode(remember);
  return {
    sent,
    remember,
    request: () => {
      if (!request.isPending) request.mutate(email);
    },
    isPending: request.isPending,
    forget: () => setSent(undefined),
  };
}
