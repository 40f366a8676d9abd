import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type App } from '../faults/app.ts';
import { clubId, eventSlug, firstFreeMember, inLargeClub, memberAt, tokenOf } from './dataset.ts';
import { answerOf, beside, reply, request } from './processes.ts';
import { atLeast, expectOnly, inTurn, startApp, tidy, type Bench, type Row } from './row.ts';

async function openProxy(apps: readonly App[]) {
  const child = beside('proxy.ts', ...apps.map(({ origin }) => origin));
  const [port] = (await once(child, 'message')) as [number];
  return { origin: `http://127.0.0.1:${port}`, close: () => child.disconnect() };
}

const verdict = (what: string, result: string, target: string, held: boolean): Row => ({
  what: `several processes: ${what}`,
  against: '–',
  result,
  target,
  held,
});

/** A connection of its own each time, so that the proxy chooses anew. */
const post = (origin: string, path: string, user: number, body: object = {}) =>
  fetch(`${origin}/api/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf(user)}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify(body),
  }).then(async (answer) => {
    await answer.arrayBuffer();
    return answer.status;
  });

/** Ten a minute, over all processes. */
async function limits(origin: string, { shape, url }: Bench): Promise<Row> {
  await ask(url, 'delete from rate_limits');
  const user = memberAt(shape, 3, firstFreeMember);
  const event = `events/${eventSlug(3, 90)}`;
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++)
    statuses.push(await post(origin, `${event}/${n % 2 === 0 ? 'attend' : 'unattend'}`, user));
  const passed = statuses.filter((status) => status === 200).length;
  return verdict('a limit of 10', `${passed} of 20 passed`, '10', passed === 10);
}

/** Each email is sent once, by whichever process. */
async function emails(origin: string, apps: readonly App[]): Promise<Row> {
  const written = async () => {
    const outboxes = await Promise.all(
      apps.map(({ dataDir }) => readdir(join(dataDir, 'outbox')).catch((): string[] => [])),
    );
    return outboxes.flat().filter((name) => name.endsWith('.eml'));
  };
  const before = (await written()).length;
  let accepted = 0;
  for (let n = 0; n < 20; n++) {
    const path = `/api/v1/auth/login?email=letter-${Date.now()}-${n}@example.org`;
    const answer = await fetch(origin + path, { headers: { connection: 'close' } });
    if (answer.ok) accepted++;
  }
  for (let waited = 0; waited < 300 && (await written()).length - before < 20; waited++) await sleep(100);
  await sleep(1000);
  const sent = (await written()).length - before;
  return verdict(`20 logins, of which ${accepted} answered`, `${sent} letters`, '20', sent === 20);
}

/** A client connected to one process is notified of what another one received. */
async function news(origin: string, { shape }: Bench): Promise<Row> {
  const count = Math.min(200, shape.large.members - 1);
  const crowd = beside('sockets.ts');
  const live = `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=`;
  await reply(crowd, {
    open: Array.from({ length: count }, (_, n) => live + tokenOf(inLargeClub(shape, n + 1))),
  });
  await reply(crowd, { wait: true });
  const heard = once(crowd, 'message') as Promise<[number]>;
  const started = Date.now();
  const status = await post(origin, `updates/${clubId('large')}`, 0, {
    content: 'The boats are in the water.',
  });
  const late = sleep(15_000).then(() => undefined);
  const all = await Promise.race([heard.then(([at]) => at), late]);
  crowd.disconnect();
  const result = all ? `all after ${((all - started) / 1000).toFixed(2)} s` : 'not all';
  return verdict(
    `${count} sockets are notified of an update (${status})`,
    result,
    '≤ 3 s',
    (all ?? Infinity) - started <= 3000,
  );
}

/** So many processes behind a proxy on one database. */
export const several =
  (processes: number) =>
  async (bench: Bench): Promise<Row[]> => {
    const { load, rounds, seconds, shape, url } = bench;
    // The one that all else is measured on does its share of the jobs.
    const apps = [await bench.app()];
    const proxies: Awaited<ReturnType<typeof openProxy>>[] = [];
    try {
      while (apps.length < processes) apps.push(await startApp(url));
      const [one, all] = [await openProxy(apps.slice(0, 1)), await openProxy(apps)];
      proxies.push(one, all);
      const pages = Array.from({ length: Math.min(50, shape.typical.clubs) }, (_, club) => ({
        path: `/api/v1/clubs/${clubId(club)}`,
        token: tokenOf(memberAt(shape, club, 11)),
      }));
      for (const { origin } of apps) for (const page of pages) await answerOf(origin, page);
      const units = pages.map((page) => [request(page)]);
      const rate = async (origin: string) => {
        const { perSecond, statuses } = await load.run({ origin, units, connections: 32, seconds });
        expectOnly(200, statuses);
        return perSecond;
      };
      const compared = await inTurn(
        rounds,
        () => rate(all.origin),
        () => rate(one.origin),
      );
      return [
        atLeast(`${processes} processes: club page`, 'one, same proxy and cores', compared, 0.9),
        await limits(all.origin, bench),
        await emails(all.origin, apps),
        await news(all.origin, bench),
      ];
    } finally {
      await tidy(url);
      for (const proxy of proxies) proxy.close();
      for (const app of apps.slice(1)) await app.close();
    }
  };
