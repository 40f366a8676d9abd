import { handlers as clubs } from '#features/clubs/handlers.ts';
import { ask } from '../faults/app.ts';
import { clubId, inSeat, tokenOf, type Shape } from './dataset.ts';
import { openDriver, statementsOf } from './driver.ts';
import { answerOf, openBare, request, type Ask } from './processes.ts';
import { atLeast, expectOnly, inTurn, type Bench, type Row } from './row.ts';

/** A member of each club who is no admin, and attends some of its events. */
const reader = 10;
const pageOf = (shape: Shape, club: number): Ask => ({
  path: `/api/v1/clubs/${clubId(club)}`,
  token: tokenOf(inSeat(shape, club, reader)),
});
const clubsOf = ({ shape }: Bench, most: number) =>
  Array.from({ length: Math.min(most, shape.typical.clubs) }, (_, club) => club);

/** A page of 50 members and 100 events, by 32 connections. */
export async function clubPage(bench: Bench): Promise<Row[]> {
  const { load, rounds, seconds, shape } = bench;
  const { origin } = await bench.app();
  const page = await answerOf(origin, pageOf(shape, 0));
  const bare = await openBare('http', page);
  // Whoever comes first waits until a page is made; that is measured below.
  for (const club of clubsOf(bench, 50)) await answerOf(origin, pageOf(shape, club));
  const units = clubsOf(bench, 50).map((club) => [request(pageOf(shape, club))]);
  const rate = async (at: string) => {
    const { perSecond, statuses } = await load.run({ origin: at, units, connections: 32, seconds });
    expectOnly(200, statuses);
    return perSecond;
  };
  const compared = await inTurn(
    rounds,
    () => rate(origin),
    () => rate(bare.origin),
  ).finally(bare.close);
  const size = `${(page.body.length / 1000).toFixed(1)} kB`;
  return [atLeast(`club page, ${size}`, 'node:http, same bytes', compared, 0.45)];
}

/** The same for somebody who has it already. */
export async function knownClubPage(bench: Bench): Promise<Row[]> {
  const { load, rounds, seconds, shape } = bench;
  const { origin } = await bench.app();
  const [what, against] = ['club page, If-None-Match', 'node:http, 304'];
  const page = await answerOf(origin, pageOf(shape, 0));
  if (!page.headers['etag'])
    return [{ what, against, result: 'the page has no ETag', target: '≥ 0.6', held: false }];
  const known = async (club: number) => {
    const { etag = '' } = (await answerOf(origin, pageOf(shape, club))).headers;
    return [request({ ...pageOf(shape, club), headers: { 'if-none-match': etag } })];
  };
  const units: string[][] = [];
  for (const club of clubsOf(bench, 50)) units.push(await known(club));
  const bare = await openBare('http', page);
  const rate = async (at: string, asked: string[][]) => {
    const { perSecond, statuses } = await load.run({ origin: at, units: asked, connections: 32, seconds });
    expectOnly(304, statuses);
    return perSecond;
  };
  const compared = await inTurn(
    rounds,
    () => rate(origin, units),
    () => rate(bare.origin, units.slice(0, 1)),
  ).finally(bare.close);
  return [atLeast(what, against, compared, 0.6)];
}

/** More pages at once than there are connections to the database only wait for one another. */
const atOnce = 8;

/** The worst case: between any two requests for a page something on it has changed. */
export async function changedClubPage(bench: Bench): Promise<Row[]> {
  const { load, rounds, shape, url } = bench;
  const { origin } = await bench.app();
  const all = clubsOf(bench, 200);
  const units = all.map((club) => [request(pageOf(shape, club))]);
  const statements = await statementsOf(
    url,
    all.map((club) => inSeat(shape, club, reader)),
    (context, turn) => clubs.get(context, { club: clubId(turn) }),
  );
  const driver = openDriver(url, statements);
  const change = () =>
    ask(url, `update clubs set location_name = 'Pier ' || random() where id = any($1)`, [all.map(clubId)]);
  const compared = await inTurn(
    rounds,
    async () => {
      await change();
      const { perSecond, statuses } = await load.run({
        origin,
        units,
        connections: atOnce,
        count: units.length,
      });
      expectOnly(200, statuses);
      return perSecond;
    },
    async () => {
      await change();
      return driver.run({ count: units.length, atOnce });
    },
  ).finally(driver.close);
  const reads = `${statements[0]?.length} statements`;
  return [atLeast('club page, changed before each request', `driver, same ${reads}`, compared, 0.9)];
}
