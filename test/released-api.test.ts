import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApi } from '#app/openapi.ts';
import { releasedCode } from '#test/released.ts';

const product = { name: 'Muster', url: 'http://localhost' };

interface Shape {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
}

interface Operation {
  parameters: { name: string; required: boolean; schema: Shape }[];
  requestBody?: { content: Record<string, { schema?: Shape }> };
  responses: Record<string, { content?: Record<string, { schema?: Shape }> }>;
}

type Paths = Record<string, Record<string, Operation>>;

/** A document with each reference replaced by what it refers to: releases may name their schemas differently. */
function withoutReferences(document: object): { paths: Paths } {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) return resolve(at(String(value.$ref)));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  const at = (reference: string) =>
    reference
      .split('/')
      .slice(1)
      .reduce((part: unknown, key) => (part as Record<string, unknown>)[key], document);
  return resolve(document) as { paths: Paths };
}

const schemaIn = (part?: { content?: Record<string, { schema?: Shape }> }): Shape =>
  part?.content?.['application/json']?.schema ?? {};

/** The branch of a nullable value that is not null. */
const valueOf = (shape: Shape): Shape => shape.anyOf?.find(({ type }) => type !== 'null') ?? shape;

const isNullable = ({ type, anyOf }: Shape): boolean =>
  [type ?? []].flat().includes('null') || (anyOf?.some((each) => isNullable(each)) ?? false);

const typeOf = (shape: Shape) => [valueOf(shape).type ?? []].flat().filter((type) => type !== 'null');

/** The fields of the old output that the new one lacks, or has with another type. */
function missingFrom(old: Shape, next: Shape, at: string): string[] {
  const [was, is] = [valueOf(old), valueOf(next)];
  const differs = String(typeOf(old)) !== String(typeOf(next)) || (isNullable(next) && !isNullable(old));
  const fields = Object.entries(was.properties ?? {}).flatMap(([key, field]) => {
    const property = is.properties?.[key];
    const isSent = is.required?.includes(key) || !was.required?.includes(key);
    return property && isSent ? missingFrom(field, property, `${at}.${key}`) : [`${at}.${key}`];
  });
  const rows = was.items ? missingFrom(was.items, is.items ?? {}, `${at}[]`) : [];
  return [...(differs ? [at] : []), ...fields, ...rows];
}

/** The fields that the new input requires but old clients do not send, and the fields that it no longer accepts. */
function newlyRequired(old: Shape, next: Shape, at: string): string[] {
  const gone = Object.keys(old.properties ?? {}).filter((key) => !next.properties?.[key]);
  const more = (next.required ?? []).filter((key) => !old.required?.includes(key));
  return [...gone, ...more].map((key) => `${at}.${key}`);
}

const inputOf = ({ parameters, requestBody }: Operation): Shape => ({
  properties: {
    ...schemaIn(requestBody).properties,
    ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  },
  required: [
    ...(schemaIn(requestBody).required ?? []),
    ...parameters.filter(({ required }) => required).map(({ name }) => name),
  ],
});

function broken(old: Paths, next: Paths): string[] {
  return Object.entries(old).flatMap(([path, calls]) =>
    Object.entries(calls).flatMap(([method, was]) => {
      const at = `${method.toUpperCase()} ${path}`;
      const is = next[path]?.[method];
      if (!is) return [at];
      const outputs = Object.entries(was.responses).flatMap(([status, response]) =>
        missingFrom(schemaIn(response), schemaIn(is.responses[status]), `${at} ${status}`),
      );
      return [...newlyRequired(inputOf(was), inputOf(is), at), ...outputs];
    }),
  );
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-released-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('calls: clients of the previous release find all of their endpoints, with the same fields [MOVE-03]', async () => {
  const cwd = await releasedCode(folder);
  const script = `import('#app/openapi.ts').then(({ openApi }) =>
    console.log(JSON.stringify(openApi(${JSON.stringify(product)}))))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { paths } = withoutReferences(JSON.parse(stdout));
  // As JSON, which is what clients receive.
  const today = withoutReferences(JSON.parse(JSON.stringify(openApi(product)))).paths;
  expect(Object.keys(paths).length).toBeGreaterThan(50);
  // The export is a file for people to read. Its fields are not in the specification.
  delete paths['/api/v1/users/export'];
  expect(broken(paths, today)).toEqual([]);
});

const call = (output: Shape, input: Shape): Paths => ({
  '/run': {
    put: {
      parameters: [],
      requestBody: { content: { 'application/json': { schema: input } } },
      responses: { 200: { content: { 'application/json': { schema: output } } } },
    },
  },
});

test('calls: the comparison reports fields that are removed, retyped, nullable or newly required', () => {
  const text = { type: 'string' };
  const old = call(
    {
      properties: {
        a: text,
        b: text,
        c: { anyOf: [text, { type: 'null' }] },
        d: { items: { properties: { e: text } } },
      },
      required: ['a', 'b', 'c'],
    },
    { properties: { a: text, b: text }, required: ['a'] },
  );
  const next = call(
    {
      properties: { a: { type: 'number' }, b: { anyOf: [text, { type: 'null' }] }, d: { items: {} } },
      required: ['a', 'b'],
    },
    { properties: { a: text, c: text }, required: ['a', 'c'] },
  );
  expect(broken(old, old)).toEqual([]);
  expect(broken(old, next)).toEqual([
    'PUT /run.b',
    'PUT /run.c',
    ...['.a', '.b', '.c', '.d[].e'].map((field) => `PUT /run 200${field}`),
  ]);
  expect(broken(old, {})).toEqual(['PUT /run']);
});
