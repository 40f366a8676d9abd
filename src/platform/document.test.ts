import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { printer, sendDocument } from '#platform/document.ts';

const body = 'BEGIN:VCALENDAR\r\nNAME:Ælfgifu\r\nEND:VCALENDAR\r\n';

const print = printer();

function serve(text = body, who: 'anyone' | 'user' = 'anyone') {
  const app = Fastify();
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (request, reply) =>
      sendDocument(
        request,
        reply,
        { document: 'text/calendar; charset=utf-8', who },
        await print({ body: text, filename: 'club.ics' }),
      ),
  });
  return (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: '/', headers });
}

test('a document says what it is, and that only its reader may keep it', async () => {
  const answer = await serve()();
  expect(answer.body).toBe(body);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/calendar; charset=utf-8',
    'content-disposition': 'inline; filename="club.ics"',
    'cache-control': 'private, max-age=300',
    vary: 'Accept-Encoding',
    etag: expect.stringMatching(/^"[\w-]{27}"$/),
  });
});

test('what depends on who asks is kept for them alone', async () => {
  const answer = await serve(body, 'user')();
  expect(answer.headers.vary).toBe('Authorization, Accept-Encoding');
});

test('HEAD answers the same head and nothing else', async () => {
  const [get, head] = [await serve()(), await serve()({}, 'HEAD')];
  expect(head.body).toBe('');
  expect(head.statusCode).toBe(200);
  expect({ ...head.headers, date: 0 }).toEqual({ ...get.headers, date: 0 });
});

test.each(['gzip', 'deflate, gzip;q=1.0, *;q=0.5', 'br, *', 'GZIP'])('"%s" gets gzip', async (accepted) => {
  const answer = await serve()({ 'accept-encoding': accepted });
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(answer.rawPayload).toString()).toBe(body);
});

test.each(['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.000, br'])(
  '"%s" gets plain text',
  async (accepted) => {
    const answer = await serve()({ 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.body).toBe(body);
  },
);

test('who has the document in any encoding gets 304 with the tag and no body', async () => {
  const ask = serve();
  const plain = String((await ask()).headers.etag);
  const zipped = String((await ask({ 'accept-encoding': 'gzip' })).headers.etag);
  expect(zipped).not.toBe(plain);
  for (const known of [plain, zipped, `W/${plain}`, `"other", ${zipped}`, '*'])
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await ask({ 'if-none-match': known }, method);
      expect([known, answer.statusCode, answer.body]).toEqual([known, 304, '']);
      expect(answer.headers).toMatchObject({ etag: plain, 'cache-control': 'private, max-age=300' });
    }
});

test('another document has another tag', async () => {
  const { etag } = (await serve()()).headers;
  const answer = await serve(body.replace('Æ', 'E'))({ 'if-none-match': String(etag) });
  expect(answer.statusCode).toBe(200);
});
