import type { User } from '#features/users/contract.ts';

/** A note that home shows once: why the user was redirected there, or what to do next. */
export interface HomeNote {
  text: string;
  /** Makes the note a link. */
  to?: string;
  state?: unknown;
  /** The note waits until this returns true. */
  isFor?: (user: User) => boolean;
}

let note: HomeNote | undefined;

export const setHomeNote = (next: HomeNote): void => void (note = next);

export const homeNoteFor = (user: User): HomeNote | undefined =>
  note?.isFor?.(user) === false ? undefined : note;

/** Call it in an effect: React may discard a render. */
export function clearHomeNote(shown: HomeNote | undefined): void {
  if (note === shown) note = undefined;
}
