import { useEffect, useRef, useState } from 'react';

/** Browsers refuse to write the state of an entry much more often than this. */
const pause = 300;

interface Kept {
  draft?: unknown;
}

const kept = () => (window.history.state as Kept | null)?.draft;

const keep = (draft: unknown) => window.history.replaceState({ ...window.history.state, draft }, '');

/**
 * What is being typed. It is kept in the state of the page's entry in the history, so that a reload and the way back
 * bring it again, and moving on with `replace` forgets it.
 */
export function useDraft<Draft>(initial: Draft): [draft: Draft, change: (draft: Draft) => void] {
  const [draft, change] = useState<Draft>(() => (kept() as Draft | undefined) ?? initial);
  const [first] = useState(draft);
  const keptAt = useRef(0);
  useEffect(() => {
    if (draft === first && keptAt.current === 0) return;
    const due = Math.max(0, keptAt.current + pause - Date.now());
    const timer = setTimeout(() => {
      keptAt.current = Date.now();
      keep(draft);
    }, due);
    return () => clearTimeout(timer);
  }, [draft, first]);
  return [draft, change];
}
