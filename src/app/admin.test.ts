import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { all, run, sql } from '#platform/db/client.ts';
import type { Config } from '#platform/config.ts';
import { administer } from '#app/administer.ts';
import { commands } from '#app/admin-commands.ts';
import { send } from '#test/calls.ts';
import { openMailServer, type Received } from '#test/mail-server.ts';
import {
  codeIn,
  isolatedWorld,
  memorySession,
  world,
  type ClubHandle,
  type Person,
  type World,
} from '#test/world.ts';

let w: World;
let ada: Person;
let bob: Person;
let club: ClubHandle;
const undo: (() => unknown)[] = [];
beforeEach(async () => {
  w = await world();
  [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Bob')];
  club = await w.club([ada, bob]);
});
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  await w[Symbol.asyncDispose]();
});

interface Ran {
  code: number;
  text: string;
  questions: string[];
}

/** Runs a command in this process. `agrees` answers its questions. */
async function admin(
  args: string[],
  { agrees = false, config = w.config }: { agrees?: boolean; config?: Config } = {},
) {
  const ran: Ran = { code: 0, text: '', questions: [] };
  ran.code = await administer(args, {
    config,
    ask: async (question) => (ran.questions.push(question), agrees),
    print: (text) => void (ran.text += text),
    openDatabase: async () => ({ url: w.databaseUrl, stop: async () => {} }),
  });
  return ran;
}

const json = async (...args: string[]) => JSON.parse((await admin([...args, '--json'])).text) as unknown;

const roleOf = async ({ id }: Person, of = club) =>
  (await ada.api.members.ofClub({ club: of.id })).members.find((member) => member.id === id)?.club_role;

/** What a command changes, apart from its job. */
const accounts = () =>
  all(
    w.db,
    sql`select (select count(*) from users) as users, (select count(*) from clubs) as clubs,
    (select count(*) from members) as members, (select count(*) from sessions) as sessions,
    (select count(*) from jobs where name = 'log_admin_events') as logged`,
  );

/** Waits until the queue is empty. */
async function delivered(): Promise<void> {
  await w.hurry();
  await expect
    .poll(() => all(w.db, sql`select from jobs where name in ('send_email', 'send_notice')`))
    .toEqual([]);
}
const subjectsTo = async (address: string) =>
  (await w.outbox()).filter(({ to }) => to?.[0]?.address === address).map(({ subject }) => subject);

describe('users, user, clubs and club', () => {
  test('find accounts and clubs by words, and print them as text and as JSON [OPER-10]', async () => {
    const other = await w.person('Cyd');
    expect(await json('users', '--search', 'byron ADA')).toEqual([
      {
        email: ada.email,
        name: 'Ada Byron',
        clubs: 1,
        created_at: expect.any(String),
        last_seen: expect.any(String),
        disabled_at: null,
      },
    ]);
    const { text } = await admin(['users']);
    for (const { email } of [ada, bob, other]) expect(text).toContain(email);
    expect((await admin(['users', '--search', 'nobody %'])).text).toBe('none');
    expect(await json('clubs', '--search', 'rowers')).toMatchObject([
      { slug: club.slug, members: 2, admins: 1 },
    ]);
    expect(await json('club', club.slug)).toMatchObject({
      members: 2,
      team: [{ email: ada.email, role: 'admin' }],
    });
  });

  test('user: shows clubs, sessions and the emails that wait or were given up [OPER-10]', async () => {
    await delivered();
    await run(
      w.db,
      sql`insert into jobs (name, payload, run_at, attempts, max_attempts, last_error, failed_at)
          select 'send_email', jsonb_build_object('to', ${bob.email}::text), now() + interval '1 hour', attempts, 26,
            'The server rejected the email: 550', now()
          from unnest(array[3, 26]) as attempts`,
    );
    expect(await json('user', bob.email)).toMatchObject({
      id: bob.id,
      clubs: [{ slug: club.slug, role: 'member' }],
      sessions: [{ device: 'Test' }],
      emails: {
        waiting: 1,
        given_up: 1,
        rejections_in_a_row: 0,
        last_error: 'The server rejected the email: 550',
      },
    });
    const { text } = await admin(['user', bob.email]);
    expect(text).toMatch(/^email: bob-/m);
    expect(text).toMatch(/^emails$/m);
  });

  test('control characters in the texts of users do not reach the terminal [OPER-10]', async () => {
    await run(w.db, sql`update clubs set club_name = E'Evil \\x1b[2J' where id = ${club.id}`);
    expect((await admin(['clubs'])).text).toMatch(/Evil {2}\[2J/);
  });
});

describe('grant', () => {
  test('makes a member an admin, tells them in the app and by email, and prints what it did [OPER-08]', async () => {
    const ran = await admin(['grant', bob.email.toUpperCase(), club.slug, 'admin']);
    expect(ran).toMatchObject({ code: 0, text: `${bob.email.toUpperCase()} is an admin of ${club.slug}.` });
    expect(await roleOf(bob)).toBe(200);
    await delivered();
    expect(await subjectsTo(bob.email)).toContain(`You are now an admin of ${club.club_name}`);
    expect((await bob.api.notifications.list({})).map(({ message }) => message)).toContain(
      `Someone made you an admin of ${club.club_name}.`,
    );
  });

  test('gives a club whose only admin has gone a new one, who is not even a member yet [OPER-08]', async () => {
    await admin(['disable', ada.email]);
    const cyd = await w.person('Cyd');
    expect((await send(w, bob, `PATCH /v1/clubs/${club.id}`, { club_name: 'Mine' })).status).toBe(403);
    await admin(['grant', cyd.email, club.slug, 'admin']);
    await cyd.api.members.changeRole({ club: club.id, member: ada.id, role: 0 });
    expect((await cyd.api.members.ofClub({ club: club.id })).members).toMatchObject([
      { id: cyd.id, club_role: 200 },
      { id: ada.id, club_role: 0 },
      { id: bob.id, club_role: 0 },
    ]);
    await delivered();
    expect(await subjectsTo(cyd.email)).toContain(`You are now an admin of ${club.club_name}`);
  });

  test('makes a club without members administrable again, which only a change by hand leaves behind [OPER-08]', async () => {
    await run(w.db, sql`alter table members disable trigger members_keep_an_admin`);
    await run(w.db, sql`delete from members where club_id = ${club.id}`);
    await run(w.db, sql`alter table members enable trigger members_keep_an_admin`);
    await admin(['grant', bob.email, club.slug, 'admin']);
    expect((await bob.api.members.ofClub({ club: club.id })).members).toMatchObject([
      { id: bob.id, club_role: 200 },
    ]);
  });

  test('keeps the rule that a club has an admin [OPER-08]', async () => {
    await expect(admin(['grant', ada.email, club.slug, 'member'])).rejects.toThrow("You're the only admin");
    expect(await roleOf(ada)).toBe(200);
  });

  test.each([
    [
      'an unknown address',
      (): string[] => ['grant', 'nobody@example.org', club.slug, 'admin'],
      'There is no account',
    ],
    ['an unknown club', (): string[] => ['grant', bob.email, 'nothing', 'admin'], 'There is no club'],
    ['an unknown role', (): string[] => ['grant', bob.email, club.slug, 'boss'], 'boss is no role'],
  ])('with %s changes nothing and logs nothing [OPER-08]', async (_what, args, message) => {
    const before = await accounts();
    await expect(admin(args())).rejects.toThrow(message);
    expect(await accounts()).toEqual(before);
    expect(await roleOf(bob)).toBe(0);
  });
});

describe('accounts', () => {
  test('disable ends the sessions and closes the account, enable undoes it [OPER-09 OPER-10]', async () => {
    expect((await admin(['disable', bob.email])).text).toContain('is disabled');
    expect((await send(w, bob, 'GET /v1/users')).status).toBe(401);
    expect(await json('users', '--search', bob.email)).toMatchObject([{ disabled_at: expect.any(String) }]);
    await admin(['enable', bob.email]);
    await w.anyone.auth.login({ email: bob.email });
    const code = codeIn(await w.mail(bob.email));
    expect(await w.anyone.auth.confirm({ email: bob.email, code })).toBeTruthy();
    expect(await roleOf(bob)).toBe(0);
  });

  test('logout ends the sessions of one account, and with --links its feeds and invite links [OPER-10]', async () => {
    const feed = `/api/v1/users/${(await ada.api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
    const others = `/api/v1/users/${(await bob.api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
    const { invite_link } = await ada.api.invites.create({ club_id: club.id });
    const statusOf = async (path: string) => (await fetch(w.origin + path)).status;
    await admin(['logout', ada.email]);
    expect((await send(w, ada, 'GET /v1/users')).status).toBe(401);
    expect([await statusOf(feed), await statusOf(`/api/v1/invite-links/${invite_link}`)]).toEqual([200, 200]);
    await admin(['logout', ada.email, '--links']);
    expect([await statusOf(feed), await statusOf(`/api/v1/invite-links/${invite_link}`)]).toEqual([404, 404]);
    expect([await statusOf(others), (await send(w, bob, 'GET /v1/users')).status]).toEqual([200, 200]);
  });

  test('logout --all asks, then ends all sessions, and with --links all feeds [OPER-10]', async () => {
    const feeds = [];
    for (const { api } of [ada, bob]) {
      feeds.push(`/api/v1/users/${(await api.users.me({})).ical_feed_url_id}/ical/calendar.ics`);
      const { ical_feed_url_id } = await api.clubs.get({ club: club.id });
      feeds.push(`/api/v1/clubs/${club.id}/ical/${ical_feed_url_id}/calendar.ics`);
    }
    await expect(admin(['logout', '--all', '--links'])).rejects.toThrow('Nothing was changed');
    expect((await send(w, bob, 'GET /v1/users')).status).toBe(200);
    const ran = await admin(['logout', '--all', '--links'], { agrees: true });
    expect(ran).toMatchObject({ code: 0, questions: ['Log out everybody?'] });
    for (const person of [ada, bob]) expect((await send(w, person, 'GET /v1/users')).status).toBe(401);
    for (const feed of feeds) expect((await fetch(w.origin + feed)).status).toBe(404);
    await expect(admin(['logout'])).rejects.toThrow();
  });

  test('email moves an account, tells both addresses, ends all sessions and revokes earlier revert links [OPER-10 KNOW-07]', async () => {
    await run(
      w.db,
      sql`insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
          values (gen_random_uuid(), ${bob.id}, 'thief@example.org', ${bob.email}, now(), now(), now(), now() + interval '1 day')`,
    );
    await expect(admin(['email', bob.email, ada.email])).rejects.toThrow("You can't use this email");
    await admin(['email', bob.email, 'Robert@Example.org']);
    expect((await send(w, bob, 'GET /v1/users')).status).toBe(401);
    await delivered();
    for (const address of [bob.email, 'robert@example.org'])
      expect(await subjectsTo(address)).toContain('Your Muster email was changed');
    expect(await all(w.db, sql`select from email_changes`)).toEqual([]);
    await w.anyone.auth.login({ email: 'robert@example.org' });
    const session = memorySession();
    const code = codeIn(await w.mail('robert@example.org', 1));
    session.write(await w.anyone.auth.confirm({ email: 'robert@example.org', code }));
    expect((await w.client(session).users.me({})).id).toBe(bob.id);
  });

  test('delete names what happens to the clubs, asks, and deletes as the app does [OPER-10]', async () => {
    const own = await w.club([ada], 'Lonely');
    const before = await accounts();
    await expect(admin(['delete', ada.email])).rejects.toThrow('Nothing was changed');
    expect(await accounts()).toEqual(before);
    const ran = await admin(['delete', ada.email], { agrees: true });
    expect(ran.questions).toEqual([
      `Delete ${ada.email} for good (${club.slug} gets another admin, ${own.slug} is deleted too)?`,
    ]);
    expect(await all(w.db, sql`select from users where id = ${ada.id}`)).toEqual([]);
    expect((await bob.api.users.me({})).clubs).toMatchObject([{ slug: club.slug, club_role: 200 }]);
    expect(await all(w.db, sql`select from deletions`)).toHaveLength(1);
    expect(await json('clubs')).toHaveLength(1);
  });

  test('delete-club asks, deletes the club and tells those who were going [OPER-10]', async () => {
    const event = await w.event(club, ada);
    await bob.api.answers.attend({ event: event.id });
    await expect(admin(['delete-club', club.slug])).rejects.toThrow('Nothing was changed');
    const ran = await admin(['delete-club', club.slug, '--yes']);
    expect(ran).toMatchObject({ code: 0, questions: [] });
    expect(await all(w.db, sql`select from clubs`)).toEqual([]);
    await delivered();
    expect(await subjectsTo(bob.email)).toContain(`${club.club_name} was deleted`);
  });
});

describe('audit', () => {
  test('each command is in the log of the app with its events and ids, and without addresses [OPER-08 OPER-10]', async () => {
    const lines: string[] = [];
    await w[Symbol.asyncDispose]();
    w = await isolatedWorld({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) });
    const [cyd, dan] = [await w.person('Cyd'), await w.person('Dan')];
    const chess = await w.club([cyd, dan]);
    await admin(['grant', dan.email, chess.slug, 'admin']);
    await admin(['delete', cyd.email, '--yes']);
    const logged = () =>
      lines.map((line) => JSON.parse(line) as { by?: string }).filter(({ by }) => by === 'operator');
    const ids = { club: chess.id, member: dan.id };
    await expect.poll(logged).toMatchObject([
      { event: 'admin_command', command: 'grant' },
      { event: 'role_changed', ...ids, role: 200 },
      { event: 'role_granted', ...ids, role: 'admin' },
      { event: 'admin_command', command: 'delete' },
      { event: 'account_deleted', owner: cyd.id },
    ]);
    expect(lines.join()).not.toContain('@example.org');
  });
});

describe('test-mail', () => {
  const mails: Received[] = [];
  async function withServer(options: Parameters<typeof openMailServer>[1] = {}) {
    mails.length = 0;
    const server = await openMailServer((mail) => mails.push(mail), options);
    undo.push(server.close);
    return { ...w.config, smtpUrl: server.url };
  }

  test('sends one email and prints the answer of the mail server [OPER-11]', async () => {
    const ran = await admin(['test-mail', 'ada@example.org'], { config: await withServer() });
    expect(ran.text).toMatch(/^the mail server 127\.0\.0\.1:\d+ took the email: 250 /);
    expect([ran.code, mails.map(({ to }) => to)]).toEqual([0, [['ada@example.org']]]);
  });

  test('fails and prints the reply if the mail server rejects the recipient [OPER-11]', async () => {
    const config = await withServer({ refuse: (command) => (command === 'RCPT' ? 550 : undefined) });
    const ran = await admin(['test-mail', 'ada@example.org'], { config });
    expect(ran).toMatchObject({
      code: 1,
      text: expect.stringMatching(/did not take the email: .*550/) as string,
    });
  });

  test('fails if there is no mail server [OPER-11]', async () => {
    const ran = await admin(['test-mail', 'ada@example.org'], {
      config: { ...w.config, smtpUrl: 'smtp://127.0.0.1:9' },
    });
    expect(ran).toMatchObject({ code: 1, text: expect.stringMatching(/ECONNREFUSED/) as string });
  });
});

/** A reverse proxy that forwards requests with these headers. */
async function openProxy(forward: (headers: IncomingHttpHeaders, address: string) => IncomingHttpHeaders) {
  const proxy = createServer((incoming, outgoing) => {
    const headers = forward(incoming.headers, incoming.socket.remoteAddress ?? '');
    const forwarded = request(w.origin + (incoming.url ?? ''), { headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  undo.push(() => new Promise((done) => (proxy.closeAllConnections(), proxy.close(done))));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const running = () => ({ ...w.config, port: Number(new URL(w.origin).port) });
const checked = async (config: Config) => {
  const { code, text } = await admin(['check', '--json'], { config });
  const results = JSON.parse(text) as { check: string; result: string; detail: string }[];
  const of = (name: string) => results.find(({ check }) => check === name);
  return { code, of, results: Object.fromEntries(results.map(({ check, result }) => [check, result])) };
};

describe('check', () => {
  const ok = { version: 'ok', database: 'ok', mail: 'ok', storage: 'ok', clock: 'ok' };

  test('reports each part and the version, and succeeds [OPER-11 OPER-16]', async () => {
    const { code, of, results } = await checked({ ...running(), publicUrl: w.origin });
    expect({ code, results }).toEqual({ code: 0, results: { ...ok, proxy: 'ok' } });
    expect(of('version')?.detail).toMatch(/^Muster \d+\.\d+\.\d+, Node \d+/);
  });

  test('does not fail because the app is not running [OPER-10 OPER-11]', async () => {
    const { code, results } = await checked({ ...w.config, port: 9 });
    expect({ code, results }).toEqual({ code: 0, results: { ...ok, proxy: 'not checked' } });
  });

  test('fails for a mail server that does not answer [OPER-11]', async () => {
    const { code, results } = await checked({
      ...running(),
      publicUrl: w.origin,
      smtpUrl: 'smtp://127.0.0.1:9',
    });
    expect({ code, results }).toEqual({ code: 1, results: { ...ok, mail: 'failed', proxy: 'ok' } });
  });

  test('fails for a storage that cannot be written [OPER-11]', async () => {
    const dataDir = join(w.config.dataDir, 'other');
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'media'), 'a file');
    const { code, results } = await checked({ ...running(), publicUrl: w.origin, dataDir });
    expect({ code, results }).toEqual({ code: 1, results: { ...ok, storage: 'failed', proxy: 'ok' } });
  });

  test('fails for a database without the newest migration [OPER-11]', async () => {
    await run(
      w.db,
      sql`update schema_migrations set name = name || '.old' where name = (select max(name) from schema_migrations)`,
    );
    const { code, results } = await checked({ ...running(), publicUrl: w.origin });
    expect({ code, results }).toEqual({ code: 1, results: { ...ok, database: 'failed', proxy: 'ok' } });
    await run(w.db, sql`update schema_migrations set name = replace(name, '.old', '')`);
  });

  test.each([
    [
      'adds the address that it saw',
      true,
      (headers: IncomingHttpHeaders, address: string) => ({
        ...headers,
        'x-forwarded-for': `${headers['x-forwarded-for']}, ${address}`,
      }),
      undefined,
    ],
    [
      'is not trusted',
      false,
      (headers: IncomingHttpHeaders, address: string) => ({ ...headers, 'x-forwarded-for': address }),
      /set TRUST_PROXY=on/,
    ],
    [
      'passes a forged address on',
      true,
      (headers: IncomingHttpHeaders) => headers,
      /A client can choose the address/,
    ],
    [
      'removes the address',
      true,
      (headers: IncomingHttpHeaders) => ({ ...headers, 'x-forwarded-for': [] as unknown as string }),
      /does not set X-Forwarded-For/,
    ],
    [
      'replaces the host',
      true,
      (headers: IncomingHttpHeaders, address: string) => ({
        ...headers,
        host: 'localhost',
        'x-forwarded-for': address,
      }),
      /forward the Host header/,
    ],
  ] as const)(
    'a proxy that %s (TRUST_PROXY: %s) is found [OPER-11]',
    async (_what, trusted, forward, problem) => {
      await w[Symbol.asyncDispose]();
      w = await isolatedWorld({ TRUST_PROXY: trusted ? 'on' : 'off' });
      const { code, of } = await checked({ ...running(), publicUrl: await openProxy(forward) });
      expect(of('proxy')?.detail).toMatch(problem ?? /arrive as they should/);
      expect(code).toBe(problem ? 1 : 0);
    },
  );

  test('the route that it uses exists for nobody else [OPER-11]', async () => {
    for (const value of ['', 'x', `${Date.now()}.x`])
      expect((await fetch(`${w.origin}/proxy-check`, { headers: { 'x-muster-check': value } })).status).toBe(
        404,
      );
  });
});

describe('the command line', () => {
  test('lists the commands, and names the arguments of a command that is called wrongly [OPER-10]', async () => {
    for (const args of [[], ['nothing'], ['constructor']])
      await expect(admin(args)).rejects.toThrow(new RegExp(Object.keys(commands).join('[^]*')));
    await expect(admin(['grant', 'ada@example.org'])).rejects.toThrow('grant <email> <slug> <role>');
    await expect(admin(['user', 'a@example.org', 'b'])).rejects.toThrow('user <email>');
    await expect(admin(['user', 'a@example.org', '--all'])).rejects.toThrow('user <email>');
    await expect(admin(['users', '--unknown'])).rejects.toThrow('--unknown');
  });
});
