import { ApiError } from '#wire/errors.ts';

/** The two steps of a handler whose response may be large. What was written has no more than some ids. */
export interface Rereadable<C, Input, Written, Output> {
  write: (context: C, input: Input) => Promise<Written | ApiError>;
  read: (context: C, input: NoInfer<Input>, written: Written) => Promise<Output>;
}

/** A handler whose response may exceed 2 KB: a repeated request with an `Idempotency-Key` reads it again. */
export const rereadable = <C, Input, Written, Output>(
  write: Rereadable<C, Input, Written, Output>['write'],
  read: Rereadable<C, Input, Written, Output>['read'],
): ((context: C, input: Input) => Promise<Output | ApiError>) & Rereadable<C, Input, Written, Output> =>
  Object.assign(
    async (context: C, input: Input) => {
      const written = await write(context, input);
      return written instanceof ApiError ? written : read(context, input, written);
    },
    { write, read },
  );
