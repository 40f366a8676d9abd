import { keys } from './first/session.ts';
import { deviceTime } from '#wire/server-time.ts';
import { localStore } from './first/storage.ts';

/** In milliseconds: one day. */
const maxAge = 24 * 60 * 60_000;

export interface KeptDraft<Draft = unknown> {
  value: Draft;
  /** When it was typed, in milliseconds. */
  at: number;
}

interface Stored {
  /** Another user of this browser never sees the drafts. */
  user: string;
  drafts: Record<string, KeptDraft>;
}

/** The drafts of this user by form, without those that are too old. The storage may be blocked or edited. */
function read(user: string): Stored['drafts'] {
  try {
    const stored = JSON.parse(localStore.get(keys.drafts) ?? 'null') as Stored | null;
    if (stored?.user !== user) return {};
    const oldest = deviceTime() - maxAge;
    return Object.fromEntries(Object.entries(stored.drafts).filter(([, { at }]) => at > oldest));
  } catch {
    return {};
  }
}

function write(user: string, drafts: Stored['drafts']): void {
  if (Object.keys(drafts).length === 0) localStore.remove(keys.drafts);
  // Where the storage is full or blocked, the form works without a draft.
  else localStore.set(keys.drafts, JSON.stringify({ user, drafts }));
}

/** The draft of a form, if it is less than a day old. */
export const keptDraft = (user: string, form: string): KeptDraft | undefined => read(user)[form];

export const keepDraft = (user: string, form: string, value: unknown): void =>
  write(user, { ...read(user), [form]: { value, at: deviceTime() } });

export function discardDraft(user: string, form: string): void {
  const { [form]: _, ...others } = read(user);
  write(user, others);
}
