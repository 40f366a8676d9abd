import { setTimeout as sleep } from 'node:timers/promises';
import { openTcpProxy } from '#test/tcp-proxy.ts';
import { clubId, clubSecret, eventSlug, memberAt, personalSecret, tokenOf, type Shape } from './dataset.ts';
import { answerOf, type Ask } from './processes.ts';
import { startApp, type Bench, type Row } from './row.ts';

function readsOf(shape: Shape): Record<string, Ask> {
  const user = memberAt(shape, 0, 11);
  const token = tokenOf(user);
  return {
    'club page': { path: `/api/v1/clubs/${clubId(0)}`, token },
    'club page of an admin': {
      path: `/api/v1/clubs/admin/${clubId(0)}`,
      token: tokenOf(memberAt(shape, 0, 0)),
    },
    'event page': { path: `/api/v1/events/${eventSlug(0, 50)}`, token },
    'home: user': { path: '/api/v1/users', token },
    'home: events attending': { path: '/api/v1/users/events', token },
    'events of my clubs': { path: '/api/v1/users/clubs/events', token },
    'updates of a club': { path: `/api/v1/updates/${clubId(0)}`, token },
    notifications: { path: '/api/v1/notifications', token },
    search: { path: '/api/v1/events/clubs/filter?q=event', token },
    'club feed': { path: `/api/v1/clubs/${clubId(0)}/ical/${clubSecret(0, user)}/calendar.ics` },
    'personal feed': { path: `/api/v1/users/${personalSecret(user)}/ical/calendar.ics` },
  };
}

/** How many statements a read sends to the database, the first time and when it was read before. */
export async function statements({ shape, url }: Bench): Promise<Row[]> {
  const proxy = await openTcpProxy(url);
  const app = await startApp(proxy.url);
  const rows: Row[] = [];
  try {
    // What the process begins by itself has to be over.
    while ((await proxy.count(() => sleep(1500))) > 0);
    for (const [what, read] of Object.entries(readsOf(shape))) {
      const ask = async () => {
        const { status } = await answerOf(app.origin, read);
        if (status !== 200) throw new Error(`${what} answered ${status}`);
      };
      const [first, again] = [await proxy.count(ask), await proxy.count(ask)];
      rows.push({
        what: `statements: ${what}`,
        against: '–',
        result: first === again ? String(first) : `${first}, then ${again}`,
        target: '≤ 3',
        held: Math.max(first, again) <= 3,
      });
    }
  } finally {
    await app.close();
    await proxy[Symbol.asyncDispose]();
  }
  return rows;
}
