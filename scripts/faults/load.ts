import { findViolations } from '#test/invariants.ts';
import { until } from '../app.ts';
import { quantile } from '../bench/statistics.ts';
import type { App, TestUser } from './app.ts';

export interface Answered {
  /** Start and duration in milliseconds. */
  at: number;
  took: number;
  /** 0 when there was no response. */
  status: number;
  retryAfter: boolean;
}

/**
 * Starts tasks at a fixed rate, regardless of their duration. The returned function starts no further tasks and awaits
 * the running ones.
 */
function atRate(perSecond: number, task: () => Promise<unknown>): () => Promise<void> {
  const running = new Set<Promise<unknown>>();
  const since = performance.now();
  let started = 0;
  // Timers fire late, so each tick starts all tasks due since the last one.
  const timer = setInterval(() => {
    for (const due = ((performance.now() - since) * perSecond) / 1000; started < due; started++) {
      const one = task().finally(() => running.delete(one));
      running.add(one);
    }
  }, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}

interface Request {
  json?: object;
  body?: string | Uint8Array<ArrayBuffer>;
  type?: string;
  /** Where to record the response. */
  responses?: Answered[];
}

/** Sends a request: a GET, or a POST with a body. Returns its duration, its status, and the text of its response. */
export async function send(
  { origin }: App,
  { token }: Pick<TestUser, 'token'>,
  path: string,
  request: Request = {},
) {
  const { json, body = json ? JSON.stringify(json) : null, type = 'application/json', responses } = request;
  const at = performance.now();
  const response = await fetch(origin + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': type } : {}) },
    body,
    signal: AbortSignal.timeout(20_000),
  })
    .then(async (received) => ({
      status: received.status,
      retryAfter: received.headers.has('retry-after'),
      text: await received.text(),
    }))
    .catch(() => ({ status: 0, retryAfter: false, text: '' }));
  const answered = { ...response, at, took: performance.now() - at };
  responses?.push(answered);
  return answered;
}

/** Sends reads at a fixed rate until `end` is called. */
export function startReads(
  app: App,
  users: TestUser[],
  perSecond = 20,
  path = ({ club }: TestUser) => `/api/v1/clubs/${club}`,
) {
  const responses: Answered[] = [];
  let turn = 0;
  const stop = atRate(perSecond, () => {
    const user = users[turn++ % users.length] as TestUser;
    return send(app, user, path(user), { responses });
  });
  return { answers: responses, end: () => stop().then(() => responses) };
}

/** Sends writes at a fixed rate until `end` is called, which compares the acknowledged writes with the database. */
export function startWrites(app: App, users: TestUser[], perSecond = 30) {
  const responses: Answered[] = [];
  const events: { id: string; host: number }[] = [];
  const attendances: { event: string; user: string }[] = [];
  const acknowledged = () => events.length + attendances.length;
  let turn = 0;

  async function write(): Promise<void> {
    const host = turn++ % users.length;
    const user = users[host] as TestUser;
    // Attend one of the newest events, because a crash could lose these.
    const event = turn % 5 < 2 ? events.at(-1 - (turn % 20)) : undefined;
    if (event) {
      const guest = users[(event.host + 1 + (turn % 2)) % users.length] as TestUser;
      const response = await send(app, guest, `/api/v1/events/${event.id}/attend`, { json: {}, responses });
      if (response.status === 200) attendances.push({ event: event.id, user: guest.id });
    } else {
      const start = Date.now() + 86_400_000;
      const [start_time, end_time] = [start, start + 3_600_000].map((time) => new Date(time).toISOString());
      const json = { name: 'Tuesday run', location_name: 'Pier 3', start_time, end_time };
      const { status, text } = await send(app, user, `/api/v1/clubs/${user.club}/events`, {
        json,
        responses,
      });
      if (status === 200) events.push({ id: (JSON.parse(text) as { data: { id: string } }).data.id, host });
    }
  }

  const stop = atRate(perSecond, write);
  return {
    answers: responses,
    acknowledged,
    stop,
    /** Resolves with the milliseconds until a write succeeds that started after this call. */
    untilSuccess(timeout?: number): Promise<number> {
      const since = performance.now();
      const isThere = () => responses.some(({ at, status }) => at > since && status === 200);
      return until('a write succeeds', isThere, timeout);
    },
    async end(least = 50) {
      await stop();
      const [lost, broken] = [await lostWrites(app, events, attendances), await brokenInvariants(app)];
      return {
        held: acknowledged() > least && lost === 0 && broken.length === 0,
        result: `${acknowledged()} acknowledged, ${lost} lost; ${broken.join(', ') || 'all invariants hold'}`,
      };
    },
  };
}

/** The number of acknowledged writes that are missing in the database. */
async function lostWrites(
  app: App,
  events: { id: string }[],
  attendances: { event: string; user: string }[],
): Promise<number | undefined> {
  const [row] = await app.sql<{ lost: number }>(
    `select ((select count(*) from unnest($1::uuid[]) id where not exists (select from events e where e.id = id))
      + (select count(*) from unnest($2::uuid[], $3::uuid[]) as a (event, person) where not exists
          (select from answers t where t.event_id = a.event and t.user_id = a.person)))::int as lost`,
    [events.map(({ id }) => id), attendances.map(({ event }) => event), attendances.map(({ user }) => user)],
  );
  return row?.lost;
}

/** The violated invariants, and the number of events whose attendee count in the API differs from the rows. */
async function brokenInvariants(app: App): Promise<string[]> {
  const broken = (await app.sql<{ fault: string }>(findViolations)).map(({ fault }) => fault);
  const events = await app.sql<{ slug: string; token: string; rows: number }>(`
    select e.slug, 'token-' || m.user_id as token, (select count(*)::int from answers a where a.event_id = e.id) as rows
    from events e join members m on m.club_id = e.owner_club_id and m.club_role = 200
    order by e.created_at desc limit 50`);
  let wrong = 0;
  for (const { slug, token, rows } of events) {
    const { text } = await send(app, { token }, `/api/v1/events/${slug}`);
    if ((JSON.parse(text) as { data: { user_count: number } }).data.user_count !== rows) wrong++;
  }
  return wrong === 0 ? broken : [...broken, `${wrong} wrong counts`];
}

/** A quantile of the durations, in milliseconds; 0 without responses. */
export const slowest = (responses: Answered[], share: number) =>
  quantile(
    responses.map(({ took }) => took),
    share,
  ) || 0;

export const withStatus = (responses: Answered[], wanted: number) =>
  responses.filter(({ status }) => status === wanted);

/** The failures other than a 503 with Retry-After, as their number and as '2 × 500, 1 × no response'. */
export function unexpected(...responses: Answered[][]): { failed: number; statuses: string } {
  const failures = responses
    .flat()
    .filter(({ status, retryAfter }) => status === 0 || (status >= 500 && !(status === 503 && retryAfter)));
  const byStatus = Object.entries(Object.groupBy(failures, ({ status }) => status));
  const statuses = byStatus.map(
    ([status, all]) => `${all?.length} × ${status === '0' ? 'no response' : status}`,
  );
  return { failed: failures.length, statuses: statuses.join(', ') || '0' };
}
