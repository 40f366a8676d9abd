import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * A call that changes something. A second press sends nothing while the first is on its way, however fast it comes:
 * `isPending` alone is known only after the next render.
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
