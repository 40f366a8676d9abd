import { useCallback, useEffect, useRef } from 'react';
import type { ToastMessage } from '#ui/toast.ts';
import { type MessageKey, showToast } from './copy.ts';

/** Returns a function that shows the failures of a form as toasts, which close when the component unmounts. */
export function useFailureToast() {
  const shown = useRef<ReturnType<typeof showToast>>(undefined);
  useEffect(() => () => shown.current?.dismiss(), []);
  return useCallback((message: MessageKey | ToastMessage): void => {
    shown.current = showToast(message);
  }, []);
}
