import { useCallback, useEffect, useRef } from 'react';
import type { ToastMessage } from '#ui/toast.ts';
import { type MessageKey, notify } from './copy.ts';

/** Returns `notify` for the failures of a form: their toast closes when the component unmounts. */
export function useFailureToast() {
  const shown = useRef<ReturnType<typeof notify>>(undefined);
  useEffect(() => () => shown.current?.dismiss(), []);
  return useCallback((message: MessageKey | ToastMessage): void => {
    shown.current = notify(message);
  }, []);
}
