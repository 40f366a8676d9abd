import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import packages from '../../package.json' with { type: 'json' };
import { errorsOf, type Contract } from '#wire/endpoint.ts';
import { errorCodes, type ErrorCode } from '#wire/errors.ts';
import { contracts } from '#features/contracts.ts';
import { openApi } from '#app/openapi.ts';
import { world } from '#test/world.ts';

interface Operation {
  operationId: string;
  summary: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: { properties: object; required: string[] } }>;
  };
  responses: Record<string, object>;
  tags: string[];
}

const description = openApi({ name: 'Muster', url: 'http://muster.test' });
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
);

/** Every object in a tree of JSON. */
function* nodes(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* nodes(part);
}

const resolve = (ref: string): unknown =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], description);

const resolved = (schema: object) => ('$ref' in schema ? resolve(schema.$ref as string) : schema);

test('OpenAPI: contains every endpoint once, with a unique operation id', () => {
  const described = operations.map(({ path, method }) => `${method} ${path}`).toSorted();
  const served = Object.values(contracts)
    .flatMap((contract) => Object.values(contract))
    .map(({ method, path }) => `${method.toLowerCase()} /api${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(described).toEqual(served.toSorted());
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
});

test('OpenAPI: a valid 3.1 document without dangling references, representable as JSON', () => {
  expect(description).toMatchObject({
    openapi: '3.1.0',
    info: { title: 'Muster API', version: packages.version },
    servers: [{ url: 'http://muster.test' }],
  });
  expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  for (const node of nodes(description)) {
    if ('$ref' in node) expect(resolve(node['$ref'] as string)).toBeDefined();
    expect(node).not.toHaveProperty('$schema');
    expect(node).not.toHaveProperty('$defs');
  }
});

test.each(operations)(
  'OpenAPI: $method $path describes its input and output',
  ({ path, method, operation }) => {
    const { parameters, requestBody, responses, security, summary } = operation;
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath);
    for (const parameter of parameters) {
      expect(resolved(parameter.schema)).toHaveProperty('type');
      if (parameter.in === 'path') expect(parameter.required).toBe(true);
    }
    // DELETE requests have no body, with three exceptions.
    const hasBody =
      method === 'delete'
        ? ['account.remove', 'events.cancel', 'series.end'].includes(operation.operationId)
        : method !== 'get';
    expect(requestBody !== undefined).toBe(hasBody);
    const schema = requestBody?.content['application/json']?.schema;
    for (const name of schema?.required ?? []) expect(schema?.properties).toHaveProperty(name);
    for (const name of inPath) expect(schema?.properties ?? {}).not.toHaveProperty(name as string);
    expect(Object.keys(responses).filter((status) => !/^[45]\d\d$/.test(status))).toEqual([
      expect.stringMatching(/^20[01]$/),
    ]);
    expect(security.every((one) => 'session' in one)).toBe(true);
    expect(summary).toMatch(/^[A-Z].{9,}[^.]$/);
  },
);

test('OpenAPI: the recommended rules of Redocly find no error [OPENAPI-01]', async () => {
  await promisify(execFile)(process.execPath, ['scripts/openapi.ts']);
});

const operationOf = (id: string) =>
  operations.map(({ operation }) => operation).find(({ operationId }) => operationId === id) as Operation;

/** The error codes of a response. */
const codesIn = (response: object) =>
  [...nodes(resolved(response))].flatMap(({ error }) => (error as { enum?: ErrorCode[] })?.enum ?? []);

test('OpenAPI: each operation has a described tag, a summary, and its error codes by status [OPENAPI-01]', () => {
  const described = new Map(description.tags.map(({ name, description: text }) => [name, text]));
  for (const [noun, contract] of Object.entries(contracts as Record<string, Contract>))
    for (const [name, endpoint] of Object.entries(contract)) {
      const { tags, summary, responses } = operationOf(`${noun}.${name}`);
      expect([summary, tags]).toEqual([endpoint.summary, [noun]]);
      expect(described.get(noun)).toMatch(/^[A-Z]/);
      const errors = Object.entries(responses).flatMap(([status, response]) =>
        codesIn(response).map((code) => [code, Number(status)]),
      );
      expect(errors.toSorted()).toEqual(
        errorsOf(endpoint)
          .map((code) => [code, errorCodes[code][0]])
          .toSorted(),
      );
    }
  const rejections = operationOf('members.leave').responses['400'] as object;
  expect(codesIn(rejections)).toEqual(['bad_input', 'only_admin_left']);
});

test('OpenAPI: objects of responses that repeat have a name [OPENAPI-01]', () => {
  const names = Object.keys(description.components.schemas);
  for (const name of ['Event', 'EventCard', 'Club', 'User', 'Member', 'Update', 'Notification', 'Error'])
    expect(names).toContain(name);
  const successes = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
  );
  const objects = [...nodes([successes, description.components.schemas])]
    .map(({ properties }) => properties)
    .filter((properties) => properties && Object.keys(properties).length > 1)
    // The envelope of responses.
    .filter((properties) => !Object.hasOwn(properties as object, 'data'))
    .map((properties) => JSON.stringify(properties));
  expect(objects.filter((object, index) => objects.indexOf(object) !== index)).toEqual([]);
});

const withHeader = (wanted: string) =>
  operations
    .filter(({ operation }) =>
      operation.parameters.some(({ name, in: place }) => place === 'header' && name === wanted),
    )
    .map(({ operation }) => operation.operationId);

test('OpenAPI: declares the Idempotency-Key and If-Match headers', () => {
  expect(withHeader('Idempotency-Key')).toContain('clubs.create');
  expect(withHeader('Idempotency-Key')).not.toContain('clubs.get');
  expect(withHeader('If-Match').toSorted()).toEqual([
    'clubs.update',
    'events.edit',
    'questions.answer',
    'series.edit',
    'series.saveBreaks',
    'updates.edit',
  ]);
});

test('OpenAPI: served, with all error codes and the endpoints without a session', async () => {
  await using w = await world();
  const response = await fetch(`${w.origin}/api/openapi.json`);
  const served = (await response.json()) as typeof description;
  expect(served).toEqual(JSON.parse(JSON.stringify(description)));
  expect(served.components.schemas.Error.properties.error.enum).toEqual(Object.keys(errorCodes));
  const open = operations.filter(({ operation }) => operation.security.length === 0);
  expect(open.map(({ operation }) => operation.operationId).toSorted()).toEqual([
    'answers.answerByLink',
    'answers.ofLink',
    'auth.confirm',
    'auth.login',
    'auth.refresh',
    'calendar.clubFeed',
    'calendar.personalFeed',
    'invites.get',
    'media.file',
    'notifications.unsubscribe',
    'updates.ofLink',
    'updates.readByLink',
    'users.emailChange',
    'users.revertEmail',
  ]);
});

test('OpenAPI: every endpoint succeeds with 200, publishing an update with 201 [CONST-14]', () => {
  const successes = operations.map(({ path, method, operation }) => [
    `${method} ${path}`,
    Object.keys(operation.responses).filter((status) => Number(status) < 300),
  ]);
  const others = successes.filter(([, statuses]) => String(statuses) !== '200');
  // What members write is created with 201 as well.
  expect(others).toEqual([
    ['post /api/v1/events/{event}/questions', ['201']],
    ['post /api/v1/updates/{club}', ['201']],
    ['post /api/v1/events/{event}/messages', ['201']],
  ]);
});
