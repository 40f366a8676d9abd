import type { User } from '#features/users/contract.ts';

/** What home tells the user once: why they were led there, or how to go on. */
export interface Notice {
  text: string;
  /** Makes the notice a link. */
  to?: string;
  state?: unknown;
  /** The notice waits until this is true. */
  isFor?: (user: User) => boolean;
}

let notice: Notice | undefined;

export const leaveNotice = (next: Notice): void => void (notice = next);

export const noticeFor = (user: User): Notice | undefined =>
  notice?.isFor?.(user) === false ? undefined : notice;

/** Call it in an effect: React may discard a render. */
export function dropNotice(shown: Notice | undefined): void {
  if (notice === shown) notice = undefined;
}
