import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test as base, type BrowserContext, type Page } from '@playwright/test';
import PostalMime, { type Email } from 'postal-mime';
import { createClient, type AuthData, type Client } from '#wire/client.ts';
import { instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';

export { expect };

export const origin = (): string => process.env['E2E_ORIGIN'] ?? '';

/** A person with their own browser context. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
}

/** A visitor with an account and a logged-in browser. `api` sends requests as the same user. */
export interface Person extends Visitor {
  id: string;
  email: string;
  name: string;
  api: Client<typeof contracts>;
}

export interface ClubHandle {
  id: string;
  slug: string;
  club_name: string;
}

interface ContextOptions {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  timezoneId?: string;
  locale?: string;
  permissions?: string[];
}

interface EventInput {
  name?: string;
  description?: string;
  details?: string;
  location_name?: string;
  time_zone?: string;
  /** Hours from now. */
  startsIn?: number;
  lasts?: number;
  entryUntilIn?: number;
}

export interface EventHandle {
  id: string;
  slug: string;
  name: string;
}

/** The people, club and event of most tests. Each is created when a test uses it. */
interface Scene {
  /** The admin of the rowers. */
  ada: Person;
  /** A member of the rowers. */
  bob: Person;
  /** A user without a club. */
  eve: Person;
  rowers: ClubHandle;
  /** An event of the rowers tomorrow, hosted by Ada. */
  run: EventHandle;
}

interface Fixtures extends Scene {
  /** A browser context without a session. */
  visitor(options?: ContextOptions): Promise<Visitor>;
  /** A logged-in user. An empty name leaves the profile empty. */
  person(name: string, options?: ContextOptions & { last_name?: string }): Promise<Person>;
  /** A club with the first person as admin and the others as members. */
  club(people: [Person, ...Person[]], club_name?: string): Promise<ClubHandle>;
  /** An event of the club, hosted by one of its admins. By default it starts in a day. */
  event(club: ClubHandle, host: Person, input?: EventInput): Promise<EventHandle>;
}

export const test = base.extend<Fixtures>({
  async visitor({ browser }, use) {
    const contexts: BrowserContext[] = [];
    await use(async (options = {}) => {
      const context = await browser.newContext({ baseURL: origin(), ...options });
      contexts.push(context);
      return { context, page: await context.newPage() };
    });
    await Promise.all(contexts.map((context) => context.close()));
  },

  async person({ visitor }, use) {
    await use(async (name, { last_name = '', ...options } = {}) => {
      const email = freshAddress(name);
      const { api, auth } = await account(email);
      const me = name ? await api.users.update({ first_name: name, last_name }) : await api.users.me({});
      const { context, page } = await visitor(options);
      await page.addInitScript({ content: loggingIn(auth) });
      return { id: me.id, email, name, api, context, page: waitingForApp(page) };
    });
  },

  async club({}, use) {
    await use(async ([admin, ...others], club_name = 'Harbour Rowers') => {
      const club = await admin.api.clubs.create({ club_name });
      if (others.length > 0) await joinClub(club, admin, ...others);
      return club;
    });
  },

  async event({}, use) {
    await use(async (club, host, { startsIn = 24, lasts = 1, entryUntilIn, ...fields } = {}) => {
      const inHours = (hours: number) => instant(Date.now() + hours * 3_600_000);
      return host.api.events.create({
        club: club.id,
        name: 'Tuesday run',
        location_name: 'Pier 3',
        ...fields,
        start_time: inHours(startsIn),
        end_time: inHours(startsIn + lasts),
        entry_until_time: inHours(entryUntilIn ?? startsIn),
      });
    });
  },

  ada: ({ person }, use) => person('Ada').then(use),
  eve: ({ person }, use) => person('Eve').then(use),
  rowers: ({ club, ada }, use) => club([ada]).then(use),
  run: ({ event, rowers, ada }, use) => event(rowers, ada).then(use),

  async bob({ person, rowers, ada }, use) {
    const bob = await person('Bob');
    await joinClub(rowers, ada, bob);
    await use(bob);
  },
});

/** Makes people members of a club. */
/** Returns when the admin is notified, so that no toast appears later on a page that the test opens next. */
export async function joinClub(club: ClubHandle, admin: Person, ...others: Person[]): Promise<void> {
  const { invite_link } = await admin.api.invites.create({ club_id: club.id });
  const { length } = await admin.api.notifications.list({});
  for (const { api } of others) await api.invites.join({ invite: invite_link });
  const arrived = async () => (await admin.api.notifications.list({})).length - length;
  await expect.poll(arrived).toBeGreaterThanOrEqual(others.length);
}

/**
 * A script that runs before each document and logs in before the first one of a tab, where the window name is still
 * empty. To apply a storage state, Playwright would open another page.
 */
const loggingIn = (auth: AuthData) => `
  if (!window.name) localStorage.setItem('authData', ${JSON.stringify(JSON.stringify(auth))});
  window.name = 'logged in once';`;

/**
 * Server-rendered content is visible before the app starts. `goto` and `reload` wait for the app, except in tests that
 * pass `waitUntil`.
 */
function waitingForApp(page: Page): Page {
  // A redirect destroys the context of `evaluate`, which is fine here.
  const appStarted = () =>
    Promise.race([page.evaluate(untilStarted).catch(() => {}), sleep(5_000, null, { ref: false })]);
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (url, options) => {
    const response = await goto(url, options);
    if (!options?.waitUntil) await appStarted();
    return response;
  };
  page.reload = async (options) => {
    const response = await reload(options);
    if (!options?.waitUntil) await appStarted();
    return response;
  };
  return page;
}

/** Runs in the page and resolves when the app has started or the page has no app. Uses no timer: tests fake the clock. */
const untilStarted = `new Promise((resolve) => {
  const root = document.getElementById('root');
  const check = () => (!root || root.dataset.begun !== undefined) && resolve();
  if (root) new MutationObserver(check).observe(root, { attributes: true });
  check();
})`;

export const freshAddress = (name: string): string =>
  `${name.toLowerCase() || 'nameless'}-${randomUUID().slice(0, 8)}@example.org`;

/** Creates an account with an emailed code. The browser and `api` share its session. */
export async function account(email: string): Promise<{ api: Client<typeof contracts>; auth: AuthData }> {
  let auth: AuthData | undefined;
  const session = {
    read: () => auth,
    write: (next: AuthData) => void (auth = next),
    lost: () => void (auth = undefined),
    alone: <T>(work: () => Promise<T>) => work(),
  };
  const api = createClient(contracts, { origin: origin(), session });
  await api.auth.login({ email });
  auth = await api.auth.confirm({ email, code: await codeTo(email, 0) });
  return { api, auth };
}

/** Emails of the outbox, keyed by file name. Each is read once, because hundreds accumulate. */
const outbox = new Map<string, { to: string | undefined; mail: string }>();

/** All emails in the outbox to an address, oldest first. */
async function emailsTo(address: string): Promise<Email[]> {
  const folder = join(process.env['E2E_DATA_DIR'] ?? '', 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[^.].*\.eml$/.test(name)).sort();
  for (const name of names) {
    if (outbox.has(name)) continue;
    const mail = await readFile(join(folder, name), 'utf8');
    outbox.set(name, { to: /^To: (.*?)\r?$/m.exec(mail)?.[1], mail });
  }
  const emails = names.flatMap((name) => outbox.get(name) ?? []);
  return Promise.all(emails.filter(({ to }) => to === address).map(({ mail }) => PostalMime.parse(mail)));
}

/** Waits for an email to an address, skipping the first `earlier` emails. */
export async function emailTo(
  address: string,
  earlier = 0,
  isMeant: (mail: Email) => boolean = () => true,
): Promise<Email> {
  for (let tries = 0; tries < 600; tries++) {
    const mail = (await emailsTo(address)).filter(isMeant)[earlier];
    if (mail) return mail;
    await sleep(50);
  }
  throw new Error(`No email to ${address} arrived`);
}

const code = /^ {4}([A-Z0-9]{6})$/m;

/** The code in the plain text of a login email. */
export const codeIn = (mail: Email): string => code.exec(mail.text ?? '')?.[1] ?? 'no code';

/** Waits for an emailed code, skipping the first `earlier` codes and all emails without a code. */
export const codeTo = async (address: string, earlier: number): Promise<string> =>
  codeIn(await emailTo(address, earlier, ({ text = '' }) => code.test(text)));
