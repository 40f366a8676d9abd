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
  subscription,
  withoutPreview,
  type Row,
  type Who,
} from '#test/authorisation-matrix.ts';
import { openStripe } from '#test/stripe.ts';
import { isolatedWorld, type World } from '#test/world.ts';

/** Everybody but the organiser who plans, who is tested in a club of their own. */
const everyone = (Object.keys(people) as Who[]).filter((who) => who !== 'planner');
const isDocument = (row: Row) => 'document' in row.call;
const writes = (row: Row) => 'writes' in row.call && row.call.writes;

const newEvent = {
  location_name: 'North gate',
  start_time: '2090-01-01T10:00:00Z',
  end_time: '2090-01-01T12:00:00Z',
};

/** Titles of the rows that also prove a requirement. */
const titles: Record<string, string> = {
  21: 'invite link: creation refused for a non-admin [ROLE-03]',
  25: 'invite link: deletion refused for a non-admin [ROLE-04]',
  22: 'invite link: reading refused for a non-admin [ROLE-05]',
  15: 'club: admin view refused for a non-admin [ROLE-06]',
  20: 'member: role change refused for a non-admin [ROLE-07]',
  19: 'member: ejection refused for a non-admin [ROLE-08]',
  26: 'event: creation refused for a non-admin [ROLE-09]',
  35: 'event: edit refused for a non-admin [ROLE-10]',
  16: 'club: edit refused for a non-admin [ROLE-11]',
  43: 'update: publishing refused for a non-admin [ROLE-12]',
  62: 'answers: the list with notes refused for everyone but admins and the host [ANSWER-07]',
  34: 'event: cancellation refused for everyone but the host [ROLE-13]',
};

/** A world with a scenario, and what a test of a cell of the matrix needs. */
async function openClub(settings?: { organisers_plan: boolean }) {
  const provider = await openStripe();
  const w = await isolatedWorld({ ...provider.settings, CALENDAR_ORGANIZER: 'calendar@muster.test' });
  const scenario = await createScenario(w, settings);
  const snapshot = await openDatabaseSnapshot(w.db);

  /**
   * Writes the feed fetches of earlier requests first. Otherwise the timer could write them before the state is
   * compared.
   */
  async function stateBefore(): Promise<string> {
    await w.writeFetches();
    return snapshot.state();
  }

  /** The deviations of one cell: wrong status, unexpected writes, leaked secrets. */
  async function cell(row: Row, who: Who): Promise<string[]> {
    const before = await stateBefore();
    const response = await ask(w.origin, row.call, row.input(scenario.facts, who), scenario.token(who));
    const hasChanged = (await snapshot.state()) !== before;
    const touched = hasChanged ? await snapshot.changedUsers() : [];
    if (hasChanged) await snapshot.restore();
    else await run(w.db, sql`delete from rate_limits`);

    const deviations = scenario.leaks(row, who, response.text + JSON.stringify([...response.headers]));
    if (response.status !== promised(row, who))
      deviations.push(`${response.status} instead of ${promised(row, who)}`);
    if (touched.some((id) => id !== scenario.idOf(who))) deviations.push('another user was changed');
    if (hasChanged && response.status >= 400)
      deviations.push('the request failed but changed rows or sent something');
    if (hasChanged && !writes(row)) deviations.push('a read changed rows');
    return deviations.map(
      (deviation) => `${row.row} ${row.call.method} ${row.call.path} as ${who}: ${deviation}`,
    );
  }
  return {
    w,
    scenario,
    snapshot,
    stateBefore,
    cell,
    async close() {
      await w[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

describe('authorisation with event previews', () => {
  let w: World;
  let scenario: Scenario;
  let opened: Awaited<ReturnType<typeof openClub>>;
  let snapshot: typeof opened.snapshot;
  let stateBefore: typeof opened.stateBefore;
  let cell: typeof opened.cell;

  beforeAll(async () => {
    opened = await openClub();
    ({ w, scenario, snapshot, stateBefore, cell } = opened);
  });
  afterAll(() => opened.close());

  for (const row of matrix) {
    test(titles[row.row] ?? `row ${row.row}: ${row.call.method} ${row.call.path}`, async () => {
      const deviations: string[] = [];
      for (const who of everyone) deviations.push(...(await cell(row, who)));
      expect(deviations).toEqual([]);
    });
  }

  test('an organiser (role 100) has exactly the rights of a member until an admin decides [ROLE-14 ROLE2-02]', async () => {
    const deviations: string[] = [];
    for (const row of matrix) {
      expect(promised(row, 'organiser')).toBe(promised(row, 'member'));
      deviations.push(...(await cell(row, 'organiser')));
    }
    expect(deviations).toEqual([]);
  });

  test('an endpoint for users returns 401 when the token is missing, invalid or expired [AUTH-08]', async () => {
    const before = await stateBefore();
    for (const { call, input } of matrix.filter(({ call }) => call.who === 'user')) {
      for (const who of ['nobody', 'garbage', 'expired', 'deleted'] as const) {
        const response = await ask(w.origin, call, input(scenario.facts, who), scenario.token(who));
        expect({ path: call.path, who, status: response.status }).toEqual({
          path: call.path,
          who,
          status: 401,
        });
        expect(JSON.parse(response.text)).toMatchObject({ data: null, status: 401, error: 'not_signed_in' });
      }
    }
    expect(await snapshot.state()).toBe(before);
  });

  test('every endpoint is served under /api only [API-01]', async () => {
    const before = await stateBefore();
    for (const row of matrix) {
      const call = { ...row.call, path: `/..${row.call.path}` };
      expect(call.path).toMatch(/^\/\.\.\/v1\//);
      const response = await ask(w.origin, call, row.input(scenario.facts, 'admin'), scenario.token('admin'));
      const isPage = row.call.method === 'GET' && response.text.startsWith('<!doctype html>');
      expect({ path: call.path, found: isPage || response.status === 404 }).toEqual({
        path: call.path,
        found: true,
      });
    }
    expect(await snapshot.state()).toBe(before);
  });

  test('a request is rejected without writes when its ids do not belong together [T11]', async () => {
    const { facts } = scenario;
    const stranger = scenario.token('admin of another club');
    const tomorrow = instant(Date.now() + 86_400_000);
    const newEvent = {
      name: 'Taken over',
      location_name: 'Pier 3',
      start_time: tomorrow,
      end_time: tomorrow,
    };
    const attempts: [Row['call'], Record<string, unknown>, number][] = [
      [contracts.members.eject, { club: facts.otherClub, member: facts.target }, 404],
      [contracts.members.changeRole, { club: facts.otherClub, member: facts.target, role: 0 }, 404],
      [
        contracts.members.offerHandover,
        { club: facts.otherClub, user_id: facts.target, afterwards: 'stay' },
        404,
      ],
      [contracts.members.acceptHandover, { club: facts.otherClub, from: facts.founder }, 409],
      [contracts.members.declineHandover, { club: facts.otherClub, from: facts.founder }, 409],
      [
        contracts.sections.save,
        { club: facts.otherClub, sections: [{ id: facts.section, name: 'Taken over' }] },
        400,
      ],
      [contracts.sections.save, { club: facts.otherClub, remove: [facts.section] }, 400],
      [
        contracts.sections.changeMembers,
        { club: facts.otherClub, section: facts.section, add: [facts.target] },
        404,
      ],
      [contracts.events.edit, { event: facts.event, club: facts.otherClub, name: 'Taken over' }, 403],
      [contracts.clubs.update, { club: facts.otherClub, clubId: facts.club, club_name: 'Taken over' }, 400],
      [contracts.clubs.update, { club: facts.club, clubId: facts.otherClub, club_name: 'Taken over' }, 404],
      [contracts.events.create, { ...newEvent, club: facts.otherClub, clubId: facts.club }, 400],
      [contracts.events.create, { ...newEvent, club: facts.club, clubId: facts.otherClub }, 404],
      [contracts.updates.publish, { club: facts.otherClub, clubId: facts.club, content: 'Taken over' }, 400],
      [contracts.updates.publish, { club: facts.club, clubId: facts.otherClub, content: 'Taken over' }, 404],
      [contracts.updates.edit, { club: facts.otherClub, update: facts.update, content: 'Taken over' }, 404],
      [contracts.updates.remove, { club: facts.otherClub, update: facts.update }, 404],
      [contracts.updates.edit, { club: facts.otherClub, update: facts.message, content: 'Taken over' }, 404],
      [contracts.updates.remove, { club: facts.otherClub, update: facts.message }, 404],
      [contracts.updates.read, { club: facts.otherClub, update: facts.update }, 404],
      [contracts.updates.readers, { club: facts.otherClub, update: facts.update }, 404],
      [contracts.updates.remind, { club: facts.otherClub, update: facts.update }, 404],
      [contracts.updates.sendMessage, { event: facts.event, content: 'Taken over', to: ['going'] }, 403],
      [contracts.questions.answer, { question: facts.question, answer: 'Taken over', shared: true }, 404],
      [contracts.questions.remove, { question: facts.question }, 404],
      [
        contracts.updates.publish,
        { club: facts.otherClub, content: 'News', pictures: [facts.updatePicture] },
        400,
      ],
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
    const before = await stateBefore();
    for (const [call, input, status] of attempts) {
      const response = await ask(w.origin, call, input, stranger);
      expect({ call: call.path, status: response.status }).toEqual({ call: call.path, status });
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

  test('no endpoint sets a protected field, for any caller [T14]', async () => {
    const forged = '5d0b7a52-4ad6-4a0c-9a37-60b6a3c9e111';
    // Long enough not to occur in an id or a version by chance.
    const forgedNumber = 1_424_242_421;
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
      user_count: forgedNumber,
      sequence: forgedNumber,
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
    // These endpoints reject unknown fields with 400.
    const strict = new Set<Row['call']>([
      contracts.notifications.saveSettings,
      contracts.events.edit,
      contracts.series.edit,
    ]);
    const choosesSlug = new Set<Row['call']>([contracts.events.create, contracts.series.plan]);
    const tried = matrix.filter((row) => writes(row) && !('upload' in row.call));
    for (const row of tried) {
      const who = everyone.find((one) => promised(row, one) < 300) as Who;
      if (!who) continue;
      const input = row.input(scenario.facts, who);
      // A new event may choose its slug.
      const own = choosesSlug.has(row.call) ? { slug: 'wished' } : {};
      const response = await ask(
        w.origin,
        row.call,
        { ...privileged, ...own, ...input },
        scenario.token(who),
      );
      const at = `${row.row} ${row.call.path} as ${who}`;
      expect({ at, status: response.status }).toEqual({
        at,
        status: strict.has(row.call) ? 400 : promised(row, who),
      });
      expect({
        at,
        found: await snapshot.rowsWith('forged', forged, '2001-01-01', '2091-01-01', String(forgedNumber)),
      }).toEqual({ at, found: [] });
      // A member who accepts an offer to take over the club becomes an admin.
      const accepts = row.call === contracts.members.acceptHandover;
      expect({ at, raised: await all(w.db, raised) }).toHaveProperty('raised.length', accepts ? 1 : 0);
      await snapshot.restore();
    }
    expect(tried.length).toBeGreaterThan(30);
  });

  test('the server requests no address that a user entered [T27]', async () => {
    const requested: (string | undefined)[] = [];
    const trap = createServer((request, response) => {
      requested.push(request.url);
      response.end('caught');
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
      [contracts.events.create, { club, ...newEvent, name: url, description: url, details: url }],
      [contracts.events.edit, { club, event, name: url, description: url, location_name: url }],
      [contracts.updates.publish, { club, content: `${url} ![x](${url}) <img src="${url}">` }],
      [contracts.updates.sendMessage, { event, content: url, to: ['going'] }],
      [contracts.feedback.send, { feedback: url }],
      [contracts.auth.login, { email: 'trap@example.org', rUrl: url }],
      [contracts.search.find, { q: url }],
    ];
    for (const [call, input] of written)
      expect((await ask(w.origin, call, input, admin)).status).toBeLessThan(300);
    const device = { ...subscription, endpoint: url };
    expect((await ask(w.origin, contracts.push.saveDevice, device, admin)).status).toBe(400);
    for (const path of [`/app/events/${event}`, `/previews/events/${event}.png`, `/app/clubs/${club}`])
      expect((await fetch(w.origin + path)).status).toBe(200);
    await w.mail('trap@example.org');
    expect(requested).toEqual([]);
    // Proves that the trap records requests.
    await fetch(url);
    expect(requested).toEqual(['/trap.png']);
    trap.close();
    await snapshot.restore();
  });

  test('the only admin cannot leave or step down, and nobody can eject themselves', async () => {
    const { club, otherClub } = scenario.facts;
    const alone = 'admin of another club';
    const { leave, eject, changeRole } = contracts.members;
    const admins = sql`select 1 from members where club_id = ${club} and club_role = 200`;
    // With several admins, only the rule against ejecting oneself applies.
    expect((await all(w.db, admins)).length).toBeGreaterThan(1);
    const attempts: [Row['call'], Record<string, unknown>, Who, string][] = [
      [leave, { club: otherClub }, alone, '400 only_admin_left'],
      [eject, { club: otherClub, member: scenario.idOf(alone) }, alone, '400 only_admin_left'],
      [changeRole, { club: otherClub, member: scenario.idOf(alone), role: 0 }, alone, '400 only_admin_left'],
      [eject, { club, member: scenario.idOf('admin') }, 'admin', '400 not_yourself'],
      [eject, { club, member: scenario.idOf('organiser') }, 'organiser', '403 not_admin'],
      [eject, { club, member: scenario.idOf('member') }, 'member', '403 not_admin'],
    ];
    const before = await stateBefore();
    for (const [call, input, who, expected] of attempts) {
      const response = await ask(w.origin, call, input, scenario.token(who));
      const { error } = JSON.parse(response.text) as { error: string };
      const at = `${call.path} as ${who}`;
      expect({ at, answer: `${response.status} ${error}` }).toEqual({ at, answer: expected });
    }
    expect(await snapshot.state()).toBe(before);
  });

  test('the matrix has a row for every call of the design, tried by every actor [COST-04]', () => {
    const numbers = new Set(matrix.map(({ row }) => Number.parseInt(row, 10)));
    const designed = [34, 35, ...Array.from({ length: 21 }, (_, nth) => 59 + nth)];
    expect(designed.filter((number) => !numbers.has(number))).toEqual([]);
    const calls = new Set(matrix.map(({ call }) => `${call.method} ${call.path}`));
    const missing = Object.values(contracts)
      .flatMap((contract): Row['call'][] => Object.values(contract))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((call) => !calls.has(call));
    expect(missing).toEqual([]);
    for (const { row, cells } of matrix)
      expect({ row, cells: cells.split(' ').length }).toEqual({ row, cells: 11 });
    expect(new Set(Object.values(people)).size).toBe(11);
  });

  test('every route of the server is in the matrix [T5 T10 T13 COST-04]', async () => {
    const routes = new Set<string>();
    const server = await startServer({
      config: w.config,
      databaseUrl: w.databaseUrl,
      log: createLog('silent'),
      onRoute: ({ method, url }) => [method].flat().forEach((each) => routes.add(`${each} ${url}`)),
    });
    await server.close();
    const coveredCalls = matrix.map(({ call }) => `${call.method} /api${call.path}`);
    const heads = matrix.filter(isDocument).map(({ call }) => `HEAD /api${call.path}`);
    const paths = new Set([livePath, ...matrix.map(({ call }) => `/api${call.path}`)]);
    const coveredRoutes = new Set([...coveredCalls, ...heads, ...bareRoutes]);
    const unlisted = [...routes].filter((route) => !coveredRoutes.has(route));
    // The remaining routes are the 405 handlers of paths in the matrix, and each must return 405.
    const bearer = { authorization: `Bearer ${scenario.token('admin')}` };
    const before = await stateBefore();
    for (const route of unlisted) {
      const [method = '', url = ''] = route.split(' ');
      expect(paths).toContain(url);
      const response = await fetch(w.origin + url.replaceAll(/:\w+/g, scenario.facts.club), {
        method,
        headers: bearer,
      });
      expect({ route, status: response.status }).toEqual({ route, status: 405 });
      expect(response.headers.get('allow')).toMatch(/GET|POST|PUT|PATCH|DELETE/);
    }
    expect(await snapshot.state()).toBe(before);
    expect([...coveredRoutes].filter((route) => !routes.has(route))).toEqual([]);
  });
});

describe('authorisation of an organiser in a club that lets organisers plan', () => {
  let opened: Awaited<ReturnType<typeof openClub>>;
  beforeAll(async () => void (opened = await openClub({ organisers_plan: true })));
  afterAll(() => opened.close());

  test('every call: plans, publishes and runs events, and administrates nothing [ROLE2-04 ROLE2-05 ROLE2-06]', async () => {
    const deviations: string[] = [];
    for (const row of matrix) deviations.push(...(await opened.cell(row, 'planner')));
    expect(deviations).toEqual([]);
  });
});

test('authorisation without event previews: an event returns 404 to outsiders', async () => {
  await using w = await isolatedWorld({ EVENT_PREVIEW: 'off' });
  const scenario = await createScenario(w);
  const snapshot = await openDatabaseSnapshot(w.db);
  const before = await snapshot.state();
  const outside = everyone.filter((who) => 'OEI'.includes(people[who]));
  for (const row of matrix.filter(({ row }) => withoutPreview.includes(row))) {
    for (const who of outside) {
      const response = await ask(w.origin, row.call, row.input(scenario.facts, who), scenario.token(who));
      expect({ row: row.row, who, status: response.status }).toEqual({ row: row.row, who, status: 404 });
      expect(scenario.leaks(row, who, response.text)).toEqual([]);
    }
  }
  expect(await snapshot.state()).toBe(before);
});
