import { inTransaction } from '#platform/db/client.ts';
import { handlers } from '#features/attendance/handlers.ts';
import { ask } from '../faults/app.ts';
import { eventSlug, firstFreeMember, memberAt, tokenOf, type Shape } from './dataset.ts';
import { openDriver, statementsOf, type Statement } from './driver.ts';
import { request } from './processes.ts';
import { atLeast, expectOnly, inTurn, type Bench, type Row } from './row.ts';

/** Somebody who attends nothing yet, and an event that is still to come: another pair for each number. */
function pair({ typical }: Shape, number: number) {
  const free = typical.seats - firstFreeMember;
  const club = number % typical.clubs;
  const round = Math.floor(number / typical.clubs);
  const coming = Math.floor(typical.events / 2);
  return {
    user: memberAt({ typical } as Shape, club, firstFreeMember + (round % free)),
    event: eventSlug(club, typical.events - 1 - (Math.floor(round / free) % coming)),
  };
}

/** What was noted to be mailed is no part of it: it waits for its minute, and is thrown away here. */
const tidy = (url: string) =>
  ask(url, 'with noted as (delete from notification_emails) delete from jobs where locked_until is null');

/** Signs up and off again, each in a transaction that is on the disk when it is answered. */
export async function attending(bench: Bench): Promise<Row[]> {
  const { load, rounds, seconds, shape, url } = bench;
  const { origin } = await bench.app();
  const pairs = Array.from({ length: Math.min(20_000, shape.typical.clubs * 400) }, (_, n) => pair(shape, n));
  const units = pairs.map(({ user, event }) =>
    ['attend', 'unattend'].map((operation) =>
      request({
        method: 'POST',
        path: `/api/v1/events/${event}/${operation}`,
        token: tokenOf(user),
        body: '{}',
      }),
    ),
  );
  const some = pairs.slice(-200);
  const send = (operation: 'attend' | 'unattend') =>
    statementsOf(
      url,
      some.map(({ user }) => user),
      (context, turn) =>
        inTransaction(context.db, (db) =>
          handlers[operation]({ ...context, db }, { event: some[turn]?.event as string }),
        ),
    );
  const [on, off] = [await send('attend'), await send('unattend')];
  const both = on.flatMap((statements, n): Statement[][] => [statements, off[n] ?? []]);
  const driver = openDriver(url, both, { transaction: true });
  let from = 0;
  const compared = await inTurn(
    rounds,
    async () => {
      await ask(url, 'delete from rate_limits');
      const { perSecond, statuses, next } = await load.run({ origin, units, from, connections: 32, seconds });
      from = next % (units.length - some.length);
      expectOnly(200, statuses);
      await tidy(url);
      return perSecond;
    },
    () => driver.run({ seconds }).finally(() => tidy(url)),
  ).finally(driver.close);
  const count = `${on[0]?.length} and ${off[0]?.length}`;
  return [
    atLeast('attend and unattend, durable', `driver, same transactions (${count} statements)`, compared, 0.6),
  ];
}
