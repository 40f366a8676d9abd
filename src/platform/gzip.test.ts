import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { asText, sendJson } from '#platform/gzip.ts';

const long = JSON.stringify({ words: 'á€'.repeat(1000) });

async function ask(text: string, encoding?: string) {
  const app = Fastify();
  app.get('/', (request, reply) => sendJson(request, reply, asText(text)));
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding };
  const { rawPayload, headers: sent } = await app.inject({ url: '/', headers });
  return { rawPayload, coding: sent['content-encoding'], vary: sent.vary, type: sent['content-type'] };
}

test('long JSON is compressed for whoever takes it so', async () => {
  const { rawPayload, coding, ...rest } = await ask(long, 'br, gzip');
  expect(rest).toEqual({ vary: 'Accept-Encoding', type: 'application/json; charset=utf-8' });
  expect([coding, gunzipSync(rawPayload).toString()]).toEqual(['gzip', long]);
  expect(rawPayload.length).toBeLessThan(long.length / 10);
});

test.each([
  [long, undefined],
  [long, 'br'],
  [long, 'gzip;q=0'],
  ['{"words":"short"}', 'gzip'],
])('%.20s for "%s" is sent as it is', async (text, encoding) => {
  const { rawPayload, coding, vary } = await ask(text, encoding);
  expect([coding, vary, rawPayload.toString()]).toEqual([undefined, 'Accept-Encoding', text]);
});
