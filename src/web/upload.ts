import type { OnProgress } from '#wire/client.ts';

/** Sends a file as `fetch` would, and tells how much of it is on its way: `fetch` itself can't. */
export const upload = (
  url: string,
  { method = 'POST', headers, body }: RequestInit,
  onProgress: OnProgress,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = 'text';
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total ? loaded / total : 0),
    );
    request.addEventListener('load', () => {
      const lines = request.getAllResponseHeaders().trim().split('\r\n');
      const withDatabaseTimeout = lines.map((line): [string, string] => {
        const [name = '', ...value] = line.split(': ');
        return [name, value.join(': ')];
      });
      resolve(new Response(request.responseText, { status: request.status, headers: withDatabaseTimeout }));
    });
    request.addEventListener('error', () => reject(new TypeError('The file could not be sent')));
    request.send(body as XMLHttpRequestBodyInit);
  });
