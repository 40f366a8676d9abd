import { afterEach, expect, test } from 'vitest';
import { all, inTransaction, run, sql } from '#platform/db/client.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { disableAccount, enableAccount } from '#features/auth/store.ts';
import { contracts } from '#features/contracts.ts';
import { ask } from '#test/ask.ts';
import { outcomeOf, send, whileHeld } from '#test/calls.ts';
import { codeIn, memorySession, world, type Person, type World } from '#test/world.ts';

let w: World;
afterEach(() => w[Symbol.asyncDispose]());

const disable = ({ id }: Person) => inTransaction(w.db, (db) => disableAccount(db, id, w.now()));
const enable = ({ id }: Person) => enableAccount(w.db, id);

/** Waits until the workers have sent or dropped all emails, and returns the addresses that got one. */
async function recipients(): Promise<string[]> {
  await w.hurry();
  const waiting = sql`select from jobs where name in ('send_email', 'send_notice')`;
  await expect.poll(() => all(w.db, waiting)).toEqual([]);
  return (await w.outbox()).flatMap(({ to = [] }) => to.map(({ address }) => address ?? '')).toSorted();
}

test('a disabled account: its sessions end, and neither its tokens nor an earlier code log in [OPER-09]', async () => {
  w = await world();
  const ada = await w.person('Ada');
  const session = ada.session.read();
  await w.anyone.auth.login({ email: ada.email });
  const code = codeIn(await w.mail(ada.email));
  await disable(ada);
  expect((await send(w, ada, 'GET /v1/users')).status).toBe(401);
  const token = session?.RefreshToken.Token ?? '';
  expect(await outcomeOf(w.anyone.auth.refresh({ token }))).toBe('401 not_signed_in');
  expect(await outcomeOf(w.anyone.auth.confirm({ email: ada.email, code }))).toBe('400 wrong_code');
  expect(await all(w.db, sql`select from sessions`)).toEqual([]);
});

test('a disabled account: a request for a code is answered as always and sends none, until it is enabled [OPER-09]', async () => {
  w = await world();
  const ada = await w.person('Ada');
  await disable(ada);
  expect(await w.anyone.auth.login({ email: ada.email })).toMatchObject({ next_in: 60, good_for: 600 });
  expect(await recipients()).toEqual([]);
  await enable(ada);
  w.later('2 minutes');
  await w.anyone.auth.login({ email: ada.email });
  const again = memorySession();
  again.write(await w.anyone.auth.confirm({ email: ada.email, code: codeIn(await w.mail(ada.email)) }));
  expect((await w.client(again).users.me({})).id).toBe(ada.id);
});

test('a disabled account: its former address, which is reserved for it, gets no email either [OPER-09]', async () => {
  w = await world();
  const ada = await w.person('Ada');
  await run(
    w.db,
    sql`insert into email_changes (id, user_id, old_email, new_email, code_ends_at, requested_at, changed_at, ends_at)
        values (gen_random_uuid(), ${ada.id}, 'old@example.org', ${ada.email}, now(), now(), now(), now() + interval '1 day')`,
  );
  await disable(ada);
  await w.anyone.auth.login({ email: 'old@example.org' });
  expect(await recipients()).toEqual([]);
});

test('a login that waits while the account is being disabled starts no session [OPER-09]', async () => {
  w = await world();
  const ada = await w.person('Ada');
  await w.anyone.auth.login({ email: ada.email });
  const code = codeIn(await w.mail(ada.email));
  const lock = sql`select from users where id = ${ada.id} for update`;
  const login = () => w.anyone.auth.confirm({ email: ada.email, code });
  expect(await whileHeld(w, lock, login, (held) => disableAccount(held, ada.id, w.now()))).toBe(
    '400 wrong_code',
  );
  expect(await all(w.db, sql`select from sessions`)).toEqual([]);
});

test('a disabled account: gets no email of any kind, the others do, and nothing is sent later [OPER-09]', async () => {
  w = await world();
  const [ada, bob, cyd] = [await w.person('Ada'), await w.person('Bob'), await w.person('Cyd')];
  const club = await w.club([ada, bob, cyd]);
  await recipients();
  const before = (await w.outbox()).length;
  // The email about the role waits for five minutes.
  await ada.api.members.changeRole({ club: club.id, member: bob.id, role: 100 });
  await ada.api.members.changeRole({ club: club.id, member: cyd.id, role: 100 });
  await disable(bob);
  await ada.api.updates.publish({ club: club.id, content: 'The boats are back' });
  const words = { subject: 'Direct', preview: '', paragraphs: [], footer: '' };
  await enqueueEmail(w.db, { to: bob.email, words });
  await recipients();
  const subjectsTo = async ({ email }: Person) =>
    (await w.outbox())
      .slice(before)
      .filter(({ to }) => to?.[0]?.address === email)
      .map(({ subject }) => subject);
  expect(await subjectsTo(cyd)).toHaveLength(2);
  expect(await subjectsTo(bob)).toEqual([]);
  await enable(bob);
  await ada.api.updates.publish({ club: club.id, content: 'And the oars' });
  await recipients();
  expect(await subjectsTo(bob)).toHaveLength(1);
});

test('a disabled account: all of its feeds are gone, its memberships stay, and enabling brings the feeds back [OPER-09]', async () => {
  w = await world();
  const [ada, bob] = [await w.person('Ada'), await w.person('Bob')];
  const club = await w.club([ada, bob]);
  const retired = (await bob.api.users.me({})).ical_feed_url_id;
  await bob.api.calendar.replaceSecret({});
  const personal = (await bob.api.users.me({})).ical_feed_url_id;
  const ofClub = (await bob.api.clubs.get({ club: club.id })).ical_feed_url_id;
  const secrets = new Map<unknown, Record<string, string>[]>([
    [contracts.calendar.personalFeed, [{ secret: personal }, { secret: retired }]],
    [contracts.calendar.clubFeed, [{ club: club.id, secret: ofClub }]],
  ]);
  const statuses = async () => {
    const found: number[] = [];
    for (const endpoint of Object.values(contracts).flatMap((contract) => Object.values(contract)))
      if ('document' in endpoint && endpoint.who === 'anyone' && /calendar/.test(endpoint.document)) {
        const inputs = secrets.get(endpoint);
        // A new calendar that a secret in its address opens needs an entry above.
        expect(inputs, endpoint.path).toBeDefined();
        for (const input of inputs ?? []) found.push((await ask(w.origin, endpoint, input)).status);
      }
    return found;
  };
  expect(await statuses()).toEqual([200, 200, 200]);
  await disable(bob);
  expect(await statuses()).toEqual([404, 404, 404]);
  expect((await ada.api.members.ofClub({ club: club.id })).members).toHaveLength(2);
  await enable(bob);
  expect(await statuses()).toEqual([200, 200, 200]);
});
