import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { queryClient } from './queries.ts';
import { useSubmit } from './useSubmit.ts';

const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);

test('useSubmit: ignores calls until the first one succeeds or fails', async () => {
  const sent: PromiseWithResolvers<void>[] = [];
  const send = () => {
    const call = Promise.withResolvers<void>();
    sent.push(call);
    return call.promise;
  };
  const { result } = renderHook(() => useSubmit({ mutationFn: send }), { wrapper });
  const press = () => act(async () => result.current.mutate());

  await act(async () => {
    result.current.mutate();
    result.current.mutate();
  });
  await press();
  expect(sent).toHaveLength(1);

  await act(async () => sent[0]?.resolve());
  await press();
  expect(sent).toHaveLength(2);

  await act(async () => sent[1]?.reject(new Error('refused')));
  await press();
  expect(sent).toHaveLength(3);
});
