import { useEffect, useState } from 'react';

/** Milliseconds without a keystroke before the search begins. */
const rest = 150;

/** `value` as it was when it last stood still. */
export function useDebouncedValue(value: string): string {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), rest);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
