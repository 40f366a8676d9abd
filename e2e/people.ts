import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, type BrowserContext, type Page } from '@playwright/test';
import PostalMime, { type Email } from 'postal-mime';
import { createClient, type AuthData, type Client } from '#wire/client.ts';
import { instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';

export { expect } from '@playwright/test';

export const origin = (): string => process.env['E2E_ORIGIN'] ?? '';

/** Somebody with a browser of their own. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
}

/** A visitor who has an account, and whose browser is logged in. `api` acts as them beside the browser. */
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

interface Look {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  timezoneId?: string;
  permissions?: string[];
}

interface EventWish {
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

interface Fixtures {
  /** A browser without a session. */
  visitor(look?: Look): Promise<Visitor>;
  /** Somebody logged in; with an empty name, somebody who has not told theirs yet. */
  person(name: string, look?: Look & { last_name?: string }): Promise<Person>;
  /** A club of which the first person is admin and the others are members. */
  club(people: [Person, ...Person[]], club_name?: string): Promise<ClubHandle>;
  /** An event of the club, hosted by one of its admins; it starts in a day unless told otherwise. */
  event(
    club: ClubHandle,
    host: Person,
    wish?: EventWish,
  ): Promise<{ id: string; slug: string; name: string }>;
}

export const test = base.extend<Fixtures>({
  async visitor({ browser }, use) {
    const contexts: BrowserContext[] = [];
    await use(async (look = {}) => {
      const context = await browser.newContext({ baseURL: origin(), ...look });
      contexts.push(context);
      return { context, page: await context.newPage() };
    });
    await Promise.all(contexts.map((context) => context.close()));
  },

  async person({ browser }, use) {
    const contexts: BrowserContext[] = [];
    await use(async (name, { last_name = '', ...look } = {}) => {
      const email = freshAddress(name);
      const { api, auth } = await account(email);
      const me = name ? await api.users.update({ first_name: name, last_name }) : await api.users.me({});
      const localStorage = [{ name: 'authData', value: JSON.stringify(auth) }];
      const storageState = { cookies: [], origins: [{ origin: origin(), localStorage }] };
      const context = await browser.newContext({ baseURL: origin(), storageState, ...look });
      contexts.push(context);
      return { id: me.id, email, name, api, context, page: patient(await context.newPage()) };
    });
    await Promise.all(contexts.map((context) => context.close()));
  },

  async club({}, use) {
    await use(async ([admin, ...others], club_name = 'Harbour Rowers') => {
      const club = await admin.api.clubs.create({ club_name });
      if (others.length === 0) return club;
      const { invite_link } = await admin.api.invites.create({ club_id: club.id });
      for (const other of others) await other.api.invites.join({ invite: invite_link });
      return club;
    });
  },

  async event({}, use) {
    await use(async (club, host, { startsIn = 24, lasts = 1, entryUntilIn, ...words } = {}) => {
      const inHours = (hours: number) => instant(Date.now() + hours * 3_600_000);
      return host.api.events.create({
        club: club.id,
        name: 'Tuesday run',
        location_name: 'Pier 3',
        ...words,
        start_time: inHours(startsIn),
        end_time: inHours(startsIn + lasts),
        entry_until_time: inHours(entryUntilIn ?? startsIn),
      });
    });
  },
});

/**
 * What the server draws stands there before the app does. Whoever does not say `waitUntil` is not about the time between,
 * and has the app when a page has come.
 */
function patient(page: Page): Page {
  // A page that leads on in the meantime asks for nothing more of whoever waited for it.
  const isThere = () =>
    Promise.race([page.evaluate(begun).catch(() => {}), sleep(5_000, null, { ref: false })]);
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (url, options) => {
    const answer = await goto(url, options);
    if (!options?.waitUntil) await isThere();
    return answer;
  };
  page.reload = async (options) => {
    const answer = await reload(options);
    if (!options?.waitUntil) await isThere();
    return answer;
  };
  return page;
}

/** In the page: the app is there, or has no place here. The clock of a test has no say in it. */
const begun = `new Promise((resolve) => {
  const root = document.getElementById('root');
  const look = () => (!root || root.dataset.begun !== undefined) && resolve();
  if (root) new MutationObserver(look).observe(root, { attributes: true });
  look();
})`;

export const freshAddress = (name: string): string =>
  `${name.toLowerCase() || 'nameless'}-${randomUUID().slice(0, 8)}@example.org`;

/** An account made as everybody makes one, by a mailed code. Its session is the browser's and that of `api`. */
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

/** What stands in the outbox by file name: a letter never changes, and hundreds of them lie there in the end. */
const outbox = new Map<string, { to: string | undefined; mail: string }>();

/** Every letter in the outbox to an address, oldest first. */
async function emailsTo(address: string): Promise<Email[]> {
  const folder = join(process.env['E2E_DATA_DIR'] ?? '', 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[^.].*\.eml$/.test(name)).sort();
  for (const name of names) {
    if (outbox.has(name)) continue;
    const mail = await readFile(join(folder, name), 'utf8');
    outbox.set(name, { to: /^To: (.*?)\r?$/m.exec(mail)?.[1], mail });
  }
  const kept = names.flatMap((name) => outbox.get(name) ?? []);
  return Promise.all(kept.filter(({ to }) => to === address).map(({ mail }) => PostalMime.parse(mail)));
}

/** Waits for a letter to an address; `earlier` are passed over. */
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
  throw new Error(`No letter for ${address} arrived`);
}

const code = /^ {4}([A-Z0-9]{6})$/m;

/** The code that a login letter carries in plain text. */
export const codeIn = (mail: Email): string => code.exec(mail.text ?? '')?.[1] ?? 'no code';

/** Waits for a code for an address; `earlier` ones are passed over, and so are notices. */
export const codeTo = async (address: string, earlier: number): Promise<string> =>
  codeIn(await emailTo(address, earlier, ({ text = '' }) => code.test(text)));
