import type { DocumentEndpoint, Endpoint } from '#wire/endpoint.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** One call of an endpoint as the wire has it: nothing is renewed, sent again or unwrapped. */
export async function ask(
  origin: string,
  { method, path }: Pick<Endpoint | DocumentEndpoint, 'method' | 'path'>,
  input: Readonly<Record<string, unknown>> = {},
  token?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const rest = { ...input };
  let address = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const headers: Record<string, string> = { ...more, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  // What an upload carries beside its input; the rest of that is all in its path.
  const file = rest['file'] as Blob | undefined;
  const carriesBody = method !== 'GET' && (method !== 'DELETE' || Object.keys(rest).length > 0);
  if (carriesBody) headers['content-type'] = file ? file.type : 'application/json';
  if (method === 'GET')
    address += `?${new URLSearchParams(Object.entries(rest).map(([key, value]): [string, string] => [key, String(value)]))}`;
  const answer = await fetch(`${origin}/api${address}`, {
    method,
    headers,
    body: carriesBody ? (file ?? JSON.stringify(rest)) : null,
    redirect: 'manual',
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
