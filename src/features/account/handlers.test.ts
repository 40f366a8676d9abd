import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { hmac } from '#platform/token.ts';
import type { Contract, Envelope } from '#wire/endpoint.ts';
import { addSeconds } from '#wire/instant.ts';
import type { Purpose } from '#features/auth/contract.ts';
import { addClub } from '#features/clubs/store.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf, whileHeld } from '#test/calls.ts';
import { newSeries } from '#test/new-series.ts';
import { openStripe } from '#test/stripe.ts';
import { filesWith, findLeftovers } from '#test/leftovers.ts';
import {
  codeIn,
  memorySession,
  isolatedWorld,
  world,
  type ClubHandle,
  type Person,
  type World,
} from '#test/world.ts';

/** Inserts a code, as if it had been emailed. */
async function codeFor(
  { db, config, now }: World,
  { email }: Person,
  code = 'ABCDEF',
  purpose: Purpose = 'deletion',
): Promise<string> {
  await run(
    db,
    sql`insert into login_codes (id, email, purpose, short_hash, long_hash, created_at, expires_at)
        values (gen_random_uuid(), ${email}, ${purpose}, ${hmac(config.secretKey, 'code', email, code)}, ''::bytea, ${now()},
          ${now()}::timestamptz + interval '10 minutes')`,
  );
  return code;
}

const tokenOf = (person: Person) => person.session.read()?.AccessToken.Token;

type Choices = Parameters<Person['api']['account']['remove']>[0]['choices'];
const remove = async (w: World, person: Person, choices: Choices = []) =>
  outcomeOf(person.api.account.remove({ code: await codeFor(w, person), choices }));

const plain = { create: { width: 64, height: 64, channels: 3, background: '#f00' } } as const;

const adminsOf = async (w: World, { id }: ClubHandle) =>
  (
    await all(
      w.db,
      sql<{ user_id: string }>`select user_id from members where club_id = ${id} and club_role = 200`,
    )
  ).map(({ user_id }) => user_id);

const hostOf = async (w: World, { id }: { id: string }) =>
  (
    await first(
      w.db,
      sql<{ user_id: string }>`
        select user_id from answers where event_id = ${id} and host_no = 1`,
    )
  )?.user_id;

const named = ({ id, slug, club_name }: ClubHandle) => ({ id, slug, club_name });
const entry = ({ id }: Person, first_name: string, club_role: number) => ({
  id,
  first_name,
  last_name: '',
  profile_picture_url: null,
  club_role,
});

const messages = async ({ api }: Person) => (await api.notifications.list({})).map(({ message }) => message);

/** All tables that contain data of a user who used every feature. */
const everywhere = [
  'public.jobs',
  ...(
    'users sessions login_codes login_throttles members ejections invite_links answers posts questions rate_limits ' +
    'email_changes notices notification_opt_outs weekly_emails favourites event_followers feedback pictures payment_accounts oauth_states notice_emails notice_fanouts ' +
    'retired_feeds answer_changes calendar_files feed_fetches club_log'
  )
    .split(' ')
    .map((table) => `public.${table}`),
];

/** The queued emails that contain this text. */
const emailsIn = ({ db }: World, words: string) =>
  all(
    db,
    sql`select j.payload from jobs j
        where j.name = 'send_email' and position(${words} in j.payload::text) > 0`,
  );

describe('account deletion', () => {
  test('leaves no trace of a user who used every feature [PRIV-15]', async () => {
    await using stripe = await openStripe();
    await using w = await isolatedWorld({ ...stripe.settings, SUPPORT_EMAIL: 'support@muster.test' });
    const [bob, cyd] = [await w.person('Bob'), await w.person('Cyd')];
    const canary = await w.person('Canaryfirst', 'Canarylast');
    const { api } = canary;
    const club = await w.club([bob, canary, cyd]);
    await bob.api.members.changeRole({ club: club.id, member: canary.id, role: 200 });
    const alone = await w.club([canary], 'Nobody else');
    const past = await w.event(club, canary, { startsIn: 1, name: 'Past' });
    const upcoming = await w.event(club, canary, { startsIn: 48, name: 'Coming' });
    const bobs = await w.event(club, bob, { startsIn: 72, name: "Bob's" });
    await w.event(alone, canary);
    await cyd.api.answers.attend({ event: upcoming.slug });
    const elsewhere = await w.club([cyd, canary], 'Elsewhere');
    await cyd.api.members.eject({ club: elsewhere.id, member: canary.id });
    const exif = { IFD0: { Copyright: 'canaryexif' } };
    const file = await sharp(plain).withExif(exif).jpeg().toBuffer();
    expect(file.includes('canaryexif')).toBe(true);
    await api.media.setOwn({ file });
    await api.media.setAvatar({ club: club.id, file });
    const pictures = async () => (await readdir(join(w.config.dataDir, 'media'))).length;
    expect(await pictures()).toBe(6);
    w.later('3 hours');

    // From here on every email stays queued, as if the mail server were down.
    const outbox = join(w.config.dataDir, 'outbox');
    await expect.poll(() => emailsIn(w, '')).toEqual([]);
    await rename(outbox, `${outbox}.aside`);
    await writeFile(outbox, '');
    const { account } = await api.payments.open({ email: canary.email });
    await api.payments.authorise({});
    const nextEmail = {
      email: 'canary-next@example.org',
      code: await codeFor(w, canary, 'KMNPQR', 'email_change'),
    };
    await api.users.update({ user_name: 'canaryuser', ...nextEmail });
    await api.answers.attend({ event: bobs.slug });
    await api.answers.favourite({ event: bobs.slug, favourite: true });
    await api.questions.ask({ event: bobs.slug, question: 'Canaryfirst asks' });
    await api.answers.subscribe({ event: bobs.slug });
    await run(w.db, sql`insert into calendar_files values (${canary.id}, ${bobs.id}, 'email_attending')`);
    await api.updates.publish({ club: club.id, content: 'The boats are back' });
    await api.events.edit({ event: upcoming.slug, club: club.id, location_name: 'Pier 4' });
    await api.invites.create({ club_id: club.id });
    await api.notifications.saveSettings({ new_event: false, weekly_email: true });
    await api.feedback.send({ feedback: 'canaryfirst likes it' });
    await api.calendar.replaceSecret({});
    await run(w.db, sql`insert into feed_fetches values (${canary.id}, null, 'google', now())`);
    await bob.api.updates.publish({ club: club.id, content: 'To everybody' });
    await api.auth.sendCode({ purpose: 'export' });
    const second = memorySession();
    const code = await codeFor(w, canary, 'HJKMNP', 'login');
    second.write(await w.client(second).auth.confirm({ email: canary.email, code }));
    await outcomeOf(w.anyone.auth.confirm({ email: canary.email, code: '222222' }));
    await inTransaction(w.db, async (db) => {
      await run(
        db,
        sql`insert into notice_fanouts values (gen_random_uuid(), 'club_update', gen_random_uuid(), 'update', '{}', '{}',
              ${canary.id}, array[${cyd.id}, ${canary.id}]::uuid[], '{}', 0, now())`,
      );
      await run(db, sql`delete from jobs where payload ->> 'fan_out' is not null`);
    });
    const words = [
      canary.id,
      canary.email,
      'canaryfirst',
      'canarylast',
      'canaryuser',
      'canary-next',
      account,
    ];
    const tables = new Set((await findLeftovers(w.db, words)).map((row) => row.split(' ', 1)[0]));
    expect([...tables]).toEqual(expect.arrayContaining(everywhere));
    const pending = sql`select from notice_emails where kind = 'club_update' and actor_id = ${canary.id} and sent_at is null`;
    await expect.poll(() => all(w.db, pending)).toHaveLength(2);
    const feed = `/api/v1/users/${(await api.users.me({})).ical_feed_url_id}/ical/calendar.ics`;
    expect((await fetch(w.origin + feed)).status).toBe(200);

    const token = tokenOf(canary);
    await api.account.remove({ code: await codeFor(w, canary) });
    await expect.poll(() => disconnections(stripe)).toHaveLength(1);
    await expect.poll(() => pendingJobs(w)).toEqual([]);
    expect(await findLeftovers(w.db, words)).toEqual([]);
    await expect.poll(pictures, { timeout: 10_000 }).toBe(3);
    expect(await filesWith(w.config.dataDir, [...words, 'canaryexif'], 'outbox')).toEqual([]);
    for (const of of [token, second.read()?.AccessToken.Token])
      expect((await ask(w.origin, contracts.users.me, {}, of)).status).toBe(401);
    expect((await fetch(w.origin + feed)).status).toBe(404);

    expect(await all(w.db, sql`select club_name from clubs order by club_name`)).toEqual([
      { club_name: 'Elsewhere' },
      { club_name: 'Harbour Rowers' },
    ]);
    const seen = await cyd.api.clubs.get({ club: club.id });
    expect(JSON.stringify(seen)).not.toMatch(/canary/i);
    expect(seen.events.find(({ id }) => id === past.id)?.host).toBeNull();
    expect(await hostOf(w, upcoming)).toBe(bob.id);
    const updates = await cyd.api.updates.ofClub({ club: club.id });
    expect(updates.find(({ content }) => content === 'The boats are back')).toMatchObject({
      creator_first_name: null,
      creator_last_name: null,
    });
    const messagesOfCyd = (await cyd.api.notifications.list({})).map(({ message }) => message);
    expect(messagesOfCyd).toContain('Someone published an update in Harbour Rowers.');

    // Queued emails to other users are still sent, without the deleted user's name. The deleted user gets no email.
    await rm(outbox);
    await run(w.db, sql`update jobs set run_at = now() where locked_until is null`);
    await expect.poll(() => emailsIn(w, ''), { timeout: 10_000 }).toEqual([]);
    await w.hurry();
    const waiting = sql`select from notice_emails where sent_at is null`;
    await expect.poll(() => all(w.db, waiting), { timeout: 10_000 }).toEqual([]);
    const emails = (await w.outbox()).map(({ to, text }) => `${to?.[0]?.address} ${text}`);
    expect(emails).toContainEqual(
      expect.stringMatching(
        new RegExp(`^${cyd.email} Harbour Rowers\\s+Someone published an update in Harbour Rowers\\.`),
      ),
    );
    expect(emails.join('')).not.toMatch(/canary/i);
  }, 60_000);

  test('allows a new, empty account with the same address', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Bob')];
    await w.club([bob, ada]);
    expect(await remove(w, ada)).toBe('ok');
    const session = memorySession();
    const again = w.client(session);
    session.write(
      await again.auth.confirm({ email: ada.email, code: codeIn(await askedCode(w, ada, 'login')) }),
    );
    const me = await again.users.me({});
    expect(me).toMatchObject({ email: ada.email, first_name: '', last_name: '', clubs: [] });
    expect(me.id).not.toBe(ada.id);
    expect(await again.events.attending({})).toEqual([]);
    expect(await again.notifications.list({})).toEqual([]);
  });

  test("requires a fresh code sent to the user's own address, and throttles wrong codes as a login does", async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const bobs = await codeFor(w, bob, 'BBBBBB');
    const code = await codeFor(w, ada);
    for (const other of ['', '222222', bobs, '333333', '444444'])
      expect(await outcomeOf(ada.api.account.remove({ code: other }))).toBe('400 wrong_code');
    expect(await outcomeOf(ada.api.account.remove({ code }))).toBe('400 wrong_code');
    expect(await outcomeOf(w.anyone.auth.confirm({ email: ada.email, code }))).toBe('400 wrong_code');
    expect(await outcomeOf(bob.api.account.remove({ code: bobs }))).toBe('ok');
    expect((await ada.api.users.me({})).id).toBe(ada.id);
    const guard = sql`select wrong_this_hour from login_throttles where email = ${ada.email}`;
    expect(await first(w.db, guard)).toEqual({ wrong_this_hour: 5 });
  });

  test('requires a choice for each club without another admin; the error names the clubs', async () => {
    await using w = await world();
    const [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
    const chess = await w.club([ada, bob, cyd], 'Chess');
    const rowers = await w.club([ada, cyd], 'Rowers');
    const alone = await w.club([ada], 'Alone');
    const shared = await w.club([bob, ada], 'Shared');
    await ada.api.members.changeRole({ club: chess.id, member: cyd.id, role: 100 });
    expect(await ada.api.account.deletion({})).toEqual({
      need_choice: [
        { ...named(chess), other_count: 2, members: [entry(cyd, 'Cyd', 100), entry(bob, 'Bob', 0)] },
        { ...named(rowers), other_count: 1, members: [entry(cyd, 'Cyd', 0)] },
      ],
      go_along: [named(alone)],
    });

    const code = await codeFor(w, ada);
    const attempt = async (choices: Choices) => {
      const response = await ask(w.origin, contracts.account.remove, { code, choices }, tokenOf(ada));
      return JSON.parse(response.text) as Envelope;
    };
    expect(await attempt([])).toMatchObject({
      status: 409,
      error: 'choice_missing',
      message: expect.stringMatching(/chess.*rowers|rowers.*chess/),
    });
    const half = await attempt([{ club: chess.id, successor: bob.id }]);
    expect(half).toMatchObject({ status: 409, message: expect.stringContaining('rowers') });
    expect(half.message).not.toContain('chess');
    for (const successor of [bob.id, ada.id, rowers.id])
      expect(
        await attempt([
          { club: chess.id, successor: bob.id },
          { club: rowers.id, successor },
        ]),
      ).toMatchObject({ status: 409 });
    expect((await ada.api.users.me({})).clubs).toHaveLength(4);
    expect(await adminsOf(w, chess)).toEqual([ada.id]);

    expect(
      await attempt([
        { club: chess.id, successor: bob.id },
        { club: rowers.id, delete: true },
        { club: shared.id, delete: true },
      ]),
    ).toMatchObject({ status: 200, data: null });
    expect(await adminsOf(w, chess)).toEqual([bob.id]);
    expect(await adminsOf(w, shared)).toEqual([bob.id]);
    const left = await all(w.db, sql<{ id: string }>`select id from clubs`);
    expect(left.map(({ id }) => id).toSorted()).toEqual([chess.id, shared.id].toSorted());
  });

  test('hands upcoming events to the successor and notifies the members concerned', async () => {
    await using w = await world();
    const [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
    const chess = await w.club([ada, bob, cyd], 'Chess');
    const rowers = await w.club([ada, cyd], 'Rowers');
    const game = await w.event(chess, ada, { name: 'Game' });
    const race = await w.event(rowers, ada, { name: 'Race' });
    await cyd.api.answers.attend({ event: race.slug });
    const choices = [
      { club: chess.id, successor: bob.id },
      { club: rowers.id, delete: true },
    ] satisfies Choices;
    expect(await remove(w, ada, choices)).toBe('ok');
    expect(await hostOf(w, game)).toBe(bob.id);
    expect(await messages(bob)).toContain('Someone made you an admin of Chess.');
    expect(await messages(cyd)).toContain('Someone deleted Rowers. “Race” does not take place.');
  });
});

/** The disconnections that the provider received. */
const disconnections = ({ requests }: { requests: { line: string; form: object }[] }) =>
  requests.filter(({ line }) => line === 'POST /oauth/deauthorize').map(({ form }) => form);

/** Makes all pending jobs due, and returns the disconnection jobs. */
const pendingJobs = async ({ db }: World) => {
  await run(db, sql`update jobs set run_at = now() where locked_until is null`);
  return all(
    db,
    sql<{ payload: object }>`
      select j.payload from jobs j where j.name = 'disconnect_account'`,
  );
};

/** The disconnection jobs that failed at least once and wait for a retry. */
const failedJobs = ({ db }: World) =>
  all(
    db,
    sql`select 1 from jobs j
        where j.name = 'disconnect_account' and j.attempts > 0 and j.locked_until is null`,
  );

describe('payment account of a deleted user', () => {
  test('is disconnected as soon as the provider responds', async () => {
    await using stripe = await openStripe();
    await using w = await isolatedWorld(stripe.settings);
    const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
    const club = await w.club([ada, bob]);
    const { account } = await ada.api.payments.open({ email: ada.email });
    expect(await remove(w, ada)).toBe('409 choice_missing');
    expect(await pendingJobs(w)).toEqual([]);
    stripe.state.mode = 'broken';
    expect(await remove(w, ada, [{ club: club.id, successor: bob.id }])).toBe('ok');
    await expect.poll(() => disconnections(stripe).length).toBeGreaterThan(0);
    expect(await all(w.db, sql`select account from payment_accounts`)).toEqual([]);
    expect(await pendingJobs(w)).toEqual([{ payload: { account } }]);
    expect(await findLeftovers(w.db, [ada.id, ada.email])).toEqual([]);
    stripe.state.mode = 'up';
    await expect.poll(() => pendingJobs(w), { timeout: 10_000 }).toEqual([]);
    expect(disconnections(stripe).at(-1)).toEqual({
      client_id: 'ca_of_these_tests',
      stripe_user_id: account,
    });
    expect([...stripe.connected]).toEqual([]);
  });

  test('is not disconnected if it is disconnected already, or if another user has connected it', async () => {
    await using stripe = await openStripe();
    await using w = await isolatedWorld(stripe.settings);
    const [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
    for (const one of [ada, bob]) await w.club([one]);
    const gone = await ada.api.payments.open({ email: ada.email });
    const { account } = await bob.api.payments.open({ email: bob.email });
    stripe.connected.delete(gone.account);
    expect(await remove(w, ada)).toBe('ok');
    await expect.poll(() => disconnections(stripe)).toHaveLength(1);
    await expect.poll(() => pendingJobs(w)).toEqual([]);

    stripe.state.mode = 'broken';
    expect(await remove(w, bob)).toBe('ok');
    // The Stripe client may retry the request before the job fails.
    await expect.poll(() => failedJobs(w), { timeout: 10_000 }).toHaveLength(1);
    await run(
      w.db,
      sql`insert into payment_accounts values (${cyd.id}, ${account}, ${cyd.email}, true, now())`,
    );
    stripe.state.mode = 'up';
    await expect.poll(() => pendingJobs(w), { timeout: 10_000 }).toEqual([]);
    expect([...stripe.connected]).toEqual([account]);
  });
});

/** Rounds per race; set ROUNDS for more. */
const rounds = Number(process.env['ROUNDS'] ?? 5);
const timeout = rounds * 15_000;

describe('requests concurrent with an account deletion', () => {
  test(
    'by the same user: cause no error and leave no data',
    async () => {
      await using w = await world();
      for (let round = 0; round < rounds; round++) {
        const bob = await w.person('Bob');
        await run(w.db, sql`delete from rate_limits`);
        const ada = await w.person(`Canary${round}`);
        const club = await w.club([bob, ada]);
        await bob.api.members.changeRole({ club: club.id, member: ada.id, role: 200 });
        const event = await w.event(club, bob);
        const other = await bob.api.clubs.create({ club_name: 'Other' });
        const { invite_link } = await bob.api.invites.create({ club_id: other.id });
        const code = await codeFor(w, ada);
        const token = tokenOf(ada);
        const call = <C extends Contract>(endpoint: C[string], input: object) =>
          ask(w.origin, endpoint, input as Record<string, unknown>, token);
        const c = contracts;
        const calls: [Contract[string], object][] = [
          [c.clubs.create, { club_name: 'Late' }],
          [c.answers.attend, { event: event.slug }],
          [c.users.update, { first_name: 'Canary again' }],
          [c.users.update, { email: `canary-late-${round}@example.org` }],
          [c.updates.publish, { club: club.id, content: 'Late news' }],
          [c.answers.favourite, { event: event.slug, favourite: true }],
          [c.answers.subscribe, { event: event.slug }],
          [c.notifications.saveSettings, { new_event: false }],
          [c.invites.create, { club_id: club.id }],
          [c.account.remove, { code }],
          [c.invites.join, { invite: invite_link }],
          [
            c.events.create,
            {
              club: club.id,
              name: 'Late',
              location_name: 'x',
              start_time: '2090-01-01T10:00:00Z',
              end_time: '2090-01-01T11:00:00Z',
            },
          ],
          [c.members.changeRole, { club: club.id, member: bob.id, role: 200 }],
          [c.calendar.replaceSecret, {}],
          [c.users.me, {}],
          [c.clubs.get, { club: club.id }],
          [c.auth.sessions, {}],
          [c.account.deletion, {}],
          [c.auth.sendCode, { purpose: 'email_change' }],
          [c.account.remove, { code }],
          [c.members.leave, { club: club.id }],
          [c.clubs.create, { club_name: 'Later' }],
        ];
        const busy = bob.api.events.cancel({ event: event.slug });
        const responses = await Promise.all(calls.map(([endpoint, input]) => call(endpoint, input)));
        await busy;
        const errors = responses.flatMap(({ status, text }, n) =>
          status >= 500 ? [`${calls[n]?.[0].path} ${text}`] : [],
        );
        expect(errors).toEqual([]);
        // A club created just before the deletion has no other members, so it needs no choice and is deleted too.
        expect(responses.map(({ status }) => status)).toContain(200);
        expect((await ask(w.origin, c.users.me, {}, token)).status).toBe(401);
        expect(await findLeftovers(w.db, [ada.id, ada.email, 'canary'])).toEqual([]);
      }
    },
    timeout,
  );

  test('to create a club: the club is deleted too', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const code = await codeFor(w, ada);
    const lock = sql`
      with club as (
        insert into clubs (id, slug, club_name, created_at) values (gen_random_uuid(), 'late-club', 'Late', now()) returning id)
      insert into members (club_id, user_id, club_role, calendar_secret, joined_at)
      select id, ${ada.id}, 200, 'late secret', now() from club`;
    expect(
      await whileHeld(
        w,
        lock,
        () => ada.api.account.remove({ code }),
        async () => {},
      ),
    ).toBe('ok');
    expect(await all(w.db, sql`select * from clubs where slug = 'late-club'`)).toEqual([]);
  });

  test('to create a club: no club is created for a user who is gone, and the request ends', async () => {
    await using w = await world();
    const club = { club_name: 'Late', founder: randomUUID() };
    await expect(addClub(w.db, club, w.now())).rejects.toThrow(/"language".+not-null/);
    expect(await all(w.db, sql`select * from clubs`)).toEqual([]);
  });

  test('to delete the same account: one succeeds, the other finds no user', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const code = await codeFor(w, ada);
    const outcomes = await Promise.all([1, 2].map(() => outcomeOf(ada.api.account.remove({ code }))));
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
    expect(outcomes.find((outcome) => outcome !== 'ok')).toMatch(/^40[01] /);
  });
});

describe('data export', () => {
  test('contains all data of the user and no data of other users [T36 ANSWER-22 REPLY-04]', async () => {
    await using w = await world();
    const [ada, bob] = [await w.person('Ada', 'Byron'), await w.person('Strangerfirst', 'Strangerlast')];
    const club = await w.club([bob, ada], 'Rowers');
    const lost = await w.club([bob, ada], 'Lost');
    await bob.api.members.changeRole({ club: club.id, member: ada.id, role: 200 });
    const event = await w.event(club, bob, { name: 'Regatta', guests_max: 2, question: 'Which menu?' });
    await bob.api.events.edit({ event: event.slug, club: club.id, location_name: 'Elsewhere' });
    const reply = 'Vegan';
    await ada.api.answers.answer({ event: event.slug, answer: 'going', guests: 1, note: 'By bike', reply });
    await bob.api.answers.answer({ event: event.slug, answer: 'going', note: 'Note of a stranger' });
    await ada.api.answers.favourite({ event: event.slug, favourite: true });
    await ada.api.answers.subscribe({ event: event.slug });
    await ada.api.updates.publish({ club: club.id, content: 'My words' });
    await bob.api.updates.publish({ club: club.id, content: 'Words of a stranger' });
    await ada.api.invites.create({ club_id: club.id });
    await ada.api.notifications.saveSettings({ new_event: false });
    await bob.api.members.eject({ club: lost.id, member: ada.id });
    await ada.api.calendar.replaceSecret({ club_id: club.id });
    await ada.api.calendar.replaceSecret({});
    await bob.api.calendar.replaceSecret({});
    const walk = await bob.api.series.plan({ ...newSeries, club: club.id, count: 1 });
    const poll = await w.poll(club, bob);
    const awayOn = addSeconds(w.now(), 90 * 86_400).slice(0, 10);
    for (const { api } of [ada, bob]) {
      await api.series.standing({ series: walk.id, answer: 'no' });
      await api.absences.add({ first_on: awayOn, last_on: awayOn });
      await api.polls.vote({ event: poll.id, votes: poll.times.map((time) => ({ time, vote: 'yes' })) });
    }
    for (const person of [ada, bob])
      await person.api.users.update({
        email: `new-${person.email}`,
        code: await codeFor(w, person, 'ABCDEF', 'email_change'),
      });
    await run(w.db, sql`insert into feedback values (gen_random_uuid(), ${ada.id}, 'Nice', now())`);
    const list = { event: event.slug, kind: 'bring', title: 'Cake', places: 2 } as const;
    const [slot] = (await bob.api.slots.create(list)).slots;
    for (const { api } of [ada, bob]) await api.slots.claim({ slot: slot?.id ?? '' });
    for (const { id } of [ada, bob])
      await run(w.db, sql`insert into check_ins values (${event.id}, ${id}, true, now())`);
    for (const setting of ['email_attending', 'always'])
      await run(w.db, sql`insert into calendar_files values (${ada.id}, ${event.id}, ${setting})`);
    await run(w.db, sql`insert into feedback values (gen_random_uuid(), ${bob.id}, 'Not nice', now())`);
    await run(
      w.db,
      sql`insert into feed_fetches values (${ada.id}, ${club.id}, 'google', now()), (${bob.id}, null, 'apple', now())`,
    );

    for (const { id, email } of [ada, bob])
      await run(
        w.db,
        sql`insert into payment_accounts values (${id}, ${`acct_of_${email}`}, ${email}, true, now())`,
      );

    const sections = await bob.api.sections.save({
      club: club.id,
      sections: [{ name: 'Crew' }, { name: 'Coaches' }],
    });
    for (const { id } of [ada, bob])
      await bob.api.sections.changeMembers({
        club: club.id,
        section: sections[id === ada.id ? 0 : 1]?.id ?? '',
        add: [id],
      });

    const made = await ada.api.account.export({ code: codeIn(await askedCode(w, ada, 'export')) });
    const named = { event_name: 'Regatta', club_name: 'Rowers', start_time: expect.any(String) };
    expect(made).toMatchObject({
      profile: { id: ada.id, email: ada.email, first_name: 'Ada', last_name: 'Byron' },
      clubs: [{ id: club.id, club_name: 'Rowers', club_role: 200, sections: ['Crew'] }],
      email_changes: [{ old_email: ada.email, new_email: `new-${ada.email}`, changed_at: null }],
      removed_from: [{ club_name: 'Lost' }],
      invite_links: [{ club_name: 'Rowers' }],
      answers: [
        {
          ...named,
          attendee_role: 'attendee',
          answer: 'going',
          guests: 1,
          note: 'By bike',
          reply,
          via: 'app',
        },
        { event_name: newSeries.name, answer: 'no', via: 'standing' },
      ],
      absences: [{ first_on: awayOn, last_on: awayOn }],
      standing_answers: [{ event_name: newSeries.name, answer: 'no', guests: 0 }],
      votes: poll.times.map(() => ({ club_name: 'Rowers', vote: 'yes' })),
      check_ins: [{ ...named, came: true, came_at: expect.any(String) }],
      slots: [{ ...named, kind: 'bring', title: 'Cake', taken: 1, added: false }],
      answer_changes: [
        { ...named, changed_at: expect.any(String) },
        { event_name: newSeries.name, changed_at: expect.any(String) },
      ],
      calendar_files: [{ ...named, invited: false }],
      calendar_fetches: [{ club_name: 'Rowers', app: 'google', fetched_at: expect.any(String) }],
      favourites: [named],
      subscriptions: [named],
      retired_calendar_links: ['Rowers', null].map((club_name) => ({
        club_name,
        retired_at: expect.any(String),
        events: [{ id: event.id, start_time: named.start_time, sequence: expect.any(Number) }],
      })),
      updates: [{ club_name: 'Rowers', content: 'My words' }],
      notification_settings: { new_event: false, club_update: true },
      feedback: [{ feedback: 'Nice' }],
      payment_account: { account: `acct_of_${ada.email}`, email: ada.email, is_ready: true },
      sessions: [{ device: expect.any(String) }],
    });
    expect(made.notifications.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['Someone made you an admin of Rowers.', 'Someone removed you from Lost.']),
    );
    const text = JSON.stringify(made);
    for (const foreign of ['stranger', bob.id, bob.email, 'Not nice'])
      expect(text.toLowerCase()).not.toContain(foreign.toLowerCase());
    const secrets = await all(
      w.db,
      sql<{
        secret: string;
      }>`select calendar_secret as secret from users union select calendar_secret from members
        union select token from invite_links`,
    );
    for (const { secret } of secrets) expect(text).not.toContain(secret);
    expect(text).not.toContain(tokenOf(ada));
  });

  test('requires a fresh code and is limited to once a day [T36]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    const get = (code: string) => outcomeOf(ada.api.account.export({ code }));
    expect(await get('222222')).toBe('400 wrong_code');
    expect(await get(await codeFor(w, ada, 'ABCDEF', 'export'))).toBe('ok');
    expect(await get('ABCDEF')).toBe('400 wrong_code');
    const code = await codeFor(w, ada, 'HJKMNP', 'export');
    const { status, headers } = await ask(w.origin, contracts.account.export, { code }, tokenOf(ada));
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(23 * 3600);
    w.later('24 hours');
    await run(w.db, sql`update sessions set access_ends_at = access_ends_at + interval '2 days'`);
    await run(
      w.db,
      sql`update login_codes set expires_at = now() + interval '2 days', created_at = now() + interval '1 day'`,
    );
    expect(await get(code)).toBe('ok');
  });
});

/** Requests a code and waits for its email. */
async function askedCode(w: World, person: Person, purpose: Purpose) {
  const codes = async () =>
    (await w.outbox()).filter(
      ({ to, text }) => to?.[0]?.address === person.email && /^ {4}\w{6}$/m.test(text ?? ''),
    );
  const before = (await codes()).length;
  await (purpose === 'login'
    ? w.anyone.auth.login({ email: person.email })
    : person.api.auth.sendCode({ purpose }));
  await expect.poll(async () => (await codes()).length, { timeout: 10_000 }).toBe(before + 1);
  return newestCode(w, person);
}

async function newestCode(w: World, { email }: Person) {
  const ofPerson = (await w.outbox()).filter(
    ({ to, text }) => to?.[0]?.address === email && /^ {4}\w{6}$/m.test(text ?? ''),
  );
  return ofPerson.at(-1) as NonNullable<(typeof ofPerson)[0]>;
}

describe('a code', () => {
  const uses: Record<Purpose, (person: Person, code: string) => Promise<unknown>> = {
    login: ({ email, api }, code) => api.auth.confirm({ email, code }),
    email_change: ({ email, api }, code) => api.users.update({ email: `new-${email}`, code }),
    export: ({ api }, code) => api.account.export({ code }),
    deletion: ({ api }, code) => api.account.remove({ code }),
  };
  const purposes = Object.keys(uses) as Purpose[];

  test.each(purposes)('for %s serves only this purpose [T50 AUTHUX-03]', async (purpose) => {
    await using w = await world();
    const ada = await w.person('Ada');
    const code = codeIn(await askedCode(w, ada, purpose));
    const attempt = (use: Purpose) => outcomeOf(uses[use](ada, code));
    for (const other of purposes.filter((each) => each !== purpose))
      expect([other, await attempt(other)]).toEqual([other, '400 wrong_code']);
    // A known code is not a wrong guess, so other codes of the address still work.
    const guard = sql`select wrong_in_a_row from login_throttles where email = ${ada.email}`;
    expect(await first(w.db, guard)).toEqual({ wrong_in_a_row: 0 });
    expect(await attempt(purpose)).toBe('ok');
    expect(await attempt(purpose)).toMatch(/^40[01] /);
  });

  test('is requested by the owner of a session, for their own address, and its email names the purpose and has no link [T50 AUTHUX-03]', async () => {
    await using w = await world();
    const ada = await w.person('Ada');
    for (const [purpose, subject, text] of [
      ['email_change', 'change your Muster email', 'lets you change the email of your Muster account'],
      ['export', 'download your Muster data', 'downloads a copy of your Muster data'],
      ['deletion', 'delete your Muster account', 'deletes your Muster account for good'],
    ] as const) {
      const mail = await askedCode(w, ada, purpose);
      expect(mail.subject).toBe(`${codeIn(mail)}: ${subject}`);
      expect(mail.text).toContain(`This code ${text}.`);
      expect(mail.text).not.toMatch(/log in to|https?:\/\//i);
      expect(mail.html).not.toMatch(/confirm\?/);
    }
    expect(await outcomeOf(w.anyone.auth.sendCode({ purpose: 'deletion' }))).toBe('401 not_signed_in');
    expect(await outcomeOf(ada.api.auth.sendCode({ purpose: 'login' as never }))).toBe('400 bad_input');
  });

  test('is sent at once after one for another purpose, within the limits of all codes [UX-19 T9 AUTHUX-03]', async () => {
    await using w = await isolatedWorld({ LIMITS_PER_ADDRESS: 'on' });
    const ada = await w.person('Ada');
    await run(w.db, sql`delete from login_codes`);
    const send = async (purpose: Exclude<Purpose, 'login'>) => ada.api.auth.sendCode({ purpose });
    expect(await send('export')).toMatchObject({ sent_ago: 0, next_in: 60, good_for: 600 });
    expect(await send('deletion')).toMatchObject({ sent_ago: 0, next_in: 60, good_for: 600 });
    w.later('30 seconds');
    expect(await send('export')).toMatchObject({ next_in: 30, good_for: 570 });
    expect(await first(w.db, sql`select count(*) from login_codes`)).toEqual({ count: 2 });
    for (let sent = 2; sent < 6; sent++) {
      w.later('61 seconds');
      await send('export');
    }
    // No email is sent, so no status of a code may be shown.
    expect(await outcomeOf(send('email_change'))).toBe('429 too_often');
  });
});
