import { errorCodes, type ErrorCode } from '#wire/errors.ts';
import { defineMessages } from '#wire/messages.ts';

const english = Object.fromEntries(
  Object.entries(errorCodes).map(([code, [, message]]) => [code, message]),
) as { [Code in ErrorCode]: (typeof errorCodes)[Code][1] };

/** The sentences for error codes. The API always has the English ones. */
export const t = defineMessages('errors', english);
