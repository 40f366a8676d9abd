import type { Request } from '#platform/http/reply.ts';
import { fail, ApiError } from '#wire/errors.ts';

/** The version that a change was made for, from its `If-Match`: "7". None, and "*", mean whichever there is. */
export function versionFor({ headers }: Pick<Request, 'headers'>): number | undefined {
  const wanted = headers['if-match'];
  if (wanted === undefined || wanted === '*') return undefined;
  const [, version] = /^"?(\d{1,9})"?$/.exec(wanted) ?? [];
  if (version === undefined)
    throw new ApiError('bad_input', { message: 'If-Match: must be a version, such as "7"' });
  return Number(version);
}

export function requireVersion(wanted: number | undefined, there: number): void {
  if (wanted !== undefined && wanted !== there) fail('changed_meanwhile');
}
