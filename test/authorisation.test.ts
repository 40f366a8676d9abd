import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import { startServer } from '#app/server.ts';
import { ask } from '#test/ask.ts';
import { createScenario, type Scenario } from '#test/scenario.ts';
import { openDatabaseSnapshot } from '#test/database-snapshot.ts';
import {
  bareRoutes,
  livePath,
  matrix,
  people,
  promised,
  withoutPreview,
  type Row,
  type Who,
} from '#test/authorisation-matrix.ts';
import { openStripe } from '#test/stripe.ts';
import { isolatedWorld, type World } from '#test/world.ts';

const everybody = Object.keys(people) as Who[];
const isDocument = (row: Row) => 'document' in row.call;
const writes = (row: Row) => 'writes' in row.call && row.call.writes;

const planned = {
  location_name: 'North gate',
  start_time: '2090-01-01T10:00:00Z',
  end_time: '2090-01-01T12:00:00Z',
};

/** Which requirement a line proves besides the table itself. */
const errorCodesToProve: Record<string, string> = {
  21: "A non-admin's POST of an invite link is refused [ROLE-03]",
  25: "A non-admin's DELETE of an invite link is refused [ROLE-04]",
  22: "A non-admin's look at the invite link of a club is refused [ROLE-05]",
  15: "A non-admin's look at the admin view of a club is refused [ROLE-06]",
  20: "A non-admin's change of a role is refused [ROLE-07]",
  19: "A non-admin's ejection of a member is refused [ROLE-08]",
  26: "A non-admin's new event is refused [ROLE-09]",
  35: "A non-admin's edit of an event is refused [ROLE-10]",
  16: "A non-admin's edit of a club is refused [ROLE-11]",
  43: "A non-admin's update is refused [ROLE-12]",
  34: 'Nobody but its host cancels an event [ROLE-13]',
};

describe('with previews of events', () => {
  let provider: Awaited<ReturnType<typeof openStripe>>;
  let w: World;
  let scenario: Scenario;
  let snapshot: Awaited<ReturnType<typeof openDatabaseSnapshot>>;

  beforeAll(async () => {
    provider = await openStripe();
    w = await isolatedWorld(provider.settings);
    scenario = await createScenario(w);
    snapshot = await openDatabaseSnapshot(w.db);
  });
  afterAll(async () => {
    await w[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** One cell of the table: its status, what it left behind, and what it told. */
  async function cell(row: Row, who: Who): Promise<string[]> {
    const before = await snapshot.state();
    const answer = await ask(w.origin, row.call, row.input(scenario.facts, who), scenario.token(who));
    const hasChanged = (await snapshot.state()) !== before;
    const touched = hasChanged ? await snapshot.changedUsers() : [];
    if (hasChanged) await snapshot.restore();
    else await run(w.db, sql`delete from rate_limits`);

    const faults = scenario.leaks(row, who, answer.text + JSON.stringify([...answer.headers]));
    if (answer.status !== promised(row, who))
      faults.push(`${answer.status} instead of ${promised(row, who)}`);
    if (touched.some((id) => id !== scenario.idOf(who))) faults.push('another user changed');
    if (hasChanged && answer.status >= 400) faults.push('refused, and yet something changed');
    if (hasChanged && !writes(row)) faults.push('something changed by looking');
    return faults.map((fault) => `${row.row} ${row.call.method} ${row.call.path} as ${who}: ${fault}`);
  }

  for (const row of matrix) {
    test(errorCodesToProve[row.row] ?? `row ${row.row}: ${row.call.method} ${row.call.path}`, async () => {
      const faults: string[] = [];
      for (const who of everybody) faults.push(...(await cell(row, who)));
      expect(faults).toEqual([]);
    });
  }

  test('an organiser (100) may nowhere more than a member [ROLE-14]', async () => {
    const faults: string[] = [];
    for (const row of matrix) {
      expect(promised(row, 'organiser')).toBe(promised(row, 'member'));
      faults.push(...(await cell(row, 'organiser')));
    }
    expect(faults).toEqual([]);
  });

  test('a call that needs a user answers 401 to a missing, invalid or expired token [AUTH-08]', async () => {
    const before = await snapshot.state();
    for (const { call, input } of matrix.filter(({ call }) => call.who === 'user')) {
      for (const who of ['nobody', 'garbage', 'expired', 'deleted'] as const) {
        const answer = await ask(w.origin, call, input(scenario.facts, who), scenario.token(who));
        expect({ path: call.path, who, status: answer.status }).toEqual({
          path: call.path,
          who,
          status: 401,
        });
        expect(JSON.parse(answer.text)).toMatchObject({ data: null, status: 401, error: 'not_signed_in' });
      }
    }
    expect(await snapshot.state()).toBe(before);
  });

  test('every call goes under /api, and is nowhere else [API-01]', async () => {
    const before = await snapshot.state();
    for (const row of matrix) {
      const call = { ...row.call, path: `/..${row.call.path}` };
      expect(call.path).toMatch(/^\/\.\.\/v1\//);
      const answer = await ask(w.origin, call, row.input(scenario.facts, 'admin'), scenario.token('admin'));
      const isPage = row.call.method === 'GET' && answer.text.startsWith('<!doctype html>');
      expect({ path: call.path, found: isPage || answer.status === 404 }).toEqual({
        path: call.path,
        found: true,
      });
    }
    expect(await snapshot.state()).toBe(before);
  });

  test('two ids in one request must belong together, or nothing happens [T11]', async () => {
    const { facts } = scenario;
    const stranger = scenario.token('admin of another club');
    const tomorrow = instant(Date.now() + 86_400_000);
    const planned = {
      name: 'Taken over',
      location_name: 'Pier 3',
      start_time: tomorrow,
      end_time: tomorrow,
    };
    const attempts: [Row['call'], Record<string, unknown>, number][] = [
      [contracts.members.eject, { club: facts.otherClub, member: facts.target }, 404],
      [contracts.members.changeRole, { club: facts.otherClub, member: facts.target, role: 0 }, 404],
      [contracts.events.edit, { event: facts.event, club: facts.otherClub, name: 'Taken over' }, 403],
      [contracts.clubs.update, { club: facts.otherClub, clubId: facts.club, club_name: 'Taken over' }, 400],
      [contracts.clubs.update, { club: facts.club, clubId: facts.otherClub, club_name: 'Taken over' }, 404],
      [contracts.events.create, { ...planned, club: facts.otherClub, clubId: facts.club }, 400],
      [contracts.events.create, { ...planned, club: facts.club, clubId: facts.otherClub }, 404],
      [contracts.updates.publish, { club: facts.otherClub, clubId: facts.club, content: 'Taken over' }, 400],
      [contracts.updates.publish, { club: facts.club, clubId: facts.otherClub, content: 'Taken over' }, 404],
      [
        contracts.calendar.clubFeed,
        { club: facts.otherClub, secret: scenario.facts.clubSecret('member') },
        404,
      ],
      [
        contracts.calendar.clubFeed,
        { club: facts.club, secret: scenario.facts.personalSecret('member') },
        404,
      ],
      [contracts.calendar.personalFeed, { secret: scenario.facts.clubSecret('member') }, 404],
      [contracts.calendar.personalFeed, { secret: scenario.idOf('member') }, 404],
    ];
    const before = await snapshot.state();
    for (const [call, input, status] of attempts) {
      const answer = await ask(w.origin, call, input, stranger);
      expect({ call: call.path, status: answer.status }).toEqual({ call: call.path, status });
    }
    const admin = await ask(
      w.origin,
      contracts.events.edit,
      { event: facts.event, club: facts.otherClub, name: 'x' },
      scenario.token('admin'),
    );
    expect(admin.status).toBe(404);
    expect(await snapshot.state()).toBe(before);
  });

  test('what nobody may set is set by no call, whoever makes it [T14]', async () => {
    const forged = '5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111';
    // So long that no id and no mark has it by chance.
    const hostileStrings = 1_424_242_421;
    const privileged = {
      id: forged,
      user_id: forged,
      creator_id: forged,
      created_by: forged,
      actor_id: forged,
      owner_club_id: forged,
      session_id: forged,
      role: 200,
      club_role: 200,
      is_admin: true,
      is_member: true,
      is_ready: true,
      attendee_role: 'organiser',
      user_count: hostileStrings,
      sequence: hostileStrings,
      calendar_secret: 'forged',
      ical_feed_url_id: 'forged',
      slug: 'forged',
      token: 'forged',
      profile_picture_url: '/forged',
      profile_banner_url: '/forged',
      pending_email: 'forged@example.org',
      created_at: '2001-01-01T00:00:00Z',
      deleted_at: '2001-01-01T00:00:00Z',
      joined_at: '2001-01-01T00:00:00Z',
      seen_at: '2001-01-01T00:00:00Z',
      expires_at: '2091-01-01T00:00:00Z',
      ends_at: '2091-01-01T00:00:00Z',
    };
    const raised = sql`
      select 1 from members m left join kept.members k using (club_id, user_id)
      where m.club_id in (select id from kept.clubs) and m.club_role > coalesce(k.club_role, 0)
        and m.user_id <> ${scenario.facts.target}`;
    // These refuse unknown fields, so what they are sent besides must change nothing at all.
    const strict = new Set<Row['call']>([contracts.notifications.saveSettings, contracts.events.edit]);
    const tried = matrix.filter((row) => writes(row) && !('upload' in row.call));
    for (const row of tried) {
      const who = everybody.find((one) => promised(row, one) < 300) as Who;
      if (!who) continue;
      const input = row.input(scenario.facts, who);
      // The wish for an address is one of the fields that a new event has.
      const own = row.call === contracts.events.create ? { slug: 'wished' } : {};
      const answer = await ask(w.origin, row.call, { ...privileged, ...own, ...input }, scenario.token(who));
      const at = `${row.row} ${row.call.path} as ${who}`;
      expect({ at, status: answer.status }).toEqual({
        at,
        status: strict.has(row.call) ? 400 : promised(row, who),
      });
      expect({
        at,
        found: await snapshot.rowsWith('forged', forged, '2001-01-01', '2091-01-01', String(hostileStrings)),
      }).toEqual({ at, found: [] });
      expect({ at, raised: await all(w.db, raised) }).toEqual({ at, raised: [] });
      await snapshot.restore();
    }
    expect(tried.length).toBeGreaterThan(30);
  });

  test('no address that somebody writes is ever asked for anything [T27]', async () => {
    const asked: (string | undefined)[] = [];
    const trap = createServer((request, answer) => {
      asked.push(request.url);
      answer.end('caught');
    }).listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/trap.png`;
    const { club, event } = scenario.facts;
    const admin = scenario.token('admin');
    const written: [Row['call'], Record<string, unknown>][] = [
      [contracts.users.update, { user_name: url, first_name: url, last_name: url, profile_picture_url: url }],
      [contracts.clubs.create, { club_name: url, website: url }],
      [
        contracts.clubs.update,
        { club, club_name: url, club_description: url, location_name: url, meta: { website: url } },
      ],
      [contracts.events.create, { club, ...planned, name: url, description: url, details: url }],
      [contracts.events.edit, { club, event, name: url, description: url, location_name: url }],
      [contracts.updates.publish, { club, content: `${url} ![x](${url}) <img src="${url}">` }],
      [contracts.feedback.send, { feedback: url }],
      [contracts.auth.login, { email: 'trap@example.org', rUrl: url }],
      [contracts.search.find, { q: url }],
    ];
    for (const [call, input] of written)
      expect((await ask(w.origin, call, input, admin)).status).toBeLessThan(300);
    for (const path of [`/app/events/${event}`, `/previews/events/${event}.png`, `/app/clubs/${club}`])
      expect((await fetch(w.origin + path)).status).toBe(200);
    await w.mail('trap@example.org');
    expect(asked).toEqual([]);
    // The trap would have caught it.
    await fetch(url);
    expect(asked).toEqual(['/trap.png']);
    trap.close();
    await snapshot.restore();
  });

  test('the only admin neither leaves nor steps down, and nobody ejects themselves', async () => {
    const { club, otherClub } = scenario.facts;
    const alone = 'admin of another club';
    const { leave, eject, changeRole } = contracts.members;
    const admins = sql`select 1 from members where club_id = ${club} and club_role = 200`;
    // One of several admins could go: only the rule about oneself keeps them from ejecting themselves.
    expect((await all(w.db, admins)).length).toBeGreaterThan(1);
    const attempts: [Row['call'], Record<string, unknown>, Who, string][] = [
      [leave, { club: otherClub }, alone, '400 only_admin_left'],
      [eject, { club: otherClub, member: scenario.idOf(alone) }, alone, '400 only_admin_left'],
      [changeRole, { club: otherClub, member: scenario.idOf(alone), role: 0 }, alone, '400 only_admin_left'],
      [eject, { club, member: scenario.idOf('admin') }, 'admin', '400 not_yourself'],
      [eject, { club, member: scenario.idOf('organiser') }, 'organiser', '403 not_admin'],
      [eject, { club, member: scenario.idOf('member') }, 'member', '403 not_admin'],
    ];
    const before = await snapshot.state();
    for (const [call, input, who, expected] of attempts) {
      const answer = await ask(w.origin, call, input, scenario.token(who));
      const { error } = JSON.parse(answer.text) as { error: string };
      const at = `${call.path} as ${who}`;
      expect({ at, answer: `${answer.status} ${error}` }).toEqual({ at, answer: expected });
    }
    expect(await snapshot.state()).toBe(before);
  });

  test('every route of the server stands in the table [T5 T10 T13]', async () => {
    const routes = new Set<string>();
    const server = await startServer({
      config: w.config,
      databaseUrl: w.databaseUrl,
      log: createLog('silent'),
      onRoute: ({ method, url }) => [method].flat().forEach((each) => routes.add(`${each} ${url}`)),
    });
    await server.close();
    const listed = matrix.map(({ call }) => `${call.method} /api${call.path}`);
    const heads = matrix.filter(isDocument).map(({ call }) => `HEAD /api${call.path}`);
    const paths = new Set([livePath, ...matrix.map(({ call }) => `/api${call.path}`)]);
    const known = new Set([...listed, ...heads, ...bareRoutes, 'HEAD /*']);
    const strangers = [...routes].filter((route) => !known.has(route));
    // What remains are the answers 405 of addresses that the table has, each proven to be nothing else.
    const bearer = { authorization: `Bearer ${scenario.token('admin')}` };
    const before = await snapshot.state();
    for (const route of strangers) {
      const [method = '', url = ''] = route.split(' ');
      expect(paths).toContain(url);
      const answer = await fetch(w.origin + url.replaceAll(/:\w+/g, scenario.facts.club), {
        method,
        headers: bearer,
      });
      expect({ route, status: answer.status }).toEqual({ route, status: 405 });
      expect(answer.headers.get('allow')).toMatch(/GET|POST|PUT|PATCH|DELETE/);
    }
    expect(await snapshot.state()).toBe(before);
    expect([...known].filter((route) => !routes.has(route))).toEqual([]);
  });
});

test('without previews an event is nothing to those outside its club', async () => {
  await using w = await isolatedWorld({ EVENT_PREVIEW: 'off' });
  const scenario = await createScenario(w);
  const snapshot = await openDatabaseSnapshot(w.db);
  const before = await snapshot.state();
  const outside = everybody.filter((who) => 'OEI'.includes(people[who]));
  for (const row of matrix.filter(({ row }) => withoutPreview.includes(row))) {
    for (const who of outside) {
      const answer = await ask(w.origin, row.call, row.input(scenario.facts, who), scenario.token(who));
      expect({ row: row.row, who, status: answer.status }).toEqual({ row: row.row, who, status: 404 });
      expect(scenario.leaks(row, who, answer.text)).toEqual([]);
    }
  }
  expect(await snapshot.state()).toBe(before);
});
