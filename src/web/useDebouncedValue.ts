import { useEffect, useState } from 'react';

/** In milliseconds. */
const delay = 150;

/** `value` after it has not changed for the delay. */
export function useDebouncedValue(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delay);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
