import { useEffect, useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { pushQueries } from '#web/push.ts';
import { queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';

/** Milliseconds in which a test has to arrive. */
const timeout = 10_000;

/** Sends a test, and says whether the service worker has shown it. */
export function useTest() {
  /** The tests that have arrived, also before the response to the request. */
  const arrived = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [sent, setSent] = useState<string>();
  const [outcome, setOutcome] = useState<'sent' | 'arrived' | 'nothing'>();

  useEffect(() => {
    const { serviceWorker } = navigator;
    const onMessage = ({ data }: MessageEvent<{ test?: string }>) => {
      if (!data.test) return;
      arrived.current.add(data.test);
      if (data.test === sent) setOutcome('arrived');
    };
    serviceWorker.addEventListener('message', onMessage);
    return () => serviceWorker.removeEventListener('message', onMessage);
  }, [sent]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const request = useSubmit({
    mutationFn: () => api.push.testDevice({}),
    onMutate: () => setOutcome(undefined),
    onSuccess: ({ id }) => {
      setSent(id);
      setOutcome(arrived.current.has(id) ? 'arrived' : 'sent');
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () => setOutcome((current) => (current === 'sent' ? 'nothing' : current)),
        timeout,
      );
    },
    // The device may be lost.
    onError: () => queryClient.invalidateQueries(pushQueries.device()),
  });
  return { send: () => request.mutate(), isPending: request.isPending, error: request.error, outcome };
}
