import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { run, sql } from '#platform/db/client.ts';
import type { AnyEndpoint, Envelope } from '#wire/endpoint.ts';
import { addSeconds } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { matrix, promised, type Who } from '#test/authorisation-matrix.ts';
import { openDatabaseSnapshot } from '#test/database-snapshot.ts';
import { hostileStrings } from '#test/hostile-strings.ts';
import { endpoints, limitsOf, partsOf, rangeOf, withValue, type Part } from '#test/inputs.ts';
import { createScenario, type Scenario } from '#test/scenario.ts';
import { openStripe } from '#test/stripe.ts';
import { isolatedWorld, type World } from '#test/world.ts';

type Body = Record<string, unknown>;

/** An endpoint with a person and a body for which it succeeds, and the parts of its input. */
interface Case {
  name: string;
  endpoint: AnyEndpoint;
  who: Who;
  body: Body;
  parts: Part[];
}

/** Endpoints that succeed for no request of these tests, and the reason. */
const neverSuccessful: Record<string, string> = {
  'push.testDevice': 'needs a device whose push service answers, which test/push-service.ts is',
  'answers.undoAnswer': 'needs the token of an answer that was given less than a minute ago',
};

let w: World;
let provider: Awaited<ReturnType<typeof openStripe>>;
let scenario: Scenario;
let snapshot: Awaited<ReturnType<typeof openDatabaseSnapshot>>;
let cases: Case[];
const log: string[] = [];

beforeAll(async () => {
  provider = await openStripe();
  const settings = { ...provider.settings, CALENDAR_ORGANIZER: 'calendar@muster.test', LOG_LEVEL: 'warn' };
  w = await isolatedWorld(settings, { write: (line) => void log.push(line) });
  scenario = await createScenario(w);
  const { club, target } = scenario.facts;
  // Check-in opens two hours before the start.
  const [start_time, end_time] = [addSeconds(w.now(), 3600), addSeconds(w.now(), 7200)];
  const soon = { club, name: 'Soon', location_name: 'Pier 3', start_time, end_time };
  const created = await ask(w.origin, contracts.events.create, soon, scenario.token('admin'));
  const event = (JSON.parse(created.text) as { data: { id: string } }).data.id;
  const bodies = new Map<AnyEndpoint, Body>([
    [contracts.checkins.save, { event, users: [{ user_id: target, came: true }] }],
  ]);
  cases = endpoints.map(([name, endpoint]) => {
    const rows = matrix.filter(({ call }) => call === endpoint);
    const [found] = (['admin', 'host', 'member', 'nobody'] as const).flatMap((who) =>
      rows
        .filter((row) => promised(row, who) < 300)
        .map((row) => ({ who, body: row.input(scenario.facts, who) })),
    );
    const { who, body } = found ?? { who: 'admin' as const, body: {} };
    return {
      name,
      endpoint,
      who,
      body: bodies.get(endpoint) ?? body,
      parts: partsOf(endpoint.input).slice(1),
    };
  });
  // Sending these emails would change rows while the snapshot restores them.
  await run(w.db, sql`delete from notice_emails`);
  snapshot = await openDatabaseSnapshot(w.db);
});
afterAll(async () => {
  await w[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const served = new Set<string>();

/** A copy of a body in which the values for the path and the query are texts, as they are sent. */
const asSent = ({ method, path }: AnyEndpoint, body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (method !== 'GET' && !path.includes(`:${key}`)) return [key, value];
      return [key, (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()];
    }),
  );

/** Sends a request, checks its response, undoes what it has changed, and returns its status. */
async function attempt({ name, endpoint, who }: Case, body: Body): Promise<number> {
  const { status, text } = await ask(w.origin, endpoint, asSent(endpoint, body), scenario.token(who));
  expect({ name, body, text, isServerError: status >= 500 }).toMatchObject({ isServerError: false });
  const isSuccess = status < 300;
  if (isSuccess) served.add(name);
  if (!(isSuccess && 'document' in endpoint)) {
    const envelope = JSON.parse(text) as Envelope;
    expect(envelope.status).toBe(status);
    expect(envelope.error === null).toBe(isSuccess);
    if (isSuccess && 'output' in endpoint)
      z.encode(z.object({ data: endpoint.output }), { data: envelope.data });
    else expect(envelope.message).toMatch(/\w+ \w+/);
    if (!isSuccess) expect(text).not.toMatch(/\.[jt]s:\d+/);
  }
  // Schemas and rules refuse bad input. If PostgreSQL refused it, the app would log an error.
  expect({ name, body, log: log.splice(0) }).toMatchObject({ log: [] });
  if (isSuccess && 'writes' in endpoint && endpoint.writes) await snapshot.restore();
  else if (status === 429) await run(w.db, sql`delete from rate_limits`);
  return status;
}

test('valid requests: every endpoint returns 2xx, except those listed with a reason [T44]', async () => {
  for (const each of cases) await attempt(each, each.body);
  const failed = cases.map(({ name }) => name).filter((name) => !served.has(name));
  expect(failed).toEqual(Object.keys(neverSuccessful));
});

test('limits: each field at the limits of its type gives 2xx or 4xx [T44]', async () => {
  let requests = 0;
  for (const each of cases)
    for (const { path, schema } of each.parts)
      for (const value of limitsOf(schema)) {
        await attempt(each, withValue(each.body, path, value) as Body);
        requests++;
      }
  expect(requests).toBeGreaterThan(1000);
});

test('limits: two numbers, days or times at their limits give 2xx or 4xx [T44]', async () => {
  for (const each of cases) {
    for (const [n, one] of each.parts.entries())
      for (const other of each.parts.slice(n + 1))
        for (const first of rangeOf(one.schema))
          for (const second of rangeOf(other.schema))
            await attempt(each, withValue(withValue(each.body, one.path, first), other.path, second) as Body);
  }
});

/** The number of rounds of 200 requests. Set ROUNDS for more. */
const rounds = Number(process.env['ROUNDS'] ?? 5);

test(
  'fuzzed requests: every response is an envelope, and none is a 5xx or shows internals [T35]',
  async () => {
    const ids = Object.values(scenario.facts).filter((fact) => typeof fact === 'string');
    const valueOf = ({ schema }: Part) => {
      const limits = limitsOf(schema);
      return fc.oneof(
        { arbitrary: fc.constantFrom(...limits), weight: 6 },
        { arbitrary: fc.constantFrom(...ids), weight: 2 },
        { arbitrary: hostileStrings, weight: 1 },
        { arbitrary: fc.string({ unit: 'binary' }), weight: 1 },
        { arbitrary: fc.jsonValue(), weight: 1 },
      );
    };
    const changeOf = (part: Part) => valueOf(part).map((value) => ({ path: part.path, value }));
    const request = fc.constantFrom(...cases).chain((each) =>
      fc.record({
        name: fc.constant(each.name),
        changes: fc.tuple(...each.parts.map((part) => fc.option(changeOf(part), { freq: 4 }))),
        more: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
        raw: fc.option(
          fc.oneof(
            fc.jsonValue().map((value) => JSON.stringify(value)),
            fc.string({ unit: 'binary' }),
          ),
          { freq: 8 },
        ),
      }),
    );
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(request, async ({ name, changes, more, raw }) => {
      const each = cases.find((other) => other.name === name) as Case;
      let body: unknown = { ...more, ...each.body };
      for (const change of changes) if (change) body = withValue(body, change.path, change.value);
      // If there is a file, `ask` sends it instead of the fields.
      const file = raw === null ? {} : { file: new Blob([raw], { type: 'application/json' }) };
      const status = await attempt(each, { ...(body as Body), ...file });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    await fc.assert(property, { numRuns: rounds * 200, endOnFailure: true });
    expect(statuses.get(200)).toBeGreaterThan(100);
    expect(statuses.get(400)).toBeGreaterThan(100);
  },
  rounds * 18_000,
);
