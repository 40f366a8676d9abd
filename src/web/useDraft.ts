import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';

/** Minimum time between writes in milliseconds: browsers limit the rate of `replaceState`. */
const writeInterval = 300;

interface HistoryState {
  draft?: unknown;
}

const readDraft = () => (window.history.state as HistoryState | null)?.draft;

const writeDraft = (draft: unknown) => window.history.replaceState({ ...window.history.state, draft }, '');

/**
 * Like `useState`, for unsaved form input. The draft is stored in the history entry of the page: it survives a reload
 * and going back, and `replace` navigation discards it.
 */
export function useDraft<Draft>(initial: Draft): [draft: Draft, change: Dispatch<SetStateAction<Draft>>] {
  const [draft, change] = useState<Draft>(() => (readDraft() as Draft | undefined) ?? initial);
  const [initialDraft] = useState(draft);
  const writtenAt = useRef(0);
  useEffect(() => {
    if (draft === initialDraft && writtenAt.current === 0) return;
    const due = Math.max(0, writtenAt.current + writeInterval - Date.now());
    const timer = setTimeout(() => {
      writtenAt.current = Date.now();
      writeDraft(draft);
    }, due);
    return () => clearTimeout(timer);
  }, [draft, initialDraft]);
  return [draft, change];
}
