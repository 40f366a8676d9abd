import { useState } from 'react';
import { useRequestCode } from './useRequestCode.ts';
import type { SentCode } from './useSentCode.ts';

/** A code to the own address, for a deed that needs one. `sent` is there as soon as it is on its way. */
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
