import { useState } from 'react';
import { useOnline } from './useOnline.ts';
import { t } from '#web/messages.ts';

/** Runs operations that need a network. While the device is known to be offline, none runs, and `notice` says why. */
export function useNeedsNetwork() {
  const online = useOnline();
  const [isRefused, setIsRefused] = useState(false);
  return {
    notice: isRefused && !online ? t('needsNetwork') : null,
    run(operation: () => void) {
      setIsRefused(!online);
      if (online) operation();
    },
  };
}
