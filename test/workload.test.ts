import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '#app/demo/random.ts';
import { findThroughput } from '../scripts/bench/load.ts';
import { mixes } from '../scripts/bench/mixes.ts';
import { answerOf, attends, createPopulation, type Event } from '../scripts/bench/population.ts';
import { zipf } from '../scripts/bench/random.ts';
import { gatesOf, latencyTable } from '../scripts/bench/report.ts';
import { median, quantile, ratioOf } from '../scripts/bench/statistics.ts';

describe('population', () => {
  const options = { clubs: 1000, seed: 1, base: Date.UTC(2026, 0, 1), mix: 'basic' } as const;
  const population = createPopulation(options);
  const { clubs, people, active } = population;

  test('the same seed makes the same population, and another seed a different one', () => {
    expect(createPopulation(options)).toEqual(population);
    expect(createPopulation({ ...options, seed: 2 }).clubs).not.toEqual(clubs);
  });

  test('1,000 clubs have 20 to 200 members, and most have few', () => {
    const sizes = clubs.map(({ members }) => members.length);
    expect(Math.min(...sizes)).toBe(20);
    expect(Math.max(...sizes)).toBe(200);
    expect(median(sizes)).toBeGreaterThan(30);
    expect(median(sizes)).toBeLessThan(42);
  });

  test('5,000 active people are in one to six clubs each, in none of them twice', () => {
    const counts = new Map<number, number>();
    for (const { members } of clubs) {
      expect(new Set(members).size).toBe(members.length);
      for (const person of members) counts.set(person, (counts.get(person) ?? 0) + 1);
    }
    expect(active).toBe(5000);
    expect(counts.size).toBe(people);
    expect(Math.max(...counts.values())).toBe(6);
    expect(clubs.every(({ activeMembers }) => activeMembers.every((person) => person < active))).toBe(true);
  });

  test('about a third of the members attend an event, always including the host', () => {
    const events = clubs.flatMap(({ events, members }) => events.map((event) => ({ event, members })));
    const shares = events
      .slice(0, 5000)
      .map(
        ({ event, members }) => members.filter((person) => attends(event, person)).length / members.length,
      );
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeCloseTo(0.35, 1);
    expect(events.every(({ event }) => attends(event, event.host))).toBe(true);
  });

  describe('of the mix "events"', () => {
    const { clubs: clubsOfMix } = createPopulation({ ...options, mix: 'events' });
    const inState = (...wanted: Event['state'][]) =>
      clubsOfMix.flatMap(({ events }) =>
        events.filter(({ isComing, state }) => isComing && wanted.includes(state)),
      );

    test('has the clubs and events of the basic mix, and more', () => {
      const basic = clubsOfMix.map((club) => ({
        ...club,
        events: club.events
          .filter(({ state }) => state !== 'date' && state !== 'poll')
          .map((event) => ({ ...event, state: undefined })),
      }));
      expect(basic).toEqual(clubs);
    });

    test('a fifth of the upcoming events are full, and some clubs have thirty dates of a series', () => {
      const [full, single] = [inState('full'), inState('full', 'asked', undefined)];
      expect(full.length / single.length).toBeCloseTo(0.2, 2);
      const dates = new Map<number, number>();
      for (const { club } of inState('date')) dates.set(club, (dates.get(club) ?? 0) + 1);
      expect(new Set(dates.values())).toEqual(new Set([30]));
      expect(dates.size).toBeGreaterThan(70);
    });

    test('members answer full events in every way', () => {
      const answers = inState('full').flatMap((event) =>
        clubs[event.club]?.members.map((who) => answerOf(event, who)),
      );
      const shares = ['going', 'waiting', 'maybe', 'no', undefined].map(
        (wanted) => answers.filter((answer) => answer === wanted).length / answers.length,
      );
      for (const [nth, share] of [0.35, 0.2, 0.16, 0.16, 0.13].entries())
        expect(shares[nth]).toBeCloseTo(share, 1);
    });

    test('the same members attend every date of a series', () => {
      const dates = inState('date').slice(0, 30);
      const going = dates.map((date) => clubs[date.club]?.members.filter((who) => attends(date, who)));
      expect(new Set(going.map(String)).size).toBe(1);
      expect(going[0]?.length).toBeGreaterThan(1);
    });
  });
});

const readNames = /page|home|notifications|search|feed|screen|list|^answer-link$/;

test.each(Object.entries(mixes))('mix %s: of a thousand units, a tenth are writes', (_, mix) => {
  const shares = Object.entries(mix).map(([name, { share }]) => ({ share, isRead: readNames.test(name) }));
  const all = shares.reduce((sum, { share }) => sum + share, 0);
  const read = shares.filter(({ isRead }) => isRead).reduce((sum, { share }) => sum + share, 0);
  expect([all, read]).toEqual([1000, 900]);
});

test('zipf: the first rank is drawn twice as often as the second and ten times as often as the tenth', () => {
  const [draw, random] = [zipf(1000), seededRandom(1)];
  const ranks = Array.from({ length: 100_000 }, () => draw(random));
  const [first, second, tenth] = [0, 1, 9].map((rank) => ranks.filter((one) => one === rank).length) as [
    number,
    number,
    number,
  ];
  expect(first / second).toBeCloseTo(2, 0);
  expect(first / tenth).toBeGreaterThan(8.5);
  expect(first / tenth).toBeLessThan(11.5);
});

test('median and quantile of unsorted values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
  expect(quantile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(quantile([5, 1, 4, 2, 3], 0.95)).toBe(5);
});

test('ratio: each round is compared only with the same round of the other side', () => {
  expect(ratioOf([10, 200, 33], [10, 100, 30])).toEqual({ median: 1.1, min: 1, max: 2 });
});

test.each([30, 300, 2345])('throughput: the search finds the limit of %i, within a tenth', async (limit) => {
  const p95 = (rate: number) => (rate <= limit ? 10 : 300);
  const measured = [200, 400, 800].map((rate): [number, number] => [rate, p95(rate)]);
  const found = await findThroughput(async (rate) => p95(rate), measured, 10);
  expect(found).toBeLessThanOrEqual(limit);
  expect(found).toBeGreaterThan(0.9 * limit);
});

const side = (perSecond: Record<string, number>, errors: [string, number][] = []) =>
  ({
    costs: new Map(
      Object.entries(perSecond).map(([name, value]) => [
        name,
        [{ perSecond: value, app: 1, database: 1, statements: 1 }],
      ]),
    ),
    loads: new Map(),
    throughput: [200],
    server: { client: { errors: new Map(errors) } },
  }) as unknown as Parameters<typeof latencyTable>[0];

test.each([
  [{ home: 90, 'club-page-changed': 400 }, [], [true, true, true]],
  [{ home: 89, 'club-page-changed': 400 }, [], [false, true, true]],
  [{ home: 90, 'club-page-changed': 399 }, [], [true, false, true]],
  [{ home: 90, 'club-page-changed': 400 }, [['home 500', 1]], [true, true, false]],
  [{ home: 90, 'club-page-changed': 400 }, [['home at 200/s 503', 1]], [true, true, false]],
  [{ home: 90, 'club-page-changed': 400 }, [['home at 300/s 503', 1]], [true, true, true]],
  [{ home: 90, 'club-page-changed': 400 }, [['home at 300/s 500', 1]], [true, true, false]],
] satisfies [Record<string, number>, [string, number][], boolean[]][])(
  'gates: which ones hold at %j requests per second with the errors %j, compared with 100 per second each',
  (perSecond, errors, held) => {
    const sides = [side(perSecond, errors), side({ home: 100, 'club-page-changed': 100 })];
    expect(gatesOf(sides, Object.keys(perSecond)).map(([, one]) => one)).toEqual(held);
  },
);

test('latencies: the table names a rate that was not reached, with the actual rate of responses', () => {
  const all = side({});
  const latencies = new Map([['home', Array.from({ length: 200 }, (_, index) => index)]]);
  all.loads.set(400, [{ seconds: 10, planned: 4000, answered: 2000, latencies, generator: 1 }]);
  const [head, , total, ...rows] = latencyTable(all).split('\n');
  expect(head).toContain('400/s: only 200/s answered');
  expect(total).toContain('100 / 190 / 198');
  expect(rows.find((row) => row.startsWith('| home'))).toContain('100 / 190 / 198');
});

// The mix 'events' has all kinds of requests of the basic mix, and its data contain those of the basic mix.
test('npm run bench -- workload --mix events --quick: responds to every kind of request without an error', async () => {
  const bench = spawn(process.execPath, ['scripts/bench.ts', 'workload', '--mix', 'events', '--quick'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  bench.stdout.on('data', (text) => (printed += String(text)));
  await once(bench, 'exit');
  expect(Object.keys(mixes.events)).toEqual(expect.arrayContaining(Object.keys(mixes.basic)));
  const rows = Object.keys(mixes.events).map((name) => new RegExp(`^\\| ${name} +\\| [\\d.,]+ +\\|`, 'm'));
  expect(rows.filter((row) => !row.test(printed))).toEqual([]);
  expect(printed).toContain('\nerrors: none\n');
  expect(printed).toMatch(/^\| p50 \/ p95 \/ p99 in ms/m);
  expect(printed).toMatch(/^throughput at p95 ≤ 50 ms/m);
  expect(bench.exitCode).toBe(0);
}, 300_000);
