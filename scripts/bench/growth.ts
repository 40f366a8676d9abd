import { clubId, inLargeClub, memberAt, shapeOf, tokenOf } from './dataset.ts';
import { answerOf, request } from './processes.ts';
import { atMost, expectOnly, inTurn, startApp, type Bench, type Row } from './row.ts';

const pages = 200;
const count = (clubs: number) => clubs.toLocaleString('en');

/** The same club pages among ever more clubs and events that are none of their members' business. */
export async function growth(bench: Bench): Promise<Row[]> {
  const { cluster, load, rounds, shape, size } = bench;
  const { clubs } = shape.typical;
  const units = Array.from({ length: Math.min(pages, clubs) }, (_, club) => [
    request({ path: `/api/v1/clubs/${clubId(club)}`, token: tokenOf(memberAt(shape, club, 11)) }),
  ]);
  const p50 = async (origin: string) => {
    const { p50, statuses } = await load.run({ origin, units, connections: 1, count: pages });
    expectOnly(200, statuses);
    return p50;
  };
  const rows: Row[] = [];
  for (const times of [10, 100]) {
    const url = await cluster.database(`${size}_times${times}`, {
      ...shapeOf(clubs, clubs * (times - 1)),
      notices: 1,
    });
    const [one, many] = [await startApp(bench.url), await startApp(url)];
    try {
      const compared = await inTurn(
        rounds,
        () => p50(many.origin),
        () => p50(one.origin),
      );
      const what = `club page, p50 among ${count(clubs * times)} clubs`;
      rows.push(atMost(what, `among ${count(clubs)}`, compared, 1.3, ' ms'));
    } finally {
      await one.close();
      await many.close();
    }
  }
  return rows;
}

const page = (club: number | 'large', user: number) => ({
  path: `/api/v1/clubs/${clubId(club)}`,
  token: tokenOf(user),
});

/** A club that is a hundred times as large as most. */
export async function largeClub(bench: Bench): Promise<Row[]> {
  const { load, rounds, shape } = bench;
  const { origin } = await bench.app();
  const large = page('large', inLargeClub(shape, 10));
  const p95 = async (asked: typeof large) => {
    const { p95, statuses } = await load.run({
      origin,
      units: [[request(asked)]],
      connections: 1,
      count: 20,
    });
    expectOnly(200, statuses);
    return p95;
  };
  const { body, status } = await answerOf(origin, large);
  const what = `club of ${count(shape.large.members)} members and ${count(shape.large.events)} events`;
  const weight: Row = {
    what: `${what}: answer`,
    against: '–',
    result: status === 200 ? `${(body.length / 2 ** 20).toFixed(2)} MiB` : `answered ${status}`,
    target: '≤ 1 MiB',
    held: status === 200 && body.length <= 2 ** 20,
  };
  if (status !== 200) return [weight];
  const compared = await inTurn(
    rounds,
    () => p95(large),
    () => p95(page(0, memberAt(shape, 0, 11))),
  );
  return [atMost(`${what}: p95`, 'typical club', compared, 10, ' ms'), weight];
}
