import { expect, test } from 'vitest';
import { all, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { handlers } from '#features/auth/handlers.ts';
import { outcomeOf } from '#test/calls.ts';
import { codeIn, isolatedWorld, memorySession, type Person, type World } from '#test/world.ts';

const newcomer = 'new@example.org';

const contextOf = (w: World, config = w.config) => ({
  db: w.db,
  now: w.now(),
  config,
  caller: { ip: '', device: '', language: 'en' as const },
  user: undefined,
  record: () => {},
});

/** Waits until the workers have sent or dropped all emails, and returns the addresses that got one. */
async function recipients(w: World): Promise<string[]> {
  await expect.poll(() => all(w.db, sql`select from jobs where name = 'send_email'`)).toEqual([]);
  return (await w.outbox()).flatMap(({ to = [] }) => to.map(({ address }) => address ?? '')).toSorted();
}

async function createAccount(w: World, email: string, rUrl?: string): Promise<string> {
  await w.anyone.auth.login({ email, ...(rUrl && { rUrl }) });
  const session = memorySession();
  session.write(await w.anyone.auth.confirm({ email, code: codeIn(await w.mail(email.toLowerCase())) }));
  return (await w.client(session).users.me({})).email;
}

/** A world with these settings, a member and the path of a live invite. */
async function worldWithInvite(settings: Record<string, string>) {
  const w = await isolatedWorld(settings);
  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  return { w, ada, page: `/app/club/${club.slug}/${invite_link}` };
}

test('REGISTRATION=invited: a new address gets a code only for the page of a live invite [OPER-06]', async () => {
  const { w, ada, page } = await worldWithInvite({ REGISTRATION: 'invited' });
  await using _ = w;
  const wrong = [
    undefined,
    '/app',
    `${page}x`,
    `${page}/more`,
    page.replace('/club/', '/clubs/'),
    `//e${page}`,
  ];
  for (const [n, rUrl] of wrong.entries())
    await w.anyone.auth.login({ email: `nobody-${n}@example.org`, ...(rUrl && { rUrl }) });
  await w.anyone.auth.login({ email: ada.email });
  expect(await recipients(w)).toEqual([ada.email]);
  expect(await createAccount(w, newcomer, `${page}?from=mail`)).toBe(newcomer);

  await run(w.db, sql`update invite_links set expires_at = now() - interval '1 second'`);
  await w.anyone.auth.login({ email: 'late@example.org', rUrl: page });
  expect(await recipients(w)).toEqual([ada.email, newcomer]);
});

test('REGISTRATION=closed: only people with an account get a code, and an earlier code creates no account [OPER-06]', async () => {
  await using w = await isolatedWorld({ REGISTRATION: 'closed' });
  await handlers.login(contextOf(w, { ...w.config, registration: 'open' }), { email: newcomer });
  const code = codeIn(await w.mail(newcomer));
  expect(await (await fetch(`${w.origin}/login`)).text()).toContain(
    'New accounts can&#x27;t be created here.',
  );
  expect(await outcomeOf(w.anyone.auth.confirm({ email: newcomer, code }))).toBe('400 wrong_code');

  const ada = await w.person('Ada');
  const club = await w.club([ada]);
  const { invite_link } = await ada.api.invites.create({ club_id: club.id });
  await w.anyone.auth.login({ email: 'other@example.org', rUrl: `/app/club/${club.slug}/${invite_link}` });
  expect(await createAccount(w, ada.email)).toBe(ada.email);
  expect(await all(w.db, sql`select email from users`)).toEqual([{ email: ada.email }]);
});

test('ALLOWED_EMAIL_DOMAINS: a new address of another domain gets no code, an existing account does [OPER-07]', async () => {
  await using w = await isolatedWorld({ ALLOWED_EMAIL_DOMAINS: 'Club.example, school.example' });
  const ada = await w.person('Ada');
  for (const email of [
    'bob@example.org',
    'bob@sub.club.example',
    'bob@notclub.example',
    'club.example@x.example',
  ])
    await w.anyone.auth.login({ email });
  await w.anyone.auth.login({ email: ada.email });
  expect(await recipients(w)).toEqual([ada.email]);
  expect(await createAccount(w, 'Bob@School.example')).toBe('bob@school.example');
});

test('a code that is not sent could not be redeemed either [OPER-06]', async () => {
  await using w = await isolatedWorld({ REGISTRATION: 'invited' });
  const job = await inTransaction(w.db, async (db) => {
    await handlers.login({ ...contextOf(w), db }, { email: newcomer });
    return first(
      db,
      sql<{ code: string; link: string }>`
        select payload -> 'words' ->> 'code' as code, payload -> 'words' -> 'action' ->> 'url' as link
        from jobs where name = 'send_email'`,
    );
  });
  expect(job?.code).toMatch(/^[A-Z2-9]{6}$/);
  for (const code of [job?.code ?? '', new URL(job?.link ?? '').searchParams.get('code') ?? ''])
    expect(await outcomeOf(w.anyone.auth.confirm({ email: newcomer, code }))).toBe('400 wrong_code');
});

/** The statements of a request for a code, as templates without their parameters, and its response. */
async function traced({ w, email, rUrl }: { w: World; email: string; rUrl: string }) {
  const statements: string[] = [];
  const db = w.db.withPlugin({
    transformQuery({ node }) {
      statements.push('sqlFragments' in node ? node.sqlFragments.join('?') : node.kind);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const response = await handlers.login({ ...contextOf(w), db }, { email, rUrl });
  return { statements, response };
}

const disabled = async ({ db }: World, { id }: Person) =>
  void (await run(db, sql`update users set disabled_at = now() where id = ${id}`));

test.each([
  ['REGISTRATION', 'invited'],
  ['REGISTRATION', 'closed'],
  ['ALLOWED_EMAIL_DOMAINS', 'club.example'],
])(
  'with %s=%s, the response and the statements of a request for a code do not depend on whether there is an account [OPER-06 OPER-07 OPER-09]',
  async (setting, value) => {
    const { w, ada, page } = await worldWithInvite({ [setting]: value });
    await using _ = w;
    const bob = await w.person('Bob');
    await disabled(w, bob);
    for (const rUrl of ['/app', page]) {
      const found = [];
      for (const email of [ada.email, `${rUrl.length}@example.org`, bob.email])
        found.push({
          first: await traced({ w, email, rUrl }),
          again: await traced({ w, email, rUrl }),
        });
      expect(found[0]?.first.statements.length).toBeGreaterThan(5);
      expect(found[1]).toEqual(found[0]);
      expect(found[2]).toEqual(found[0]);
      w.later('2 minutes');
    }
  },
);
