import { Failure } from '#wire/client.ts';
import { errorCodes } from '#wire/errors.ts';
import { unexpected } from './copy.ts';

/** A failure in one sentence, for where the catalogue has none. */
export function explain(failure: unknown): string {
  const code = failure instanceof Failure ? failure.error : undefined;
  return code && code in errorCodes ? errorCodes[code as keyof typeof errorCodes][1] : unexpected;
}

/** The same with its full stop, for where more follows. */
export const sentence = (failure: unknown): string => explain(failure).replace(/[^.!?]$/, '$&.');
