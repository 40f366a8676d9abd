import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { documentReply } from '#platform/http/document.ts';

const body = 'BEGIN:VCALENDAR\r\nNAME:Ælfgifu\r\nEND:VCALENDAR\r\n';

const ask = async (headers: Record<string, string> = {}, text = body, who: 'anyone' | 'user' = 'anyone') =>
  documentReply(
    { headers, method: 'GET' },
    { document: 'text/calendar; charset=utf-8', who },
    { body: text, filename: 'club.ics' },
  );

test('document: sends type, filename, ETag and private caching headers', async () => {
  const response = await ask();
  expect(String(response.body)).toBe(body);
  expect(response.headers).toMatchObject({
    'content-type': 'text/calendar; charset=utf-8',
    'content-disposition': 'inline; filename="club.ics"',
    'cache-control': 'private, max-age=300',
    vary: 'Accept-Encoding',
    etag: expect.stringMatching(/^"[\w-]{27}"$/),
  });
});

test('document for a user: varies by Authorization', async () => {
  const response = await ask({}, body, 'user');
  expect(response.headers['vary']).toBe('Authorization, Accept-Encoding');
});

test.each(['gzip', 'deflate, gzip;q=1.0, *;q=0.5', 'br, *', 'GZIP'])(
  'document: accept-encoding "%s" gets gzip',
  async (accepted) => {
    const response = await ask({ 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(response.body as Buffer).toString()).toBe(body);
  },
);

test.each(['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.000, br'])(
  'document: accept-encoding "%s" gets plain text',
  async (accepted) => {
    const response = await ask({ 'accept-encoding': accepted });
    expect(response.headers['content-encoding']).toBeUndefined();
    expect(String(response.body)).toBe(body);
  },
);

test('document: 304 without a body when If-None-Match has the ETag of any encoding', async () => {
  const plain = String((await ask()).headers['etag']);
  const zipped = String((await ask({ 'accept-encoding': 'gzip' })).headers['etag']);
  expect(zipped).not.toBe(plain);
  for (const tags of [plain, zipped, `W/${plain}`, `"other", ${zipped}`, '*']) {
    const { status, body: sent, headers } = await ask({ 'if-none-match': tags });
    expect([tags, status, sent]).toEqual([tags, 304, undefined]);
    expect(headers).toMatchObject({ etag: plain, 'cache-control': 'private, max-age=300' });
  }
});

test('document: 200 when the ETag in If-None-Match is not quoted', async () => {
  const tag = String((await ask()).headers['etag']);
  for (const none of [tag.replaceAll('"', ''), tag.slice(1), '"', '""', '*, x'])
    expect([none, (await ask({ 'if-none-match': none })).status]).toEqual([none, 200]);
});

test('document: the ETag changes with the content', async () => {
  const { etag } = (await ask()).headers;
  expect((await ask({ 'if-none-match': String(etag) }, body.replace('Æ', 'E'))).status).toBe(200);
});
