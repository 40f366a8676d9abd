import type { LinkedUpdate } from '#features/updates/contract.ts';

/** The page shows the update and a button, or why there is nothing to confirm. `problem` is an error code. */
export type ReadView = ReadForm | { problem: string };

export interface ReadForm {
  link: LinkedUpdate;
  /** Whether the member has just said that they have read it. */
  isSaved?: boolean;
}
