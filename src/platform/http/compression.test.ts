import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { asText, jsonReply } from '#platform/http/compression.ts';

const long = JSON.stringify({ words: 'á€'.repeat(1000) });

async function ask(text: string, encoding?: string) {
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding };
  const { status, body = '', headers: sent } = await jsonReply({ headers }, 201, asText(text));
  const { 'content-encoding': coding, vary, 'content-type': type } = sent;
  return { status, body: Buffer.from(body), coding, vary, type };
}

test('JSON: compressed when it is long and the client accepts gzip', async () => {
  const { body, coding, ...rest } = await ask(long, 'br, gzip');
  expect(rest).toEqual({ status: 201, vary: 'Accept-Encoding', type: 'application/json; charset=utf-8' });
  expect([coding, gunzipSync(body).toString()]).toEqual(['gzip', long]);
  expect(body.length).toBeLessThan(long.length / 10);
});

test.each([
  [long, undefined],
  [long, 'br'],
  [long, 'gzip;q=0'],
  ['{"words":"short"}', 'gzip'],
])('JSON: %.20s is sent uncompressed for accept-encoding "%s"', async (text, encoding) => {
  const { body, coding, vary } = await ask(text, encoding);
  expect([coding, vary, body.toString()]).toEqual([undefined, 'Accept-Encoding', text]);
});
