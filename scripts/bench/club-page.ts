import { gzipSync } from 'node:zlib';
import type { Db } from '#platform/db/client.ts';
import { digest } from '#platform/token.ts';
import { handlers as clubs } from '#features/clubs/handlers.ts';
import { againstBare } from './against-bare.ts';
import { ask } from '../faults/app.ts';
import { clubId, memberAt, tokenOf, type Shape } from './dataset.ts';
import { openDriver, statementsOf, type Statement } from './driver.ts';
import { answerOf, openBare, request, type Answer, type Ask } from './processes.ts';
import { atLeast, expectOnly, inTurn, type Bench, type Row } from './row.ts';

/** A member of each club who is no admin, attends some of its events and is in no other club. */
const reader = 11;
const pageOf = (shape: Shape, club: number): Ask => ({
  path: `/api/v1/clubs/${clubId(club)}`,
  token: tokenOf(memberAt(shape, club, reader)),
});
const clubsOf = ({ shape }: Bench, max: number) =>
  Array.from({ length: Math.min(max, shape.typical.clubs) }, (_, club) => club);

/** The first thing that a call for a page asks of the database. */
const lookAt = (db: Db, shape: Shape, club: number) =>
  clubs.get.preload(
    db,
    { access: digest(tokenOf(memberAt(shape, club, reader))), clockOffset: 0 },
    { club: clubId(club) },
  );

const size = ({ length }: Buffer) => `${(length / 1000).toFixed(1)} kB`;

/** A page of 50 members and 100 events. */
export async function clubPage(bench: Bench): Promise<Row[]> {
  const { shape } = bench;
  const { origin } = await bench.app();
  // The first reader waits for the page to be rendered: measured below.
  for (const club of clubsOf(bench, 50)) await answerOf(origin, pageOf(shape, club));
  const answer = await answerOf(origin, pageOf(shape, 0));
  const unitsFor = (headers: Record<string, string>) =>
    clubsOf(bench, 50).map((club) => [request({ ...pageOf(shape, club), headers })]);
  const zipped = gzipSync(answer.body);
  const asBrowsersDo = {
    what: `club page, compressed: ${size(zipped)}`,
    answer: {
      ...answer,
      body: zipped,
      headers: { ...answer.headers, 'content-length': String(zipped.length), 'content-encoding': 'gzip' },
    },
    units: unitsFor({ 'accept-encoding': 'gzip' }),
  };
  const plain = { what: `club page, ${size(answer.body)}`, answer, units: unitsFor({}) };
  const rows: Row[] = [];
  for (const each of [asBrowsersDo, plain])
    rows.push(await againstBare(bench, { ...each, status: 200, least: 0.45 }));
  return rows;
}

/** The same for somebody who has it already. */
export async function knownClubPage(bench: Bench): Promise<Row[]> {
  const { shape } = bench;
  const { origin } = await bench.app();
  const units: string[][] = [];
  for (const club of clubsOf(bench, 50)) {
    const { etag = '' } = (await answerOf(origin, pageOf(shape, club))).headers;
    units.push([request({ ...pageOf(shape, club), headers: { 'if-none-match': etag } })]);
  }
  const answer = await answerOf(origin, pageOf(shape, 0));
  return [
    await againstBare(bench, { what: 'club page, If-None-Match', answer, status: 304, units, least: 0.6 }),
    await leastThatAsks(bench, answer),
  ];
}

/** How far any server gets that asks the database before it says that a page is known. */
async function leastThatAsks(bench: Bench, answer: Answer): Promise<Row> {
  const { shape, url } = bench;
  const all = clubsOf(bench, 50);
  const statements = await statementsOf(
    url,
    all.map((club) => memberAt(shape, club, reader)),
    async ({ db }, turn) => {
      await lookAt(db, shape, turn);
      await lookAt(db, shape, turn);
    },
  );
  // Nothing is new to the second one.
  const looks = statements.map(([, preload]) => preload as Statement);
  const questions = { url, text: looks[0]?.text ?? '', units: looks.map(({ values }) => values) };
  const subject = await openBare('asking', { ...answer, questions });
  const headers = { 'if-none-match': answer.headers['etag'] ?? '' };
  const units = all.map((club) => [request({ path: `/${club}`, headers })]);
  const what = 'node:http that asks what the app does, for all requests of a moment at once';
  return againstBare(bench, { what, answer, status: 304, units, subject }).finally(subject.close);
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
    all.map((club) => memberAt(shape, club, reader)),
    async (context, turn) => {
      const found = await lookAt(context.db, shape, turn);
      const { page } = await clubs.get.respond(context, found as never, { club: clubId(turn) });
      // A page that is kept is made only when somebody needs it.
      await page.make();
    },
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
