import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * `useMutation` that ignores calls while one is in flight. `isPending` alone does not stop a fast double click, because
 * it changes only with the next render.
 */
export function useSubmit<Data, Input = void>(
  options: UseMutationOptions<Data, Error, Input>,
): UseMutationResult<Data, Error, Input> {
  const running = useRef(false);
  const mutation = useMutation<Data, Error, Input>({
    ...options,
    onSettled: (...outcome) => {
      running.current = false;
      return options.onSettled?.(...outcome);
    },
  });
  const mutate: typeof mutation.mutate = (...request) => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(...request);
  };
  return { ...mutation, mutate };
}
