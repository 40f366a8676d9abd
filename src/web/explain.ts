import { Failure, NetworkFailure } from '#wire/client.ts';
import { t as errorText } from '#wire/error-messages.ts';
import { type ErrorCode, errorCodes } from '#wire/errors.ts';
import { unexpected } from './copy.ts';
import { t } from './messages.ts';

/** The message of an API error code, for operations without a toast in the catalogue. */
export function explain(failure: unknown): string {
  if (failure instanceof NetworkFailure && !navigator.onLine) return t('needsNetwork');
  const code = failure instanceof Failure ? failure.error : undefined;
  return code && code in errorCodes ? errorText(code as ErrorCode) : unexpected();
}

/** Like `explain`, but ends with a full stop, so that another sentence can follow. */
export const sentence = (failure: unknown): string => explain(failure).replace(/[^.!?]$/, '$&.');
