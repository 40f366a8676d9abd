import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notConfigured, readConfig, secretNames, settingNames } from '#platform/config.ts';

let dataDir: string;
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'muster-config-'))));
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const read = (settings: Record<string, string> = {}) => readConfig({ DATA_DIR: dataDir, ...settings });

test('config: every setting has a default', () => {
  expect(read()).toMatchObject({
    port: 3000,
    host: 'localhost',
    publicUrl: 'http://localhost:3000',
    databaseUrl: undefined,
    smtpUrl: undefined,
    mailFrom: { name: 'Muster', address: 'no-reply@localhost' },
    productName: 'Muster',
    supportEmail: undefined,
    calendarOrganizer: undefined,
    makerName: 'Muster Consulting',
    makerUrl: '/',
    developerUrl: undefined,
    registration: 'open',
    allowedEmailDomains: undefined,
    eventPreview: true,
    trustedProxies: 0,
    limitsPerAddress: true,
    metricsHost: '127.0.0.1',
    metricsPort: undefined,
    logLevel: 'info',
    logFormat: 'json',
  });
});

test('config: PUSH_HOSTS is a list of hosts, none, or by default the services of the browsers [PUSH-03]', () => {
  expect(read().pushHosts).toEqual([
    'fcm.googleapis.com',
    '*.push.services.mozilla.com',
    '*.notify.windows.com',
    '*.push.apple.com',
  ]);
  expect(read({ PUSH_HOSTS: 'none' }).pushHosts).toEqual([]);
  expect(read({ PUSH_HOSTS: 'Push.Example.org, *.example.com,127.0.0.1:4000,[::1]:4000' }).pushHosts).toEqual(
    ['push.example.org', '*.example.com', '127.0.0.1:4000', '[::1]:4000'],
  );
  const wrong = [
    '*',
    '*.org',
    'localhost',
    'localhost:4000',
    '10.0.0.1',
    '10.0.0.1:4000',
    '127.0.0.1',
    'https://push.example.org',
    'push.example.org:8443',
    'push.example.org/x',
    'none,push.example.org',
    ',',
  ];
  for (const each of wrong) expect(() => read({ PUSH_HOSTS: each })).toThrow('PUSH_HOSTS');
});

test('config: ALLOWED_EMAIL_DOMAINS is a list of domains, in any case [OPER-07]', () => {
  expect(read({ ALLOWED_EMAIL_DOMAINS: 'Club.example, school.example' }).allowedEmailDomains).toEqual([
    'club.example',
    'school.example',
  ]);
  for (const wrong of ['club', '@club.example', 'a.example,,b.example'])
    expect(() => read({ ALLOWED_EMAIL_DOMAINS: wrong })).toThrow('ALLOWED_EMAIL_DOMAINS');
  expect(() => read({ REGISTRATION: 'maybe' })).toThrow('REGISTRATION');
});

const line = (settings: Record<string, string>) => notConfigured(settings, read(settings));

describe('notConfigured', () => {
  const all = {
    PUBLIC_URL: 'https://club.example',
    SMTP_URL: 'smtp://mail.example',
    MAIL_FROM: 'Rota <rota@club.example>',
    SUPPORT_EMAIL: 'help@club.example',
    MAKER_URL: 'https://maker.example',
    DONATE_URL: 'https://donate.example',
    STRIPE_SECRET_KEY: 'sk_1',
  };
  test('names missing settings and their effects in one line', () => {
    expect(line({})).toBe(
      'Not configured: PUBLIC_URL (links lead to http://localhost:3000), ' +
        `SMTP_URL (emails go to ${relative('', join(dataDir, 'outbox'))}), ` +
        'MAIL_FROM (the sender is no-reply@localhost), ' +
        'SUPPORT_EMAIL (Support says to ask an admin of the club), ' +
        'MAKER_URL (the link to the maker leads to the landing page), ' +
        'DONATE_URL (no Donate button), STRIPE_SECRET_KEY (no payments). See .env.example.',
    );
  });

  test.each(Object.keys(all))('names only %s when it is missing or empty', (name) => {
    const others = Object.fromEntries(Object.entries(all).filter(([other]) => other !== name));
    for (const settings of [others, { ...others, [name]: '' }])
      expect(line(settings)).toMatch(
        new RegExp(`^Not configured: ${name} \\([^,]+\\)\\. See .env.example.$`),
      );
  });

  test('is undefined when all settings are present', () => {
    expect(line(all)).toBeUndefined();
  });
});

test('payments: enabled if and only if the secret key of the provider is set', () => {
  const set = {
    STRIPE_CLIENT_ID: 'ca_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    STRIPE_API_URL: 'http://pay.test',
  };
  expect(read(set).stripe).toBeUndefined();
  expect(read({ STRIPE_SECRET_KEY: 'sk_1' }).stripe).toEqual({ secretKey: 'sk_1' });
  expect(read({ STRIPE_SECRET_KEY: 'sk_1', ...set }).stripe).toEqual({
    secretKey: 'sk_1',
    clientId: 'ca_1',
    webhookSecret: 'whsec_1',
    apiUrl: 'http://pay.test',
  });
});

test('hosts: accepts loopback and the hosts of PUBLIC_URL and ALLOWED_HOSTS; any host if only loopback is configured', () => {
  expect(read().hosts).toBeUndefined();
  expect(read({ PUBLIC_URL: 'http://127.0.0.1:3000' }).hosts).toBeUndefined();
  const own = ['localhost', '127.0.0.1', '[::1]'];
  expect(read({ PUBLIC_URL: 'https://club.example:8443' }).hosts).toEqual(['club.example', ...own]);
  const hosts = read({
    PUBLIC_URL: 'https://club.example',
    ALLOWED_HOSTS: 'Old.example, [2001:DB8::1]',
  }).hosts;
  expect(hosts).toEqual(['club.example', 'old.example', '[2001:db8::1]', ...own]);
  for (const wrong of ['https://club.example', 'club.example:80', 'a/b', 'a,,b'])
    expect(() => read({ ALLOWED_HOSTS: wrong })).toThrow(/ALLOWED_HOSTS/);
});

test('config: an empty setting counts as missing', () => {
  const empty = Object.fromEntries(
    ['PORT', 'PUBLIC_URL', 'SMTP_URL', 'SECRET_KEY', 'EVENT_PREVIEW'].map((name) => [name, '']),
  );
  expect(read(empty)).toEqual(read());
});

test('config: settings override the defaults', () => {
  expect(
    read({
      PORT: '8080',
      PUBLIC_URL: 'https://club.example/',
      PRODUCT_NAME: 'Rota',
      EVENT_PREVIEW: 'off',
      MAKER_NAME: 'Us',
    }),
  ).toMatchObject({
    port: 8080,
    publicUrl: 'https://club.example',
    mailFrom: { name: 'Rota', address: 'no-reply@club.example' },
    eventPreview: false,
    developerName: 'Us',
  });
});

test.each([
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['METRICS_PORT', '0.0.0.0:9464'],
  ['METRICS_PORT', '0'],
  ['PUBLIC_URL', 'club.example'],
  ['PUBLIC_URL', 'ftp://club.example'],
  ['PUBLIC_URL', 'https://club.example/muster'],
  ['PUBLIC_URL', 'https://club.example?x=1'],
  ['PUBLIC_URL', 'https://me:secret@club.example'],
  ['DATABASE_URL', 'mysql://localhost/muster'],
  ['DATABASE_READ_URL', 'mysql://localhost/muster'],
  ['DATABASE_POOL', '1'],
  ['SMTP_URL', 'http://mail.example'],
  ['MAIL_FROM', 'nobody'],
  ['SUPPORT_EMAIL', 'nobody'],
  ['CALENDAR_ORGANIZER', 'Muster <calendar@club.example>'],
  ['DONATE_URL', 'javascript:alert(1)'],
  ['MAKER_URL', '/'],
  ['SECRET_KEY', 'too short'],
  ['EVENT_PREVIEW', 'yes'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '12'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.0/8,proxy.example'],
  ['LIMITS_PER_ADDRESS', '0'],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FORMAT', 'xml'],
])('config: %s=%s is rejected with an error that names the setting but not the value', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(
    new RegExp(`^These settings are not valid: ${name} \\(.+\\)`),
  );
  expect(() => read({ [name]: value })).not.toThrow(value);
});

const secrets: Record<(typeof secretNames)[number], string> = {
  DATABASE_URL: 'postgresql://me:hidden@a/muster',
  DATABASE_READ_URL: 'postgresql://me:hidden@b/muster',
  S3_ACCESS_KEY: 'hidden',
  S3_SECRET_KEY: 'hidden',
  SMTP_URL: 'smtp://me:hidden@mail.example',
  STRIPE_SECRET_KEY: 'sk_hidden',
  STRIPE_WEBHOOK_SECRET: 'whsec_hidden',
  SECRET_KEY: 'hidden, and at least 32 characters',
};

const file = () => join(dataDir, 'secret');

describe('secrets in files', () => {
  /** The settings that the others require. */
  const others = {
    S3_ENDPOINT: 'https://s3.test',
    S3_BUCKET: 'pictures',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 'b',
    STRIPE_SECRET_KEY: 'sk_1',
  };

  test('every setting whose value is a secret can be a file [OPER-12]', () => {
    const names = settingNames.filter((name) =>
      /KEY|SECRET|PASSWORD|TOKEN|^(DATABASE|SMTP)_(\w+_)?URL$/.test(name),
    );
    expect(names.toSorted()).toEqual(Object.keys(secrets).toSorted());
    expect([...secretNames].toSorted()).toEqual(Object.keys(secrets).toSorted());
  });

  test.each(Object.entries(secrets))(
    '%s is read from its file, without the newline at the end [OPER-12]',
    async (name, secret) => {
      await writeFile(file(), `${secret}\n`);
      const inline = read({ ...others, [name]: secret });
      expect(read({ ...others, [name]: '', [`${name}_FILE`]: file() })).toEqual(inline);
      expect(inline).not.toEqual(read(others));
    },
  );

  test.each(Object.entries(secrets))(
    '%s given both as a value and as a file is refused [OPER-12]',
    async (name, secret) => {
      await writeFile(file(), secret);
      const error = outcomeOf(() => read({ ...others, [name]: secret, [`${name}_FILE`]: file() }));
      expect(error).toBe(`${name} and ${name}_FILE are both set. Remove one of them.`);
    },
  );

  test('a missing, empty or invalid file is refused with an error that names the setting but not the secret [OPER-12]', async () => {
    const given = () => outcomeOf(() => read({ SECRET_KEY_FILE: file() }));
    expect(given()).toBe('The file of SECRET_KEY_FILE cannot be read.');
    await writeFile(file(), '\n');
    expect(given()).toBe('The file of SECRET_KEY_FILE is empty.');
    await writeFile(file(), 'hidden');
    expect(given()).toMatch(/^These settings are not valid: SECRET_KEY \((?!.*hidden)/);
    await writeFile(file(), 'smtp://mail.example');
    expect(line({ SMTP_URL_FILE: file() })).not.toContain('SMTP_URL');
  });
});

test.each([
  ['mysql://me:hidden@a/muster', 'must be like postgresql://user:password@host:5432/muster, with special'],
  ['postgresql://me:hid#den@a/muster', 'must be like'],
  ['postgresql://me:hid/den@a/muster', 'must be like'],
  ['postgresql://[::1/muster', 'must be like'],
  ['postgresql://me:hidden@a,b/muster', 'names several hosts: name one address that always leads to the'],
  ['postgresql://me:hidden@x/muster?host=a,b', 'names several hosts'],
])('config: the database URL %s is rejected with the reason but without the password', (url, reason) => {
  const error = outcomeOf(() => read({ DATABASE_URL: url }));
  expect(error).toContain(`These settings are not valid: DATABASE_URL (${reason}`);
  expect(error).not.toMatch(/hid/);
});

const outcomeOf = (work: () => unknown): string => {
  try {
    return JSON.stringify(work());
  } catch (error) {
    return (error as Error).message;
  }
};

test('config: a valid database URL is passed to the driver unchanged', () => {
  const urls = ['postgres://me@a:6000/muster', 'postgresql:///muster?host=/run', 'postgresql://[::1]/x'];
  for (const url of urls) {
    const { databaseUrl, databaseReadUrl } = read({ DATABASE_URL: url, DATABASE_READ_URL: url });
    expect([databaseUrl, databaseReadUrl]).toEqual([url, url]);
  }
  expect(read().databaseReadUrl).toBeUndefined();
});

test('config: all invalid settings are named in one error', () => {
  expect(() => read({ PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(/PORT .*LOG_LEVEL /);
});

test('secret key: generated once, private and persistent', async () => {
  const { secretKey } = read();
  expect(secretKey).toMatch(/^[\w-]{43}$/);
  expect(read().secretKey).toBe(secretKey);
  expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
  expect(read({ SECRET_KEY: 'x'.repeat(32) }).secretKey).toBe('x'.repeat(32));
  expect(await readFile(join(dataDir, 'secret.key'), 'utf8')).toBe(secretKey);
});

test('secret key: the same for processes that start concurrently', async () => {
  const module = new URL('./config.ts', import.meta.url).href;
  const code = `const { readConfig } = await import('${module}'); process.stdout.write(readConfig(process.env).secretKey);`;
  const start = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      env: { DATA_DIR: dataDir },
    });
  const keys = await Promise.all(Array.from({ length: 6 }, start));
  expect(new Set(keys.map(({ stdout }) => stdout))).toEqual(new Set([read().secretKey]));
});

test('secret key: a truncated file is rejected', async () => {
  await writeFile(join(dataDir, 'secret.key'), 'abc');
  expect(() => read()).toThrow('secret.key is too short');
});

test('bucket: requires all of its settings or none', () => {
  const whole = {
    S3_ENDPOINT: 'https://s3.test',
    S3_BUCKET: 'pictures',
    S3_ACCESS_KEY: 'a',
    S3_SECRET_KEY: 'b',
  };
  expect(read().s3).toBeUndefined();
  expect(read({ ...whole, S3_REGION: 'eu' }).s3).toEqual({
    endpoint: 'https://s3.test',
    bucket: 'pictures',
    region: 'eu',
    accessKeyId: 'a',
    secretAccessKey: 'b',
  });
  expect(() => read({ ...whole, S3_SECRET_KEY: '' })).toThrow('missing: S3_SECRET_KEY.');
});
