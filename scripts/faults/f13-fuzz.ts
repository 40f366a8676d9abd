import fc from 'fast-check';
import { hostileStrings } from '#test/hostile-strings.ts';
import { openApp, type App } from './app.ts';
import { createUsers, type TestUser } from './crowd.ts';
import { ms, now, type Verdict } from './fault.ts';

const requests = 100_000;
/** Stops and reports a failure after this time on a slow machine, in milliseconds. */
const timeout = 12 * 60_000;
const concurrency = 16;
const perRound = 2000;

interface Operation {
  parameters?: { name: string; in: 'path' | 'query' }[];
  requestBody?: { content: Record<string, { schema?: { properties?: Record<string, unknown> } }> };
}

interface Call {
  method: string;
  path: string;
  names: string[];
  /** The media type of the request body. */
  type: string | undefined;
}

/** All operations in the OpenAPI document of the app. */
async function callsOf(app: App): Promise<Call[]> {
  const description = (await (await fetch(`${app.origin}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
    servers?: { url: string }[];
  };
  const base = new URL(description.servers?.[0]?.url ?? '/', app.origin).pathname.replace(/\/$/, '');
  return Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]) => {
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const names = [
        ...parameters.map(({ name }) => name),
        ...Object.keys(content?.schema?.properties ?? {}),
      ];
      return { method: method.toUpperCase(), path: base + path, names, type };
    }),
  );
}

/** Requests with known or hostile values, missing and additional fields. */
function requestsFor(calls: Call[], known: string[]) {
  const value = fc.oneof(
    fc.constantFrom<unknown>(...known),
    hostileStrings,
    fc.string({ unit: 'binary' }),
    fc.jsonValue(),
  );
  return fc.constantFrom(...calls).chain((call) =>
    fc.record({
      call: fc.constant(call),
      fields: fc.record(Object.fromEntries(call.names.map((name) => [name, value])), { requiredKeys: [] }),
      more: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
      raw: fc.option(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), { freq: 8 }),
    }),
  );
}

type Sent = ReturnType<typeof requestsFor> extends fc.Arbitrary<infer T> ? T : never;

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();

async function send(app: App, { call, fields, more, raw }: Sent, { token, club }: TestUser) {
  const sent: Record<string, unknown> = { ...more, ...fields };
  const address = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(text(sent[name] ?? club)),
  );
  const query = new URLSearchParams(
    Object.entries(sent).map(([key, value]): [string, string] => [key, text(value)]),
  );
  const carries = call.type !== undefined;
  return fetch(`${app.origin}${address}${carries ? '' : `?${query}`}`, {
    method: call.method,
    headers: { authorization: `Bearer ${token}`, ...(call.type ? { 'content-type': call.type } : {}) },
    body: carries ? (raw ?? JSON.stringify(sent)) : null,
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  });
}

/** The problem with a response, if any. */
async function problemIn(answer: Response, { path }: Call): Promise<string | undefined> {
  const body = await answer.text();
  const what = `${answer.status} of ${path}`;
  // Payment calls return 503 without a key of the provider.
  if (answer.status >= 500 && !(answer.status === 503 && /payment|oauth/.test(path))) return what;
  if (answer.ok || answer.status < 400) return undefined;
  if (/\.(ts|js):\d+/.test(body)) return `${what} reveals internals`;
  const envelope = JSON.parse(body) as { status?: number; error?: string; message?: string };
  return envelope.status === answer.status && envelope.error && envelope.message
    ? undefined
    : `${what} is not an envelope`;
}

/** Restores ended sessions and clears the rate limits. */
const refresh = async (app: App) => {
  await app.sql('delete from rate_limits');
  await app.sql(`
    insert into sessions (id, user_id, access_hash, access_ends_at, refresh_hash, created_at, used_at, ends_at)
    select gen_random_uuid(), id, sha256(('token-' || id)::bytea), now() + interval '1 day', sha256(('refresh-' || id)::bytea),
      now(), now(), now() + interval '1 day' from users u
    where email like 'person-%' and not exists (select from sessions s where s.user_id = u.id)`);
};

/** Sends 100,000 requests generated from the OpenAPI document. */
export async function randomRequests(): Promise<Verdict[]> {
  const app = await openApp();
  try {
    const people = await createUsers(app, 200);
    const calls = await callsOf(app);
    const known = [...people.slice(0, 20).flatMap(({ id, email, club }) => [id, email, club]), 'club-1'];
    const arbitrary = requestsFor(calls, [...known, '2090-01-01T10:00:00Z', 'Europe/London']);
    const statuses = new Map<number, number>();
    const problems: string[] = [];
    const started = now();
    let done = 0;
    for (; done < requests && now() - started < timeout; done += perRound) {
      await refresh(app);
      const batch = fc.sample(arbitrary, perRound);
      const worker = async () => {
        for (let next = batch.pop(); next; next = batch.pop()) {
          const { call } = next;
          const user = people[Math.floor(Math.random() * people.length)] as TestUser;
          try {
            const answer = await send(app, next, user);
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            const problem = await problemIn(answer, call);
            if (problem) problems.push(problem);
          } catch (error) {
            problems.push(`${call.method} ${call.path}: ${String((error as Error).cause ?? error)}`);
          }
        }
      };
      await Promise.all(Array.from({ length: concurrency }, worker));
    }
    const told = [...statuses].toSorted().map(([status, count]) => `${count} × ${status}`);
    return [
      {
        promise: 'no input causes a 5xx; every error is an envelope without internals',
        result: `${done} requests to ${calls.length} calls in ${ms(now() - started)}: ${told.join(', ')}; ${problems.length} problems ${[...new Set(problems)].slice(0, 5).join('; ')}`,
        held:
          done === requests &&
          problems.length === 0 &&
          (statuses.get(200) ?? 0) > requests / 50 &&
          app.isAlive(),
      },
    ];
  } finally {
    await app.close();
  }
}
