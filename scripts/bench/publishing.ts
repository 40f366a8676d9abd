import { once } from 'node:events';
import { ask } from '../faults/app.ts';
import { clubId, inLargeClub, tokenOf, userId } from './dataset.ts';
import { beside, reply } from './processes.ts';
import { atMost, inTurn, median, tidy, type Bench, type Row } from './row.ts';

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;

/** A club of nobody but its admin. */
const loneClub = '00000000-0000-4000-8000-000000000001';

const addLoneClub = (url: string, admin: string) =>
  ask(
    url,
    `with club as (insert into clubs (id, slug, club_name, created_at) values ($1, 'lone-club', 'Lone club', now()) on conflict do nothing returning id)
     insert into members (club_id, user_id, club_role, calendar_secret, joined_at) select id, $2, 200, 'lone-seat', now() from club`,
    [loneClub, admin],
  );

/** Answers how long the request took. */
async function publishIn(bench: Bench, club: string, user: number): Promise<number> {
  const { origin } = await bench.app();
  await tidy(bench.url);
  const started = performance.now();
  const answer = await fetch(`${origin}/api/v1/updates/${club}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(user)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'The boats are in the water.' }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 201) throw new Error(`answered ${answer.status}`);
  return performance.now() - started;
}

/** An update of the large club reaches all of its members, of whom 2,000 are connected. */
export async function publishing(bench: Bench): Promise<Row[]> {
  const { rounds, shape, url } = bench;
  const { origin } = await bench.app();
  const connected = Math.min(2000, shape.large.members - 1);
  const crowd = beside('sockets.ts');
  const live = `${origin.replace('http', 'ws')}/api/v1/ws/notifications?token=`;
  const members = Array.from({ length: connected }, (_, n) => inLargeClub(shape, n + 1));
  await reply(crowd, { open: members.map((user) => live + tokenOf(user)) });

  await addLoneClub(url, userId(0));
  const publish = (club: string, user: number) => publishIn(bench, club, user);
  const toRows: number[] = [];
  const toSockets: number[] = [];
  const rowsOf = async (since: string) =>
    (
      await ask<{ count: number }>(
        url,
        `select count(*)::int from notifications where kind = 'club_update' and created_at >= $1`,
        [since],
      )
    )[0]?.count ?? 0;
  const compared = await inTurn(
    rounds,
    async () => {
      await reply(crowd, { wait: true });
      const heard = once(crowd, 'message');
      const [{ since }] = (await ask<{ since: string }>(url, 'select now()::text as since')) as [
        { since: string },
      ];
      const started = Date.now();
      const took = await publish(clubId('large'), 0);
      while ((await rowsOf(since)) < shape.large.members - 1)
        await new Promise((resolve) => setTimeout(resolve, 20));
      toRows.push(Date.now() - started);
      toSockets.push(((await heard)[0] as number) - started);
      return took;
    },
    () => publish(loneClub, 0),
  ).finally(() => crowd.disconnect());
  await tidy(url);
  const what = `update for ${shape.large.members.toLocaleString('en')} members`;
  const [rows, sockets] = [median(toRows), median(toSockets)];
  return [
    atMost(`${what}: the request`, 'one for nobody', compared, 3, ' ms'),
    {
      what: `${what}: the last row`,
      against: '–',
      result: seconds(rows),
      target: '≤ 2 s',
      held: rows <= 2000,
    },
    {
      what: `${what}: the last of ${connected.toLocaleString('en')} sockets`,
      against: '–',
      result: seconds(sockets),
      target: '≤ 3 s',
      held: sockets <= 3000,
    },
  ];
}
