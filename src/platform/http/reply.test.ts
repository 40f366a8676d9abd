import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  jsonArray,
  jsonField,
  jsonReply,
  jsonSerializer,
  mergeJson,
  onlyFields,
} from '#platform/http/reply.ts';

const long = JSON.stringify({ words: 'á€'.repeat(1000) });

async function ask(text: string, encoding?: string) {
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding };
  const { status, body = '', headers: sent } = await jsonReply({ headers }, 201, text);
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
])('JSON: $0 is sent uncompressed for accept-encoding "$1"', async (text, encoding) => {
  const { body, coding, vary } = await ask(text, encoding);
  expect([coding, vary, body.toString()]).toEqual([undefined, 'Accept-Encoding', text]);
});

test('JSON: a serialiser omits fields outside the schema, and objects and lists can be composed', () => {
  const one = jsonSerializer(z.object({ text: z.string() }));
  const other = jsonSerializer(z.object({ count: z.int() }));
  const row = { text: 'á "€" \\ \n }', count: 1, secret: 'x' };
  const merged = mergeJson(one(row), other(row));
  const { secret: _, ...expected } = row;
  expect(JSON.parse(merged)).toEqual(expected);
  expect(JSON.parse(mergeJson(merged, jsonField('list', jsonArray([merged, merged]))))).toEqual({
    ...expected,
    list: [expected, expected],
  });
  expect(jsonArray([])).toBe('[]');
});

test('onlyFields: empties all fields that are not allowed, including fields that a schema gains later [T12]', () => {
  const shape = z.object({
    name: z.string(),
    secret: z.string(),
    people: z.array(z.string()),
    count: z.int(),
    hosted: z.boolean(),
    since: z.iso.datetime().nullable(),
  });
  const found = {
    name: 'Run',
    secret: '4711',
    people: ['Ada'],
    count: 3,
    hosted: true,
    since: '2026-06-01T00:00:00Z',
  };
  const empty = { secret: '', people: [], count: 0, hosted: false, since: null };
  expect(onlyFields(shape, ['name'])(found)).toEqual({ name: 'Run', ...empty });
  expect(onlyFields(shape, ['name', 'count'])(found)).toEqual({ ...empty, name: 'Run', count: 3 });
  const nested = z.object({ host: z.object({ name: z.string() }) });
  expect(() => onlyFields(nested, [])).toThrow('type object');
});
