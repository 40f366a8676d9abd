import type { FastifyInstance } from 'fastify';
import packages from '../../package.json' with { type: 'json' };
import { errorsOf, takesKey, type AnyEndpoint, type Contract, type UploadEndpoint } from '#wire/endpoint.ts';
import { errorCodes, type ErrorCode } from '#wire/errors.ts';
import { contracts } from '#features/contracts.ts';
import { schemasOfDocument, type SchemaOf } from '#app/openapi-schemas.ts';

const tags = {
  auth: 'Codes by email and sessions',
  users: 'The profile and the email address of the user',
  notifications: 'Notifications in the app, and the settings of notifications and emails',
  push: 'Notifications on devices',
  members: 'The members of a club and their roles',
  invites: 'Links with which people join a club',
  events: 'Events of clubs',
  calendar: 'Calendar feeds and files',
  checkins: 'Who came to an event',
  answers: 'Answers of members to events',
  polls: 'Votes on the time of an event',
  sections: 'Sections of a club: named groups of its members',
  series: 'Events that repeat, and breaks',
  hosts: 'Hosts of an event',
  questions: 'Questions of members to the hosts of an event',
  absences: 'Days on which one is away',
  slots: 'Lists of an event: things to bring, lifts and tasks',
  updates: 'Updates that a club publishes',
  clubs: 'Clubs',
  media: 'Pictures',
  search: 'Search',
  feedback: 'Feedback to the operators',
  payments: 'Payment accounts',
  account: 'Export and deletion of the account',
} satisfies Record<keyof typeof contracts, string>;

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
  const schemas = schemasOfDocument();
  const responses = errorResponses();
  const paths: Record<string, Record<string, object>> = {};
  for (const [noun, contract] of Object.entries(contracts as Record<string, Contract>)) {
    for (const [name, endpoint] of Object.entries(contract)) {
      const path = `/api${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`;
      paths[path] ??= {};
      paths[path][endpoint.method.toLowerCase()] = {
        operationId: `${noun}.${name}`,
        tags: [noun],
        ...operation(endpoint, schemas.schemaOf),
        responses: { ...success(endpoint, schemas.schemaOf), ...responses.of(endpoint) },
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${product.name} API`,
      version: packages.version,
      description:
        'Every JSON response is an envelope of data, status and error. The planners of a club are its admins and, if `organisers_plan` is true, its organisers.',
      license: { name: packages.license, identifier: packages.license },
    },
    servers: [{ url: product.url }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { session: { type: 'http', scheme: 'bearer' } },
      schemas: { ...schemas.named, Error: errorSchema },
      responses: responses.named,
    },
  };
}

function operation(endpoint: AnyEndpoint, schemaOf: SchemaOf) {
  const input = schemaOf(endpoint.input, 'input') as {
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
  };
}

const header = (name: string, schema: object, description: string) => ({
  name,
  in: 'header',
  required: false,
  schema,
  description,
});

const headersOf = (endpoint: AnyEndpoint) => [
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

function success(endpoint: AnyEndpoint, schemaOf: SchemaOf) {
  if ('document' in endpoint) {
    const { document } = endpoint;
    const content = document.startsWith('text/') ? { schema: { type: 'string' } } : {};
    return { 200: { description: 'The document', content: { [document]: content } } };
  }
  const envelope = {
    type: 'object',
    required: ['data', 'status', 'error'],
    properties: {
      data: schemaOf(endpoint.output, 'output'),
      status: { const: endpoint.status },
      error: { type: 'null' },
    },
  };
  return {
    [endpoint.status]: { description: 'Done', content: { 'application/json': { schema: envelope } } },
  };
}

const errorSchema = {
  description: 'The request is rejected',
  type: 'object',
  required: ['data', 'status', 'error', 'message'],
  properties: {
    data: { type: 'null' },
    status: { type: 'integer' },
    error: { type: 'string', enum: Object.keys(errorCodes) },
    message: { type: 'string', description: 'A sentence for people' },
  },
};

/** The error responses of operations, by status. `named` collects the responses with only one code. */
function errorResponses() {
  const named: Record<string, object> = {};
  const responseFor = (status: number, codes: readonly [ErrorCode, ...ErrorCode[]]) => {
    if (codes.length > 1) return errorResponse(status, codes);
    const [code] = codes;
    named[code] ??= errorResponse(status, codes);
    return { $ref: `#/components/responses/${code}` };
  };
  const of = (endpoint: AnyEndpoint) =>
    Object.fromEntries(
      [...Map.groupBy(errorsOf(endpoint), (code) => errorCodes[code][0])].map(([status, codes]) => [
        status,
        responseFor(status, codes as [ErrorCode, ...ErrorCode[]]),
      ]),
    );
  return { named, of };
}

/** Statuses that come with the header `Retry-After`, always or sometimes. */
const retryable = new Set([409, 429, 503]);

const errorResponse = (status: number, codes: readonly ErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}`).join('\n\n'),
  ...(retryable.has(status) && {
    headers: { 'Retry-After': { description: 'Seconds until a retry', schema: { type: 'integer' } } },
  }),
  content: {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Error' },
          {
            type: 'object',
            required: ['status', 'error'],
            properties: { status: { const: status }, error: { type: 'string', enum: codes } },
          },
        ],
      },
    },
  },
});
