import type { Context } from '#platform/context.ts';
import { handlers as events } from '#features/events/handlers.ts';
import { handlers as notifications } from '#features/notifications/handlers.ts';
import { handlers as users } from '#features/users/handlers.ts';
import { eventSlug, memberAt, tokenOf } from './dataset.ts';
import { openDriver, statementsOf } from './driver.ts';
import { request } from './processes.ts';
import { atLeast, expectOnly, inTurn, type Bench, type Measurement, type Row } from './row.ts';

interface Screen {
  what: string;
  paths(club: number): string[];
  work(context: Context<'user'>, club: number): Promise<unknown>;
}

/** A screen against the driver that sends the same statements, without the one that finds the session. */
async function compared(bench: Bench, { what, paths, work }: Screen): Promise<Row[]> {
  const { load, rounds, seconds, shape, url } = bench;
  const { origin } = await bench.app();
  const clubs = Array.from({ length: Math.min(200, shape.typical.clubs) }, (_, club) => club);
  const readers = clubs.map((club) => memberAt(shape, club, 11));
  const units = clubs.map((club) =>
    paths(club).map((path) => request({ path, token: tokenOf(readers[club] as number) })),
  );
  const statements = await statementsOf(url, readers, work);
  const driver = openDriver(url, statements);
  const { length: calls } = paths(0);
  const compared = await inTurn(
    rounds,
    async () => {
      const { perSecond, statuses } = await load.run({ origin, units, connections: 32, seconds });
      expectOnly(200, statuses);
      return perSecond / calls;
    },
    () => driver.run({ seconds }),
  ).finally(driver.close);
  return [atLeast(what, `driver, same statements (${statements[0]?.length})`, compared, 0.8)];
}

export const eventPage: Measurement = (bench) =>
  compared(bench, {
    what: 'event page',
    paths: (club) => [`/api/v1/events/${eventSlug(club, 50)}`],
    work: (context, club) => events.get(context, { event: eventSlug(club, 50) }),
  });

export const home: Measurement = (bench) =>
  compared(bench, {
    what: 'home: user and events attending',
    paths: () => ['/api/v1/users', '/api/v1/users/events'],
    async work(context) {
      await users.me(context, {});
      await events.attending(context, {});
    },
  });

export const notices: Measurement = (bench) =>
  compared(bench, {
    what: 'list of notifications',
    paths: () => ['/api/v1/notifications'],
    work: (context) => notifications.list(context, {}),
  });
