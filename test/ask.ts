import type { DocumentEndpoint, Endpoint } from '#wire/endpoint.ts';

export interface CheckedResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends one plain HTTP request to an endpoint: no token refresh, no retry, no unwrapping of the envelope. */
export async function ask(
  origin: string,
  { method, path }: Pick<Endpoint | DocumentEndpoint, 'method' | 'path'>,
  input: Readonly<Record<string, unknown>> = {},
  token?: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): Promise<CheckedResponse> {
  const rest = { ...input };
  let address = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const headers: Record<string, string> = {
    ...extraHeaders,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  // The body of an upload; the other inputs of an upload are path parameters.
  const file = rest['file'] as Blob | undefined;
  const carriesBody = method !== 'GET' && (method !== 'DELETE' || Object.keys(rest).length > 0);
  if (carriesBody) headers['content-type'] = file ? file.type : 'application/json';
  if (method === 'GET')
    address += `?${new URLSearchParams(Object.entries(rest).map(([key, value]): [string, string] => [key, String(value)]))}`;
  const response = await fetch(`${origin}/api${address}`, {
    method,
    headers,
    body: carriesBody ? (file ?? JSON.stringify(rest)) : null,
    redirect: 'manual',
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
