import type { Request } from '#platform/http/reply.ts';
import { uploadedFile } from '#platform/http/uploads.ts';
import type { AnyEndpoint } from '#wire/endpoint.ts';
import { ApiError } from '#wire/errors.ts';

/** Maximum nesting of a JSON body. Recursive functions such as JSON.stringify overflow the stack on deeper values. */
const maxDepth = 32;

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Buffer.isBuffer(value) &&
  (levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner)));

/** Merges path, query and body into one input and validates it. Fields outside the contract are dropped. */
export function readInput(endpoint: AnyEndpoint, call: Request): unknown {
  const body = call.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body))
    throw new ApiError('bad_input', { message: 'Send a JSON object.' });
  if (isDeeperThan(maxDepth, body))
    throw new ApiError('bad_input', { message: `Nest at most ${maxDepth} levels deep.` });
  const isUpload = 'upload' in endpoint;
  const fields = isUpload || endpoint.method === 'GET' ? call.query : body;
  const parsed = endpoint.input.safeParse({ ...(fields as object), ...(call.params as object) });
  if (parsed.success) return isUpload ? { ...parsed.data, file: uploadedFile(body) } : parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.');
  throw new ApiError('bad_input', { message: `${at ? `${at}: ` : ''}${issue?.message}` });
}
