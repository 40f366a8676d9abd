import type { OnProgress } from '#wire/client.ts';

/** Sends a request like `fetch`, with upload progress, which `fetch` does not report. */
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
      const headerPairs = lines.map((line): [string, string] => {
        const [name = '', ...value] = line.split(': ');
        return [name, value.join(': ')];
      });
      resolve(new Response(request.responseText, { status: request.status, headers: headerPairs }));
    });
    request.addEventListener('error', () => reject(new TypeError('The file could not be sent')));
    request.send(body as XMLHttpRequestBodyInit);
  });
