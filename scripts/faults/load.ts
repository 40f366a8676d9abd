import type { App } from './app.ts';
import type { TestUser } from './crowd.ts';
import { now, quantile } from './fault.ts';

export interface Answered {
  /** Start and duration in milliseconds. */
  at: number;
  took: number;
  /** 0 when there was no response. */
  status: number;
  retryAfter: boolean;
}

/** Starts tasks at a fixed rate, regardless of their duration. The returned function stops and waits for the last. */
function atRate(perSecond: number, task: () => Promise<void>): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const since = now();
  let started = 0;
  // Timers fire late, so each tick starts all tasks due since the last one.
  const timer = setInterval(() => {
    for (const due = ((now() - since) * perSecond) / 1000; started < due; started++) {
      const one = task().finally(() => running.delete(one));
      running.add(one);
    }
  }, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}

const tomorrow = () => new Date(Date.now() + 86_400_000);

/** Sends writes at a fixed rate until stopped, and records the acknowledged ones. */
export function startWrites(app: App, people: TestUser[], perSecond = 50) {
  const answers: Answered[] = [];
  const events: { id: string; host: number }[] = [];
  const attendances: { event: string; user: string }[] = [];
  let turn = 0;

  async function write(): Promise<void> {
    const who = turn++ % people.length;
    const user = people[who] as TestUser;
    // A crash could lose the newest events.
    const event = turn % 5 < 2 ? events.at(-1 - (turn % 20)) : undefined;
    if (!event) {
      const id = await post(app, answers, user, `/v1/clubs/${user.club}/events`, newEvent());
      if (id) events.push({ id, host: who });
      return;
    }
    const guest = people[(event.host + 1 + (turn % 2)) % people.length] as TestUser;
    if (await post(app, answers, guest, `/v1/events/${event.id}/attend`, {}))
      attendances.push({ event: event.id, user: guest.id });
  }

  const stop = atRate(perSecond, write);
  return {
    answers,
    acknowledged: () => events.length + attendances.length,
    stop,
    /** The number of acknowledged writes that are missing in the database. */
    async lost(): Promise<number> {
      const [row] = await app.sql<{ lost: number }>(
        `select ((select count(*) from unnest($1::uuid[]) id where not exists (select from events e where e.id = id))
          + (select count(*) from unnest($2::uuid[], $3::uuid[]) as a (event, person) where not exists
              (select from attendances t where t.event_id = a.event and t.user_id = a.person)))::int as lost`,
        [
          events.map(({ id }) => id),
          attendances.map(({ event }) => event),
          attendances.map(({ user }) => user),
        ],
      );
      return row?.lost ?? Number.NaN;
    },
  };
}

const newEvent = () => ({
  name: 'Tuesday run',
  location_name: 'Pier 3',
  start_time: tomorrow().toISOString(),
  end_time: new Date(tomorrow().getTime() + 3_600_000).toISOString(),
});

/** Returns the new id, or 'done' without one, when the write was acknowledged. */
async function post(app: App, answers: Answered[], by: TestUser, path: string, body: object) {
  const at = now();
  try {
    const answer = await fetch(`${app.origin}/api${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    const { data } = (await answer.json()) as { data: { id?: string } | null };
    record(answers, at, answer);
    return answer.ok ? (data?.id ?? 'done') : undefined;
  } catch {
    record(answers, at);
    return undefined;
  }
}

function record(answers: Answered[], at: number, answer?: Response) {
  const retryAfter = answer?.headers.has('retry-after') ?? false;
  answers.push({ at, took: now() - at, status: answer?.status ?? 0, retryAfter });
}

/** Sends reads at a fixed rate until stopped. */
export function startReads(
  app: App,
  people: TestUser[],
  perSecond = 20,
  path = (by: TestUser) => `/api/v1/clubs/${by.club}`,
) {
  const answers: Answered[] = [];
  let turn = 0;
  const read = async () => {
    const by = people[turn++ % people.length] as TestUser;
    const at = now();
    try {
      const headers = { authorization: `Bearer ${by.token}` };
      const answer = await fetch(app.origin + path(by), { headers, signal: AbortSignal.timeout(20_000) });
      await answer.arrayBuffer();
      record(answers, at, answer);
    } catch {
      record(answers, at);
    }
  };
  const stop = atRate(perSecond, read);
  return { answers, stop: () => stop().then(() => answers) };
}

export const slowest = (answers: Answered[], share: number) =>
  quantile(
    answers.map(({ took }) => took),
    share,
  );

/** Failures other than a 503 with Retry-After. */
export const unexpectedFailures = (answers: Answered[]) =>
  answers.filter(
    ({ status, retryAfter }) => status === 0 || (status >= 500 && !(status === 503 && retryAfter)),
  );
