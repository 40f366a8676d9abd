import { startTransition, useEffect, useState } from 'react';
import { beginning } from './beginning.ts';

/** So many more in one turn: a few are drawn before anybody notices. */
const step = 3;

/**
 * The rows of a list: on the first screen those in sight, where `above` others stand before them, and then, a few at a
 * time, all that are below.
 */
export function useRows<Row>(all: readonly Row[], above = 0): readonly Row[] {
  const [most, setMost] = useState(() =>
    Math.max(0, (beginning()?.rows ?? Number.POSITIVE_INFINITY) - above),
  );
  const isWhole = most >= all.length;
  useEffect(() => {
    if (isWhole) return undefined;
    const timer = setTimeout(() => startTransition(() => setMost(most + step)));
    return () => clearTimeout(timer);
  }, [isWhole, most]);
  return isWhole ? all : all.slice(0, most);
}
