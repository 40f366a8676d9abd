import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  takesKey,
  type Contract,
  type DocumentEndpoint,
  type Endpoint,
  type UploadEndpoint,
} from '#wire/endpoint.ts';
import { errorCodes } from '#wire/errors.ts';
import { contracts } from '#features/contracts.ts';

const schema = (shape: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(shape, { io });
  return rest;
};

interface Product {
  name: string;
  url: string;
}

/** The document is built on first request: building it would take a third of the start time. */
export function serveOpenApi(app: FastifyInstance, product: Product): void {
  let document: object | undefined;
  app.get('/api/openapi.json', () => (document ??= openApi(product)));
}

/** Generates the OpenAPI 3.1 document of the whole API from the contracts that also serve it. */
export function openApi(product: Product) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [noun, contract] of Object.entries(contracts as Record<string, Contract>)) {
    for (const [name, endpoint] of Object.entries(contract)) {
      const path = `/api${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`;
      paths[path] ??= {};
      paths[path][endpoint.method.toLowerCase()] = operation(noun, name, endpoint);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${product.name} API`,
      version: '1',
      description: 'Every JSON response is an envelope of data, status and error.',
    },
    servers: [{ url: product.url }],
    paths,
    components: {
      securitySchemes: { session: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema() },
    },
  };
}

function operation(noun: string, name: string, endpoint: Endpoint | DocumentEndpoint | UploadEndpoint) {
  const input = schema(endpoint.input, 'input') as {
    properties?: Record<string, object>;
    required?: string[];
    additionalProperties?: boolean;
  };
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const others = Object.entries(input.properties ?? {}).filter(([key]) => !inPath.includes(key));
  const required = (input.required ?? []).filter((key) => !inPath.includes(key));
  const isUpload = 'upload' in endpoint;
  const inQuery = isUpload || endpoint.method === 'GET';
  const hasBody = !inQuery && (others.length > 0 || endpoint.method !== 'DELETE');
  const { additionalProperties } = input;
  const body = { type: 'object', properties: Object.fromEntries(others), required, additionalProperties };
  return {
    operationId: `${noun}.${name}`,
    tags: [noun],
    summary: endpoint.summary,
    security: endpoint.who === 'user' ? [{ session: [] }] : [],
    parameters: [
      ...inPath.map((key) => ({
        name: key,
        in: 'path',
        required: true,
        schema: input.properties?.[key] ?? {},
      })),
      ...(inQuery ? others : []).map(([key, shape]) => ({
        name: key,
        in: 'query',
        required: required.includes(key),
        schema: shape,
      })),
      ...headersOf(endpoint),
    ],
    ...(isUpload ? { requestBody: { required: true, content: fileOf(endpoint) } } : {}),
    ...(hasBody
      ? { requestBody: { required: required.length > 0, content: { 'application/json': { schema: body } } } }
      : {}),
    responses: { ...success(endpoint), default: { $ref: '#/components/schemas/Error' } },
  };
}

const header = (name: string, schema: object, description: string) => ({
  name,
  in: 'header',
  required: false,
  schema,
  description,
});

const headersOf = (endpoint: Endpoint | DocumentEndpoint | UploadEndpoint) => [
  ...(takesKey(endpoint)
    ? [
        header(
          'Idempotency-Key',
          { type: 'string', minLength: 1, maxLength: 255 },
          'A unique text for this operation. A repeated request with the same key and body within 24 hours has no effect and gets the first response.',
        ),
      ]
    : []),
  ...('versioned' in endpoint && endpoint.versioned
    ? [
        header(
          'If-Match',
          { type: 'string' },
          'The version that the change was made for, such as "7". If there is a newer version, nothing changes, and the status is 412.',
        ),
      ]
    : []),
];

/** Binary content needs no schema, only a media type. */
const fileOf = ({ upload }: UploadEndpoint) => Object.fromEntries(upload.types.map((type) => [type, {}]));

function success(endpoint: Endpoint | DocumentEndpoint) {
  if ('document' in endpoint) {
    return {
      200: { description: 'The document', content: { [endpoint.document]: { schema: { type: 'string' } } } },
    };
  }
  const envelope = {
    type: 'object',
    required: ['data', 'status', 'error'],
    properties: {
      data: schema(endpoint.output, 'output'),
      status: { const: endpoint.status },
      error: { type: 'null' },
    },
  };
  return {
    [endpoint.status]: { description: 'Done', content: { 'application/json': { schema: envelope } } },
  };
}

function errorSchema() {
  return {
    description: 'The request is rejected',
    type: 'object',
    required: ['data', 'status', 'error', 'message'],
    properties: {
      data: { type: 'null' },
      status: { type: 'integer' },
      error: { enum: Object.keys(errorCodes) },
      message: { type: 'string' },
    },
  };
}
