import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { discardDraft, type KeptDraft, keepDraft, keptDraft } from './drafts.ts';
import { queries, queryClient } from './queries.ts';

export interface DraftOf {
  /** When the draft that the form opened with was typed, in milliseconds. Undefined if the form opened without one. */
  keptAt: number | undefined;
  /** Removes the draft, because its input is saved. The form stays as it is. */
  forget: () => void;
  /** Empties the form. */
  startOver: () => void;
}

/**
 * Like `useState`, for unsaved form input. The browser keeps the draft of each form and user for a day, so that it
 * survives leaving the page, a reload and an update of the app. `form` names the form and what it is about.
 */
export function useDraft<Draft>(
  form: string,
  initial: Draft,
): [draft: Draft, change: Dispatch<SetStateAction<Draft>>, kept: DraftOf] {
  // Read once: a form that rendered again at log-out would request the user again.
  const [user] = useState(() => queryClient.getQueryData(queries.user().queryKey)?.id ?? '');
  const [empty] = useState(initial);
  const [kept, setKept] = useState(() => keptDraft(user, form) as KeptDraft<Draft> | undefined);
  const [draft, change] = useState<Draft>(kept ? kept.value : initial);
  const stored = useRef(draft);
  useEffect(() => {
    if (draft === stored.current) return;
    stored.current = draft;
    if (JSON.stringify(draft) === JSON.stringify(empty)) discardDraft(user, form);
    else keepDraft(user, form, draft);
  }, [draft, empty, user, form]);
  const startOver = () => {
    setKept(undefined);
    change(empty);
  };
  return [draft, change, { keptAt: kept?.at, forget: () => discardDraft(user, form), startOver }];
}
