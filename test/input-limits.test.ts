import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { parseDateTime } from '#ui/date-time-text.ts';
import { linkify } from '#wire/linkify.ts';
import { searchWords } from '#wire/search-text.ts';
import { slugFrom } from '#wire/slug.ts';
import { addressUnits, hostileTexts, shortestRun } from '#test/hostile-text.ts';
import { definitionOf, endpoints, jsonOf, partsOf } from '#test/inputs.ts';

const maxMilliseconds = 20;

type Part = (typeof parts)[number];

const parts = endpoints.flatMap(([name, { input }]) =>
  partsOf(input).map(({ path, schema }) => ({
    field: [name, ...path].join('.'),
    schema: schema as z.ZodType,
    json: jsonOf(schema),
    ...definitionOf(schema),
  })),
);

/** Numbers beyond this do not fit into an `int` of PostgreSQL. */
const maxNumber = 2 ** 31 - 1;

/** The reason why a schema accepts input of any size, or undefined if its size is limited. */
function whyUnlimited({ type, json, schema }: Part): string | undefined {
  if (['boolean', 'enum', 'literal', 'null'].includes(type)) return undefined;
  if (type === 'string')
    return json.maxLength !== undefined || json.format === 'uuid' ? undefined : 'has no maximum length';
  if (type === 'number')
    return Math.max(-(json.minimum ?? -Infinity), json.maximum ?? Infinity) <= maxNumber
      ? undefined
      : 'has no minimum or no maximum';
  if (type === 'array') return json.maxItems === undefined ? 'has no maximum number of items' : undefined;
  // The keys are limited by their own schema, and the values are parts of their own.
  if (type === 'record') return 'propertyNames' in json ? undefined : 'has keys without a limit';
  if (type === 'object')
    return 'catchall' in schema._zod.def && json.additionalProperties !== false
      ? 'accepts any further fields'
      : undefined;
  return `is of a type without limits: ${type}`;
}

/**
 * The lengths of the longest valid text, of a longer one that can become valid when trimmed, and of a whole request.
 */
const lengthsOf = ({ json: { maxLength = 100 } }: Part) => [maxLength, maxLength + 900, 65_536];

describe('contracts', () => {
  test('every text, number and array of an input has a limit [T42]', () => {
    const unlimited = parts.flatMap((part) => {
      const why = whyUnlimited(part);
      return why ? [`${part.field} ${why}`] : [];
    });
    expect(parts.length).toBeGreaterThan(200);
    expect(unlimited).toEqual([]);
  });

  test('no text of an input may consist of invisible characters, except the words of searches [ROBUST-07]', () => {
    const accepting = parts.filter(
      ({ type, schema }) => type === 'string' && schema.safeParse('\u200B').success,
    );
    expect(accepting.map(({ field }) => field)).toEqual([
      'members.ofClub.q',
      'members.forAdmin.q',
      'checkins.list.q',
      'search.find.q',
    ]);
  });

  test('every text of an input is validated in 20 ms, whatever its length and characters [T42]', () => {
    const fields = new Map(parts.filter(({ type }) => type === 'string').map((part) => [part.schema, part]));
    expect(fields.size).toBeGreaterThan(20);
    const byLength = Map.groupBy(
      [...fields.values()].flatMap((part) => lengthsOf(part).map((length) => ({ part, length }))),
      ({ length }) => length,
    );
    for (const [length, all] of byLength)
      for (const text of hostileTexts(length))
        for (const { part } of all) expectFast(part.field, text, () => part.schema.safeParse(text));
  });
});

/** The functions that process text of users, and the maximum length of that text. */
const functions: [name: string, process: (text: string) => unknown, max: number][] = [
  ['linkify', linkify, 10_000],
  ['parseDateTime', (text) => parseDateTime(text, 0, 'UTC'), 65_536],
  ['slugFrom', slugFrom, 120],
  ['searchWords', searchWords, 200],
];

test.each(functions)('%s: takes less than 20 ms for any text [T42]', (name, process, max) => {
  for (const text of hostileTexts(max, addressUnits))
    for (const around of [text, `http://${text}`, `a@${text}`, `${text}@a.b`])
      expectFast(name, around.slice(0, max), process);
});

/** Compares the shortest of several runs with the limit, because the machine may be busy. */
function expectFast(name: string, text: string, process: (text: string) => unknown): void {
  const took = shortestRun(() => process(text), maxMilliseconds);
  if (took < maxMilliseconds) return;
  expect.fail(
    `${name} took ${Math.round(took)} ms for ${text.length} characters like ${JSON.stringify(text.slice(-12))}`,
  );
}
