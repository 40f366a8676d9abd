import { ApiError } from '#wire/errors.ts';

/** The two steps of a handler that first writes and then reads its response. `write` returns little, often an id. */
export interface Rereadable<C, Input, Written, Output> {
  write: (context: C, input: Input) => Promise<Written | ApiError>;
  read: (context: C, input: NoInfer<Input>, written: Written) => Promise<Output>;
  /** Whether the response is read after the commit, when the locks are released. */
  readsAfterCommit: boolean;
}

type InTwoSteps = <C, Input, Written, Output>(
  write: Rereadable<C, Input, Written, Output>['write'],
  read: Rereadable<C, Input, Written, Output>['read'],
) => ((context: C, input: Input) => Promise<Output | ApiError>) & Rereadable<C, Input, Written, Output>;

const inTwoSteps =
  (readsAfterCommit: boolean): InTwoSteps =>
  (write, read) =>
    Object.assign(
      async (context: Parameters<typeof write>[0], input: Parameters<typeof write>[1]) => {
        const written = await write(context, input);
        return written instanceof ApiError ? written : read(context, input, written);
      },
      { write, read, readsAfterCommit },
    );

/** A handler whose response may exceed 2 KB: a repeated request with an `Idempotency-Key` reads it again. */
export const rereadable = inTwoSteps(false);

/**
 * A handler that takes contended locks, and reads its response after the commit. With an `Idempotency-Key`, the
 * response is stored in the same transaction, so it is read before the commit.
 */
export const readAfterCommit = inTwoSteps(true);
