import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { emailDomains, hostNames, pushHosts, pushServices } from '#platform/host-names.ts';
import { parseNetwork, type TrustedProxies } from '#platform/ip-address.ts';
import type { LogFormat } from '#platform/log.ts';
import { mailboxIn, type Mailbox } from '#platform/mail/address.ts';

const address = z.url({ protocol: /^https?$/ });
const set = (value: string | undefined) => (value === '' ? undefined : value);
const optional = <T extends z.ZodType>(shape: T) =>
  z.preprocess((value) => set(value as string), shape.optional());
const withDefault = <T extends z.ZodType>(shape: T, fallback: z.input<T>) =>
  z.preprocess((value) => set(value as string) ?? fallback, shape);

/** Links are built by appending a path, so the URL must end after the host. */
const origin = address.refine(
  (value) => URL.canParse(value) && !/[?#@]/.test(value) && new URL(value).pathname === '/',
  'must have nothing behind the host',
);
const minSecretLength = 32;
/** The project has no website yet: link to the landing page of the instance. */
const projectPage = '/';

const proxies = z.string().transform((text, context): TrustedProxies => {
  if (text === 'on' || text === 'off') return text === 'on' ? 1 : 0;
  if (/^[1-9]$/.test(text)) return Number(text);
  const networks = text.split(',').map((network) => parseNetwork(network.trim()));
  if (networks.every((network) => network !== undefined)) return networks;
  context.addIssue(
    'must be on, off, a number of proxies, or networks such as 10.0.0.0/8, with commas between them',
  );
  return z.NEVER;
});

const sender = z.string().transform((text, context) => {
  const mailbox = mailboxIn(text);
  if (mailbox) return mailbox;
  context.addIssue('must be one address, such as post@example.org or Rowers <post@example.org>');
  return z.NEVER;
});

const databaseUrl = z.string().superRefine((url, context) => {
  const problem = databaseUrlProblem(url);
  if (problem) context.addIssue(problem);
});

const Settings = z.object({
  PORT: withDefault(z.coerce.number().int().min(0).max(65_535), 3000),
  HOST: withDefault(z.string(), 'localhost'),
  PUBLIC_URL: optional(origin),
  ALLOWED_HOSTS: optional(hostNames),
  DATA_DIR: withDefault(z.string(), './data'),
  DATABASE_URL: optional(databaseUrl),
  DATABASE_READ_URL: optional(databaseUrl),
  DATABASE_POOL: withDefault(z.coerce.number().int().min(2).max(100), 10),
  S3_ENDPOINT: optional(address),
  S3_BUCKET: optional(z.string()),
  S3_REGION: withDefault(z.string(), 'auto'),
  S3_ACCESS_KEY: optional(z.string()),
  S3_SECRET_KEY: optional(z.string()),
  SMTP_URL: optional(z.url({ protocol: /^smtps?$/ })),
  MAIL_FROM: optional(sender),
  PRODUCT_NAME: withDefault(z.string().max(40), 'Muster'),
  SUPPORT_EMAIL: optional(z.email()),
  CALENDAR_ORGANIZER: optional(z.email()),
  MAKER_NAME: withDefault(z.string().max(60), 'Muster Consulting'),
  MAKER_URL: optional(address),
  DEVELOPER_NAME: optional(z.string().max(60)),
  DEVELOPER_URL: optional(address),
  DONATE_URL: optional(address),
  STRIPE_SECRET_KEY: optional(z.string()),
  STRIPE_CLIENT_ID: optional(z.string()),
  STRIPE_WEBHOOK_SECRET: optional(z.string()),
  STRIPE_API_URL: optional(origin),
  SECRET_KEY: optional(z.string().min(minSecretLength)),
  REGISTRATION: withDefault(z.enum(['open', 'invited', 'closed']), 'open'),
  ALLOWED_EMAIL_DOMAINS: optional(emailDomains),
  PUSH_HOSTS: withDefault(pushHosts, pushServices),
  EVENT_PREVIEW: withDefault(z.enum(['on', 'off']), 'on'),
  TRUST_PROXY: withDefault(proxies, 'off'),
  LIMITS_PER_ADDRESS: withDefault(z.enum(['on', 'off']), 'on'),
  REQUESTS_PER_MINUTE: withDefault(z.coerce.number().int().min(60), 300),
  MEGABYTES_PER_HOUR: withDefault(z.coerce.number().int().min(1).max(100_000), 32),
  METRICS_PORT: optional(z.coerce.number().int().min(1).max(65_535)),
  METRICS_HOST: withDefault(z.string(), '127.0.0.1'),
  LOG_LEVEL: withDefault(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
  LOG_FORMAT: withDefault(z.enum(['json', 'text']), 'json'),
});

export const settingNames = Object.keys(Settings.shape);

/** Each of these can also be given as the path of a file, in a setting whose name ends with `_FILE`. */
export const secretNames = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SECRET_KEY',
] as const satisfies (keyof z.infer<typeof Settings>)[];

type Environment = Record<string, string | undefined>;

export interface Config {
  port: number;
  host: string;
  /** Origin without a trailing slash. Used in all emails and links. */
  publicUrl: string;
  /** Accepted values of the `Host` header. Undefined accepts any. */
  hosts: readonly string[] | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  /** The address of standbys that show every acknowledged commit. */
  databaseReadUrl: string | undefined;
  databasePool: number;
  /** The bucket that stores pictures. Without it, they are stored in `dataDir`. */
  s3: S3 | undefined;
  smtpUrl: string | undefined;
  mailFrom: Mailbox;
  productName: string;
  supportEmail: string | undefined;
  /** The address to which calendar apps send answers to invitations. Without it, emails contain no invitations. */
  calendarOrganizer: string | undefined;
  makerName: string;
  /** A URL, or a path of this instance. */
  makerUrl: string;
  developerName: string;
  developerUrl: string | undefined;
  donateUrl: string | undefined;
  /** If undefined, payments are disabled. */
  stripe: StripeSettings | undefined;
  secretKey: string;
  /** Who may create an account: everybody, people who come from the page of a live invite, or nobody. */
  registration: 'open' | 'invited' | 'closed';
  /** The domains of addresses that may create an account. Undefined allows all. */
  allowedEmailDomains: readonly string[] | undefined;
  /** The hosts of push services to which the app may send notifications. Empty if it sends none. */
  pushHosts: readonly string[];
  eventPreview: boolean;
  trustedProxies: TrustedProxies;
  /**
   * Whether requests are limited per network address. Turn this off if a proxy limits requests, or if many users share
   * an address.
   */
  limitsPerAddress: boolean;
  /** Limit per user. Requests without a session are limited only per network address. */
  requestsPerMinute: number;
  /** Limit per user on the amount of data that their requests write. */
  megabytesPerHour: number;
  /** The address and port of the metrics. Without a port, there are none. */
  metricsHost: string;
  metricsPort: number | undefined;
  logLevel: string;
  logFormat: LogFormat;
}

export interface StripeSettings {
  secretKey: string;
  /** OAuth client id, for connecting existing accounts. */
  clientId: string | undefined;
  webhookSecret: string | undefined;
  /** Overrides the URL of the Stripe API. */
  apiUrl: string | undefined;
}

interface S3 {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const databaseUrlParts = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*\??([^#]*)$/i;

/**
 * The problem with a database URL, if any. The message does not quote the URL, because any part of it may be an
 * unencoded password.
 */
function databaseUrlProblem(url: string): string | undefined {
  const [whole, authority = '', query] = databaseUrlParts.exec(url) ?? [];
  const hosts = new URLSearchParams(query).get('host') ?? authority;
  if (whole !== undefined && hosts.includes(','))
    return 'names several hosts: name one address that always leads to the primary';
  if (whole !== undefined && URL.canParse(url)) return undefined;
  return 'must be like postgresql://user:password@host:5432/muster, with special characters percent-encoded';
}

/** Reads the settings from the environment. Throws one error that names all invalid ones. */
export function readConfig(env: Environment): Config {
  const parsed = Settings.safeParse({ ...env, ...secretsFromFiles(env) });
  if (!parsed.success) {
    const invalid = parsed.error.issues.map((issue) => `${issue.path.join('.')} (${issue.message})`);
    throw new Error(`These settings are not valid: ${invalid.join(', ')}. See .env.example.`);
  }
  const settings = parsed.data;
  const publicUrl = (settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`).replace(/\/+$/, '');
  const dataDir = resolve(settings.DATA_DIR);
  return {
    port: settings.PORT,
    host: settings.HOST,
    publicUrl,
    hosts: hostsOf(publicUrl, settings.ALLOWED_HOSTS),
    dataDir,
    databaseUrl: settings.DATABASE_URL,
    databaseReadUrl: settings.DATABASE_READ_URL,
    databasePool: settings.DATABASE_POOL,
    s3: s3Of(settings),
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM ?? {
      name: settings.PRODUCT_NAME,
      address: `no-reply@${new URL(publicUrl).hostname}`,
    },
    productName: settings.PRODUCT_NAME,
    supportEmail: settings.SUPPORT_EMAIL,
    calendarOrganizer: settings.CALENDAR_ORGANIZER,
    makerName: settings.MAKER_NAME,
    makerUrl: settings.MAKER_URL ?? projectPage,
    developerName: settings.DEVELOPER_NAME ?? settings.MAKER_NAME,
    developerUrl: settings.DEVELOPER_URL ?? settings.MAKER_URL,
    donateUrl: settings.DONATE_URL,
    stripe: stripeOf(settings),
    secretKey: settings.SECRET_KEY ?? storedSecret(dataDir),
    registration: settings.REGISTRATION,
    allowedEmailDomains: settings.ALLOWED_EMAIL_DOMAINS,
    pushHosts: settings.PUSH_HOSTS,
    eventPreview: settings.EVENT_PREVIEW === 'on',
    trustedProxies: settings.TRUST_PROXY,
    limitsPerAddress: settings.LIMITS_PER_ADDRESS === 'on',
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    megabytesPerHour: settings.MEGABYTES_PER_HOUR,
    metricsHost: settings.METRICS_HOST,
    metricsPort: settings.METRICS_PORT,
    logLevel: settings.LOG_LEVEL,
    logFormat: settings.LOG_FORMAT,
  };
}

/** The secrets that are given as files. */
function secretsFromFiles(env: Environment): Environment {
  const secrets: Environment = {};
  for (const name of secretNames) {
    const path = set(env[`${name}_FILE`]);
    if (path === undefined) continue;
    if (set(env[name]) !== undefined)
      throw new Error(`${name} and ${name}_FILE are both set. Remove one of them.`);
    secrets[name] = secretIn(path, `${name}_FILE`);
  }
  return secrets;
}

function secretIn(path: string, setting: string): string {
  let secret: string;
  try {
    secret = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`The file of ${setting} cannot be read.`, { cause: error });
  }
  if (!secret) throw new Error(`The file of ${setting} is empty.`);
  return secret;
}

/** Hosts of requests from this machine: by monitors, the development server or a local proxy. */
const loopback = ['localhost', '127.0.0.1', '[::1]'];

function hostsOf(publicUrl: string, allowed: readonly string[] = []): readonly string[] | undefined {
  const named = [new URL(publicUrl).hostname, ...allowed];
  return named.every((name) => loopback.includes(name)) ? undefined : [...named, ...loopback];
}

const effectsWhenMissing = (config: Config): Record<string, string> => ({
  PUBLIC_URL: `links lead to ${config.publicUrl}`,
  SMTP_URL: `emails go to ${relative('', join(config.dataDir, 'outbox'))}`,
  MAIL_FROM: `the sender is ${config.mailFrom.address}`,
  SUPPORT_EMAIL: 'Support says to ask an admin of the club',
  MAKER_URL: 'the link to the maker leads to the landing page',
  DONATE_URL: 'no Donate button',
  STRIPE_SECRET_KEY: 'no payments',
});

/** One line about recommended settings that are missing, and the effect of each. */
export function notConfigured(env: Environment, config: Config): string | undefined {
  const isMissing = (name: string) => set(env[name]) === undefined && set(env[`${name}_FILE`]) === undefined;
  const missing = Object.entries(effectsWhenMissing(config)).filter(([name]) => isMissing(name));
  if (missing.length === 0) return undefined;
  return `Not configured: ${missing.map(([name, effect]) => `${name} (${effect})`).join(', ')}. See .env.example.`;
}

function stripeOf(settings: z.infer<typeof Settings>): StripeSettings | undefined {
  if (settings.STRIPE_SECRET_KEY === undefined) return undefined;
  return {
    secretKey: settings.STRIPE_SECRET_KEY,
    clientId: settings.STRIPE_CLIENT_ID,
    webhookSecret: settings.STRIPE_WEBHOOK_SECRET,
    apiUrl: settings.STRIPE_API_URL,
  };
}

/** Reads the settings of the bucket. Throws if some of them are set and others are not. */
function s3Of(settings: z.infer<typeof Settings>): S3 | undefined {
  const names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] as const;
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length === names.length) return undefined;
  if (missing.length > 0)
    throw new Error(`For pictures in a bucket these are missing: ${missing.join(', ')}. See .env.example.`);
  const [endpoint, bucket, accessKeyId, secretAccessKey] = names.map((name) => settings[name] as string) as [
    string,
    string,
    string,
    string,
  ];
  return { endpoint, bucket, region: settings.S3_REGION, accessKeyId, secretAccessKey };
}

/** The key generated at the first start. Stored, because a new key would end every session. */
function storedSecret(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(file)) {
    // Write a draft, then link it: a crash leaves no partial key, and a concurrent process never reads one.
    const draft = join(dataDir, `.secret.${process.pid}.${randomBytes(6).toString('hex')}`);
    writeFileSync(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 });
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < minSecretLength)
    throw new Error(`The key in ${file} is too short. Delete it to have a new one made.`);
  return secret;
}
