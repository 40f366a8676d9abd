import { Failure } from '#wire/client.ts';
import { errorCodes } from '#wire/errors.ts';
import { unexpected } from './copy.ts';

/** The message of an API error code, for operations without a toast in the catalogue. */
export function explain(failure: unknown): string {
  const code = failure instanceof Failure ? failure.error : undefined;
  return code && code in errorCodes ? errorCodes[code as keyof typeof errorCodes][1] : unexpected;
}

/** The same with a full stop, to be followed by another sentence. */
export const sentence = (failure: unknown): string => explain(failure).replace(/[^.!?]$/, '$&.');
