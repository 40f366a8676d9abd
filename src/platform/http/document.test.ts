import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { documentReply, createDocuments } from '#platform/http/document.ts';

const body = 'BEGIN:VCALENDAR\r\nNAME:Ælfgifu\r\nEND:VCALENDAR\r\n';

const etag = createDocuments();

const ask = async (headers: Record<string, string> = {}, text = body, who: 'anyone' | 'user' = 'anyone') =>
  documentReply(
    { headers },
    { document: 'text/calendar; charset=utf-8', who },
    await etag({ body: text, filename: 'club.ics' }),
  );

test('a document says what it is, and that only its reader may keep it', async () => {
  const answer = await ask();
  expect(String(answer.body)).toBe(body);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/calendar; charset=utf-8',
    'content-disposition': 'inline; filename="club.ics"',
    'cache-control': 'private, max-age=300',
    vary: 'Accept-Encoding',
    etag: expect.stringMatching(/^"[\w-]{27}"$/),
  });
});

test('what depends on who asks is kept for them alone', async () => {
  const answer = await ask({}, body, 'user');
  expect(answer.headers['vary']).toBe('Authorization, Accept-Encoding');
});

test.each(['gzip', 'deflate, gzip;q=1.0, *;q=0.5', 'br, *', 'GZIP'])('"%s" gets gzip', async (accepted) => {
  const answer = await ask({ 'accept-encoding': accepted });
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(answer.body as Buffer).toString()).toBe(body);
});

test.each(['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.000, br'])(
  '"%s" gets plain text',
  async (accepted) => {
    const answer = await ask({ 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(String(answer.body)).toBe(body);
  },
);

test('who has the document in any encoding gets 304 with the tag and no body', async () => {
  const plain = String((await ask()).headers['etag']);
  const zipped = String((await ask({ 'accept-encoding': 'gzip' })).headers['etag']);
  expect(zipped).not.toBe(plain);
  for (const known of [plain, zipped, `W/${plain}`, `"other", ${zipped}`, '*']) {
    const { status, body: sent, headers } = await ask({ 'if-none-match': known });
    expect([known, status, sent]).toEqual([known, 304, undefined]);
    expect(headers).toMatchObject({ etag: plain, 'cache-control': 'private, max-age=300' });
  }
});

test('only a tag in quotes is one', async () => {
  const tag = String((await ask()).headers['etag']);
  for (const none of [tag.replaceAll('"', ''), tag.slice(1), '"', '""', '*, x'])
    expect([none, (await ask({ 'if-none-match': none })).status]).toEqual([none, 200]);
});

test('another document has another tag', async () => {
  const { etag } = (await ask()).headers;
  expect((await ask({ 'if-none-match': String(etag) }, body.replace('Æ', 'E'))).status).toBe(200);
});
