import { clubId, memberAt, tokenOf, type Shape } from './dataset.ts';
import { beside, openBare, reply, request } from './processes.ts';
import { atMost, median, startApp, type Bench, type Compared, type Row } from './row.ts';

const people = (shape: Shape, max: number) => Math.min(max, shape.typical.clubs * shape.typical.seats);

const pagesOf = ({ shape }: Bench) =>
  Array.from({ length: Math.min(200, shape.typical.clubs) }, (_, club) => [
    request({ path: `/api/v1/clubs/${clubId(club)}`, token: tokenOf(memberAt(shape, club, 11)) }),
  ]);

async function opened(origin: string, count: number) {
  const crowd = beside('sockets.ts');
  const live = `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=`;
  const open = Array.from({ length: count }, (_, user) => live + tokenOf(user));
  await reply(crowd, { open });
  return crowd;
}

const ratio = (subject: number, baseline: number): Compared => ({
  ratio: subject / baseline,
  subject,
  baseline,
  ratios: [subject / baseline],
});

/** 10,000 people look at nothing in particular: what they cost, and what they cost others. */
export async function sockets(bench: Bench): Promise<Row[]> {
  const { load, rounds, shape, url } = bench;
  const count = people(shape, 10_000);
  const app = await startApp(url);
  const units = pagesOf(bench);
  const p95 = async () =>
    (await load.run({ origin: app.origin, units, connections: 8, perSecond: 20, count: 60 })).p95;
  try {
    await p95();
    const before = await app.memory();
    const quiet: number[] = [];
    for (let round = 0; round < rounds; round++) quiet.push(await p95());
    const crowd = await opened(app.origin, count);
    const busy: number[] = [];
    for (let round = 0; round < rounds; round++) busy.push(await p95());
    const grown = (await app.memory()) - before;
    crowd.disconnect();

    const bare = await openBare('ws');
    const empty = await bare.memory();
    const others = await opened(bare.origin, count);
    const bareGrown = (await bare.memory()) - empty;
    others.disconnect();
    bare.close();
    const what = `${count.toLocaleString('en')} sockets`;
    return [
      atMost(`${what}: memory that they take`, 'ws alone', ratio(grown, bareGrown), 1.5, ' MB'),
      atMost(
        `${what}: p95 of club pages meanwhile`,
        'before they came',
        ratio(median(busy), median(quiet)),
        2,
        ' ms',
      ),
    ];
  } finally {
    await app.close();
  }
}

/** An evening: nine of ten look at a page, one signs up or off, and a thousand sockets are open. */
export async function mixed(bench: Bench): Promise<Row[]> {
  const { load, shape } = bench;
  const { origin } = await bench.app();
  const count = people(shape, 1000);
  const crowd = await opened(origin, count);
  const ask = (turn: number): string => {
    const club = turn % shape.typical.clubs;
    const token = tokenOf(memberAt(shape, club, 11));
    const event = `event-${club}-${40 + (turn % 50)}`;
    const paths = [`clubs/${clubId(club)}`, `events/${event}`, 'users', 'users/events', 'notifications'];
    if (turn % 10 > 0) return request({ path: `/api/v1/${paths[turn % paths.length]}`, token });
    const path = `/api/v1/events/${event}/favourite`;
    return request({ method: 'POST', path, token, body: JSON.stringify({ favourite: turn % 20 === 0 }) });
  };
  const units = Array.from({ length: 4000 }, (_, turn) => [ask(turn)]);
  const { p50, p95, p99, statuses } = await load
    .run({ origin, units, connections: 100, perSecond: 200, count: 200 * 10 * bench.seconds })
    .finally(() => crowd.disconnect());
  const failed = Object.entries(statuses).filter(([status]) => status !== '200');
  return [
    {
      what: `90/10 at 200 a second, ${count.toLocaleString('en')} sockets`,
      against: '–',
      result: `p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, p99 ${Math.round(p99)} ms, errors: ${failed.length === 0 ? 'none' : JSON.stringify(Object.fromEntries(failed))}`,
      target: 'p95 ≤ 100, p99 ≤ 300 ms, none',
      held: p95 <= 100 && p99 <= 300 && failed.length === 0,
    },
  ];
}
