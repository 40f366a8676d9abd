import type { Request } from '#platform/http/reply.ts';
import { fail, ApiError } from '#wire/errors.ts';

/** The version in `If-Match`, such as "7". Undefined for "*" or a missing header, which match any version. */
export function versionFor({ headers }: Pick<Request, 'headers'>): number | undefined {
  const expected = headers['if-match'];
  if (expected === undefined || expected === '*') return undefined;
  const [, version] = /^"?(\d{1,9})"?$/.exec(expected) ?? [];
  if (version === undefined)
    throw new ApiError('bad_input', { message: 'If-Match: must be a version, such as "7"' });
  return Number(version);
}

export function requireVersion(expected: number | undefined, actual: number): void {
  if (expected !== undefined && expected !== actual) fail('changed_meanwhile');
}
