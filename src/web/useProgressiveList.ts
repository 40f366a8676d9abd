import { startTransition, useEffect, useState } from 'react';
import { hydrationState } from './hydration.ts';

/** Rows added per frame, few enough to keep the layout of each frame short. */
const step = 3;

/**
 * Renders a list progressively on the first screen: the visible rows first, then a few more per frame. `above` is the
 * number of rows in the lists above, so that a list starts to grow only when those are complete.
 */
export function useProgressiveList<Row>(rows: readonly Row[], above = 0): readonly Row[] {
  const [limit, setLimit] = useState(() => (hydrationState()?.rows ?? Number.POSITIVE_INFINITY) - above);
  const isComplete = limit >= rows.length;
  useEffect(() => {
    if (isComplete) return undefined;
    const frame = requestAnimationFrame(() => startTransition(() => setLimit(limit + step)));
    return () => cancelAnimationFrame(frame);
  }, [isComplete, limit]);
  return isComplete ? rows : rows.slice(0, Math.max(0, limit));
}
