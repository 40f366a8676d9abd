import type { App } from './app.ts';
import type { Somebody } from './crowd.ts';
import { now, quantile } from './fault.ts';

export interface Answered {
  /** When it was asked, and how long that took: milliseconds. */
  at: number;
  took: number;
  /** 0: no answer came. */
  status: number;
  retryAfter: boolean;
}

/** Begins so many of these a second, whatever becomes of them; answers what begins no more and waits for the last. */
function steadily(perSecond: number, begin: () => Promise<void>): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const since = now();
  let begun = 0;
  // A timer alone comes late each time, and so far too seldom.
  const timer = setInterval(() => {
    for (const due = ((now() - since) * perSecond) / 1000; begun < due; begun++) {
      const one = begin().finally(() => running.delete(one));
      running.add(one);
    }
  }, 1000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}

const tomorrow = () => new Date(Date.now() + 86_400_000);

/** Writes with so many requests a second until it is told to stop, and remembers what was acknowledged. */
export function writeOn(app: App, people: Somebody[], perSecond = 50) {
  const answers: Answered[] = [];
  const events: { id: string; host: number }[] = [];
  const attendances: { event: string; user: string }[] = [];
  let turn = 0;

  async function write(): Promise<void> {
    const who = turn++ % people.length;
    const somebody = people[who] as Somebody;
    // The newest events are those that a crash could take away.
    const event = turn % 5 < 2 ? events.at(-1 - (turn % 20)) : undefined;
    if (!event) {
      const id = await post(app, answers, somebody, `/v1/clubs/${somebody.club}/events`, occasion());
      if (id) events.push({ id, host: who });
      return;
    }
    const guest = people[(event.host + 1 + (turn % 2)) % people.length] as Somebody;
    if (await post(app, answers, guest, `/v1/events/${event.id}/attend`, {}))
      attendances.push({ event: event.id, user: guest.id });
  }

  const stop = steadily(perSecond, write);
  return {
    answers,
    acknowledged: () => events.length + attendances.length,
    stop,
    /** How many of the acknowledged writes are not in the database. */
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

const occasion = () => ({
  name: 'Tuesday run',
  location_name: 'Pier 3',
  start_time: tomorrow().toISOString(),
  end_time: new Date(tomorrow().getTime() + 3_600_000).toISOString(),
});

/** Answers the id of what was made, or something true, when the write was acknowledged. */
async function post(app: App, answers: Answered[], by: Somebody, path: string, body: object) {
  const at = now();
  try {
    const answer = await fetch(`${app.origin}/api${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    const { data } = (await answer.json()) as { data: { id?: string } | null };
    note(answers, at, answer);
    return answer.ok ? (data?.id ?? 'done') : undefined;
  } catch {
    note(answers, at);
    return undefined;
  }
}

function note(answers: Answered[], at: number, answer?: Response) {
  const retryAfter = answer?.headers.has('retry-after') ?? false;
  answers.push({ at, took: now() - at, status: answer?.status ?? 0, retryAfter });
}

/** Reads so many times a second until it is told to stop. */
export function readOn(
  app: App,
  people: Somebody[],
  perSecond = 20,
  path = (by: Somebody) => `/api/v1/clubs/${by.club}`,
) {
  const answers: Answered[] = [];
  let turn = 0;
  const read = async () => {
    const by = people[turn++ % people.length] as Somebody;
    const at = now();
    try {
      const headers = { authorization: `Bearer ${by.token}` };
      const answer = await fetch(app.origin + path(by), { headers, signal: AbortSignal.timeout(20_000) });
      await answer.arrayBuffer();
      note(answers, at, answer);
    } catch {
      note(answers, at);
    }
  };
  const stop = steadily(perSecond, read);
  return { answers, stop: () => stop().then(() => answers) };
}

export const slowest = (answers: Answered[], share: number) =>
  quantile(
    answers.map(({ took }) => took),
    share,
  );

/** Answers with a status that neither was wanted nor says honestly that a part is down. */
export const dishonest = (answers: Answered[]) =>
  answers.filter(
    ({ status, retryAfter }) => status === 0 || (status >= 500 && !(status === 503 && retryAfter)),
  );
