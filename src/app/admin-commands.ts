import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Config } from '#platform/config.ts';
import type { Context } from '#platform/context.ts';
import type { Db } from '#platform/db/client.ts';
import { everybody, type Users } from '#platform/db/users.ts';
import { openMailer } from '#platform/mail/mailer.ts';
import { DeliveryError } from '#platform/mail/smtp.ts';
import { Email } from '#wire/text.ts';
import * as queries from '#app/admin-queries.ts';
import { runChecks } from '#app/admin-check.ts';
import { deleteWithoutChoices } from '#features/account/handlers.ts';
import { soleAdminships } from '#features/account/store.ts';
import { disableAccount, enableAccount, endAllSessions, endEverySession } from '#features/auth/store.ts';
import { replaceAllSecrets } from '#features/calendar/store.ts';
import { removeClub } from '#features/clubs/handlers.ts';
import { admit } from '#features/invites/handlers.ts';
import { deleteLinksOf } from '#features/invites/store.ts';
import { giveRole } from '#features/members/handlers.ts';
import { role } from '#features/members/rules.ts';
import { asOperator, memberships } from '#features/members/store.ts';
import { replaceEmail } from '#features/users/handlers.ts';

/** The options that only some commands take. */
export const options = {
  search: { type: 'string', default: '' },
  all: { type: 'boolean', default: false },
  links: { type: 'boolean', default: false },
} as const;

interface Options {
  search: string;
  all: boolean;
  links: boolean;
}

/** Passed to commands that read or change the database. `db` is a transaction. */
interface CommandContext extends Pick<Context, 'db' | 'now' | 'config' | 'record'> {
  options: Options;
}

/** Passed to the other commands. */
export interface Installation {
  config: Config;
  databaseUrl: string;
  db: Db;
}

/** What a command did, as a sentence. Other results are printed as they are. */
export interface Done {
  message: string;
  failed?: boolean;
}

/** An argument that is left out is empty. */
export type Arguments = [string, string, string];

interface Described {
  args: readonly string[];
  /** Whether the arguments may be left out. */
  isOptional?: true;
  options?: readonly (keyof Options)[];
  /** For the list of commands. */
  does: string;
  /** The question to answer with yes before the command runs, if it needs one. */
  asks?(context: Pick<CommandContext, 'db' | 'options'>, ...args: Arguments): Promise<string | undefined>;
}

/** A command either runs in a transaction, or operates on the installation without one. */
export type Command = Described &
  (
    | { run(context: CommandContext, ...args: Arguments): Promise<object> }
    | { operate(installation: Installation, ...args: Arguments): Promise<object> }
  );

async function userAt(db: Db, email: string): Promise<string> {
  const address = Email.safeParse(email).data;
  const user = address && (await queries.userByEmail(db, address));
  if (!user) throw new Error(`There is no account with the email ${email}.`);
  return user.id;
}

async function clubAt(db: Db, slug: string): Promise<{ id: string; club_name: string }> {
  const club = await queries.clubBySlug(db, slug);
  if (!club) throw new Error(`There is no club with the slug ${slug}.`);
  return club;
}

function roleNamed(name: string) {
  if (name === 'member' || name === 'organiser' || name === 'admin') return role[name];
  throw new Error(`${name} is no role. The roles are member, organiser and admin.`);
}

export const commands: Record<string, Command> = {
  users: {
    args: [],
    options: ['search', 'all'],
    does: 'the newest 200 accounts, or all',
    run: ({ db, options: { search, all } }) => queries.users(db, search, all),
  },
  user: {
    args: ['email'],
    does: 'clubs, sessions, last seen, and what is known about the emails to an account',
    run: async ({ db }, email) => queries.user(db, await userAt(db, email)),
  },
  disable: {
    args: ['email'],
    does: 'ends all sessions and lets nobody log in; stops emails and calendar feeds',
    async run({ db, now, record }, email) {
      const user = await userAt(db, email);
      await disableAccount(db, user, now);
      record('account_disabled', { owner: user });
      return { message: `${email} is disabled. The memberships stay.` };
    },
  },
  enable: {
    args: ['email'],
    does: 'undoes disable',
    async run({ db, record }, email) {
      const user = await userAt(db, email);
      await enableAccount(db, user);
      record('account_enabled', { owner: user });
      return { message: `${email} is enabled.` };
    },
  },
  logout: {
    args: ['email'],
    isOptional: true,
    options: ['all', 'links'],
    does: 'ends all sessions and answer links of an account, or of all; --links: also calendar feeds and invite links',
    asks: async ({ options: { all } }, email) => (all && !email ? 'Log out everybody?' : undefined),
    async run({ db, options, record }, email) {
      if (options.all === Boolean(email)) throw new Error('Name either an email or --all.');
      const users: Users = email ? await userAt(db, email) : everybody;
      await (users === everybody ? endEverySession(db) : endAllSessions(db, users));
      if (options.links) {
        await replaceAllSecrets(db, users);
        await deleteLinksOf(db, users);
      }
      record('sessions_ended', { owner: email ? String(users) : 'everybody' });
      const links = 'Their calendar feeds and invite links no longer work.';
      return { message: `${email || 'Everybody'} is logged out.${options.links ? ` ${links}` : ''}` };
    },
  },
  delete: {
    args: ['email'],
    does: 'deletes an account for good',
    async asks({ db }, email) {
      const clubs = await soleAdminships(db, await userAt(db, email));
      const fates = clubs.map(({ slug, members }) =>
        members.length > 0 ? `${slug} gets another admin` : `${slug} is deleted too`,
      );
      return `Delete ${email} for good${fates.length > 0 ? ` (${fates.join(', ')})` : ''}?`;
    },
    async run(context, email) {
      const user = await userAt(context.db, email);
      const caller = { ip: '', device: '', language: 'en' } as const;
      await deleteWithoutChoices({ ...context, caller, user: { id: user, session_id: '' } });
      context.record('account_deleted', { owner: user });
      return { message: `${email} is deleted.` };
    },
  },
  email: {
    args: ['old', 'new'],
    does: 'changes the email of an account, tells both addresses and ends all sessions',
    async run(context, email, wanted) {
      const new_email = Email.safeParse(wanted).data;
      if (!new_email) throw new Error(`${wanted} is no email address.`);
      await replaceEmail(context, { user_id: await userAt(context.db, email), new_email });
      return { message: `The email of ${email} is now ${new_email}. Both addresses get an email.` };
    },
  },
  clubs: {
    args: [],
    options: ['search', 'all'],
    does: 'the newest 200 clubs, or all',
    run: ({ db, options: { search, all } }) => queries.clubs(db, search, all),
  },
  club: {
    args: ['slug'],
    does: 'the admins, organisers and numbers of a club',
    run: async ({ db }, slug) => queries.club(db, (await clubAt(db, slug)).id),
  },
  grant: {
    args: ['email', 'slug', 'role'],
    does: 'makes a user a member, organiser or admin of a club, even if it has no admin left',
    async run(context, email, slug, name) {
      const { db } = context;
      const wanted = roleNamed(name);
      const [member, club] = [await userAt(db, email), await clubAt(db, slug)];
      const operator = await asOperator(db, club.id);
      const isMember = (await memberships(db, operator)).some(({ user_id }) => user_id === member);
      if (!isMember) await admit(context, { club_id: club.id, user_id: member });
      await giveRole(context, operator, { actor: null, member, role: wanted });
      context.record('role_granted', { club: club.id, member, role: name });
      return { message: `${email} is ${name === 'member' ? 'a' : 'an'} ${name} of ${slug}.` };
    },
  },
  'delete-club': {
    args: ['slug'],
    does: 'deletes a club with its events for good',
    asks: async ({ db }, slug) =>
      `Delete ${(await clubAt(db, slug)).club_name} with all of its events for good?`,
    async run(context, slug) {
      const { id } = await clubAt(context.db, slug);
      await removeClub(context, await asOperator(context.db, id), null);
      context.record('club_deleted', { club: id });
      return { message: `${slug} is deleted.` };
    },
  },
  'test-mail': {
    args: ['address'],
    does: 'sends one email and prints the answer of the mail server',
    operate: ({ config }, address) => sendTestEmail(config, address),
  },
  sql: {
    args: [],
    does: 'opens psql on the database',
    operate: ({ databaseUrl }) => openPsql(databaseUrl),
  },
  check: {
    args: [],
    does: 'tests database, mail, storage, clock and proxy; the exit code is 1 if one fails',
    operate: runChecks,
  },
};

async function sendTestEmail(config: Config, address: string): Promise<Done> {
  const to = Email.safeParse(address).data;
  if (!to) throw new Error(`${address} is no email address.`);
  const mailer = openMailer(config, () => {});
  const { productName, publicUrl } = config;
  const words = {
    subject: `A test email from ${productName}`,
    preview: 'The mail server works.',
    paragraphs: [`${productName} at ${publicUrl} can send emails to this address.`],
    footer: 'Somebody who runs this site sent this email.',
  };
  const delivery = { begin: async () => {}, signal: AbortSignal.timeout(60_000) };
  try {
    const reply = await mailer.send({ id: randomUUID(), to, words }, delivery);
    return { message: `${mailer.destination} took the email: ${reply}` };
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error;
    if (error instanceof DeliveryError)
      return { message: `${mailer.destination} did not take the email: ${message}`, failed: true };
    throw error;
  } finally {
    await mailer.close();
  }
}

const ignore = () => {};

/** psql takes the password from the environment, because everybody on the machine can read its arguments. */
async function openPsql(databaseUrl: string): Promise<Done> {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const env = { ...process.env, ...(password && { PGPASSWORD: password }) };
  const psql = spawn('psql', [url.href], { stdio: 'inherit', env });
  // Ctrl-C cancels a statement of psql.
  process.on('SIGINT', ignore);
  const [code] = (await once(psql, 'exit')
    .catch(() => [undefined])
    .finally(() => process.off('SIGINT', ignore))) as [number | null | undefined];
  if (code !== undefined) return { message: '', failed: code !== 0 };
  return {
    message: `There is no psql on this machine. Install a client of PostgreSQL (Debian: postgresql-client), and connect to ${url.href}`,
    failed: true,
  };
}
