import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { run, sql } from '#platform/db/client.ts';
import { ask } from '#test/ask.ts';
import { sql as execute } from '#test/postgres.ts';
import { clubsOf, eventsOf, manyPeople, rounds, timeout } from '#test/races/people.ts';
import { openReplicated } from '#test/replicated.ts';
import type { Person } from '#test/world.ts';

const people = 20;
/** The number of steps of each person: more than 10,000 in total in `npm run races`. */
const steps = rounds * 2;

const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;

/**
 * The data that a person must see. The result of a read can be checked only if `generation` stayed the same, because
 * removing or adding the person changes it.
 */
interface Model {
  person: Person;
  /** Undefined while the person is being removed or added. */
  isMember: boolean | undefined;
  generation: number;
  note: string;
  name: string;
  feed: { etag: string; number: number };
}

/**
 * The highest numbers that were acknowledged: nothing older may be read. Feeds are read from the primary, so no feed is
 * older than the feed read before it. A page may be older than the page read before it, because one standby can show a
 * change that is not acknowledged yet while the other does not.
 */
const newest = { page: 0, feed: 0 };

const numberIn = (text: string) => Number(/#(\d+)/.exec(text)?.[1] ?? Number.NaN);

const showsNote =
  ({ note }: Model) =>
  (text: string) =>
    !note || text.includes(`"my_note":"${note}"`);

test(
  'replicas: users read their own writes, and removed members cannot read the club, while replicas lag and fail',
  async () => {
    await using servers = await openReplicated();
    await using w = await servers.world();
    const persons = await manyPeople(w, people);
    const [ada, ...others] = persons as [Person, ...Person[]];
    const [club = ''] = await clubsOf(w, [ada], others, 1);
    const [event = ''] = await eventsOf(w, [club], ada);
    await run(
      w.db,
      sql`update clubs set club_name = 'Hidden club', club_description = '#0' where id = ${club}`,
    );
    await run(w.db, sql`update events set name = 'Hidden run #0' where id = ${event}`);
    const faults: unknown[] = [];
    const stopping = new AbortController();
    const models = others.map((person): Model => ({
      person,
      isMember: true,
      generation: 0,
      note: '',
      name: 'Racer',
      feed: { etag: '', number: 0 },
    }));

    async function send(by: Person, line: string, input: object = {}, headers = {}) {
      const [method, path] = line.split(' ') as ['GET', string];
      const token = by.session.read()?.AccessToken.Token;
      const response = await ask(w.origin, { method, path }, { ...input }, token, headers);
      if (response.status >= 500) faults.push([line, response.status, response.text]);
      return response;
    }
    /** Reads, and checks what the person must see or must not see of the club. */
    async function read(
      model: Model,
      path: string,
      check: (text: string) => boolean,
      input: object = {},
    ): Promise<void> {
      const { generation, isMember } = model;
      const { text, status } = await send(model.person, `GET ${path}`, input);
      if (generation !== model.generation || isMember === undefined) return;
      const isRight = isMember ? status === 200 && check(text) : !/Hidden|#\d/.test(text);
      if (!isRight) faults.push([path, { isMember, status, text, note: model.note }]);
    }

    const actions: ((model: Model, n: number) => Promise<void>)[] = [
      async (model, n) => {
        const { generation, isMember } = model;
        const note = `${model.person.id} ${n}`;
        const { status } = await send(model.person, `PUT /v1/events/${event}/answer`, {
          answer: any(['going', 'maybe']),
          note,
        });
        if (generation !== model.generation || isMember === undefined) return;
        if ((status === 200) !== isMember) faults.push(['answer', status, isMember]);
        if (status === 200) model.note = note;
        await read(model, `/v1/events/${event}`, showsNote(model));
      },
      (model) => read(model, `/v1/events/${event}`, showsNote(model)),
      (model) => read(model, '/v1/users/clubs/events', (text) => text.includes('Hidden run')),
      (model) => read(model, `/v1/clubs/${club}/events`, (text) => text.includes('Hidden run')),
      (model) => read(model, `/v1/clubs/${club}/members`, (text) => text.includes(model.person.id)),
      (model) =>
        read(model, '/v1/events/clubs/filter', (text) => text.includes('Hidden run'), { q: 'Hidden' }),
      async (model, n) => {
        model.name = `Name ${n}`;
        await send(model.person, 'PATCH /v1/users', { first_name: model.name });
        const { text } = await send(model.person, 'GET /v1/users');
        if (!text.includes(`"first_name":"${model.name}"`)) faults.push(['name', text, model.name]);
      },
      async (model) => {
        const least = newest.page;
        await read(model, `/v1/clubs/${club}`, (text) => numberIn(text) >= least);
      },
      async (model) => {
        const least = newest.feed;
        const { generation, isMember } = model;
        const { etag, number: oldNumber } = model.feed;
        const { status, text, headers } = await send(
          model.person,
          `GET /v1/users/${model.person.id}/ical/calendar.ics`,
          {},
          { 'if-none-match': etag },
        );
        // The calendar does not contain the event.
        if (status === 304 ? Number.isNaN(oldNumber) : !text.includes('Hidden')) {
          model.feed = { etag: headers.get('etag') ?? '', number: Number.NaN };
          return;
        }
        const number = status === 304 ? oldNumber : numberIn(text);
        newest.feed = Math.max(newest.feed, number);
        model.feed = { etag: headers.get('etag') ?? '', number };
        const isRemoved = generation === model.generation && isMember === false;
        if (!(number >= least) || isRemoved) faults.push(['feed', { status, number, least, isRemoved }]);
      },
    ];

    /** Removes and adds members, and changes the page and the event. */
    async function administrate(): Promise<void> {
      for (let n = 1; !stopping.signal.aborted; n++) {
        const model = any(models);
        const change = async (isMember: boolean, work: () => Promise<unknown>) => {
          Object.assign(model, { isMember: undefined, note: '', generation: model.generation + 1 });
          await work();
          Object.assign(model, { isMember, generation: model.generation + 1 });
        };
        await (model.isMember
          ? change(false, async () => {
              const { status, text } = await send(ada, `PUT /v1/clubs/${club}/eject/${model.person.id}`);
              if (status !== 200) faults.push(['eject', status, text]);
            })
          : change(true, () =>
              run(
                w.db,
                sql`insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
                    values (${club}, ${model.person.id}, 0, ${randomUUID()}, now())`,
              ),
            ));
        // Ten answers a minute are not enough here.
        await run(w.db, sql`delete from rate_limits`);
        for (const path of [`/v1/events/${event}`, '/v1/users/clubs/events', '/v1/events/clubs/filter'])
          await read(model, path, () => true);
        await send(ada, `PATCH /v1/clubs/${club}`, { club_description: `#${n}` });
        newest.page = Math.max(newest.page, n);
        await run(
          w.db,
          sql`update events set name = ${`Hidden run #${n}`}, sequence = sequence + 1 where id = ${event}`,
        );
        newest.feed = Math.max(newest.feed, n);
        const { text } = await send(ada, `GET /v1/clubs/${club}`);
        if (numberIn(text.slice(text.indexOf('club_description'))) < n) faults.push(['own page', n, text]);
        await sleep(Math.random() * 20);
      }
    }

    const { alive } = servers;
    async function disturb(): Promise<void> {
      for (let n = 0; !stopping.signal.aborted; n++) {
        const verb = any(['pause', 'resume']);
        const replica = any(alive);
        await execute(replica.url, `select pg_wal_replay_${verb}()`).catch((error: unknown) => {
          // The replica may have been killed since it was chosen.
          if (alive.includes(replica)) throw error;
        });
        await sleep(Math.random() * 300);
      }
      // A commit would wait for a paused standby for ever.
      for (const { url } of alive) await execute(url, 'select pg_wal_replay_resume()');
    }

    let done = 0;
    const reading = models.map(async (model) => {
      for (let n = 1; n <= steps; n++, done++) await any(actions)(model, n);
    });
    const disturbing = [administrate(), disturb()];
    const killing = (async () => {
      while (done < (models.length * steps) / 2) await sleep(20);
      await servers.kill();
    })();
    await Promise.all([...reading, killing]);
    const metrics = await (await fetch(servers.metrics)).text();
    stopping.abort();
    await Promise.all(disturbing);
    expect(faults.slice(0, 3)).toEqual([]);
    expect(metrics).toContain('\nmuster_database_standbys_synchronous 1\n');
    expect(done).toBe(models.length * steps);
  },
  timeout,
);
