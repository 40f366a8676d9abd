import { startTransition, useEffect, useState } from 'react';
import { hydrationState } from './hydration.ts';

/** So many more with each frame: what comes between two frames is laid out with the next. */
const step = 3;

/**
 * The rows of a list: on the first screen those in sight, where `above` others stand before them, and then, a few at a
 * time, all that are below. Lists of one screen go on in one row: the next begins when the one above it is whole.
 */
export function useProgressiveList<Row>(all: readonly Row[], above = 0): readonly Row[] {
  const [max, setLimit] = useState(() => (hydrationState()?.rows ?? Number.POSITIVE_INFINITY) - above);
  const isWhole = max >= all.length;
  useEffect(() => {
    if (isWhole) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setLimit(max + step)));
    return () => cancelAnimationFrame(frame);
  }, [isWhole, max]);
  return isWhole ? all : all.slice(0, Math.max(0, max));
}
