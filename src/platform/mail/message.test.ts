import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { mailboxIn } from '#platform/mail/address.ts';
import { messageOf, OutgoingEmail, transports } from '#platform/mail/message.ts';
import { smtpTimeouts } from '#platform/mail/smtp.ts';

const secret = { SECRET_KEY: 'a key that only the tests of this project use' };
const configOf = (settings: Record<string, string>) =>
  readConfig({ PUBLIC_URL: 'http://muster.test', ...secret, ...settings });

const words = { subject: 'News', preview: '', paragraphs: ['News'], footer: '' };

let toBuffer: Awaited<ReturnType<typeof transports>>['toBuffer'];
beforeAll(async () => void ({ toBuffer } = await transports()));

/** The envelope, the bytes and the parsed content of an email as it is sent. */
async function sent(settings: Record<string, string>, email: object) {
  const mail = OutgoingEmail.parse({ id: 'id', to: 'ada@example.org', words, ...email });
  const { envelope, message } = await toBuffer().sendMail(messageOf(configOf(settings), mail));
  return { envelope, raw: String(message), mail: await PostalMime.parse(message as Buffer) };
}

/** Text full of characters and sequences that separate, quote or end something in a header. */
const tricky = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'<>()[]:;@,."\\\'=?&%\u00A0\u2028 ',
        '<eve@example.org>',
        '\r\nBcc: eve@example.org',
        '=?utf-8?q?x?=',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => [...parts.join('')].slice(0, 20).join(''));

const spaced = (name: string) => name.trim().replaceAll(/\s+/g, ' ');
/** The library does not encode words that look encoded already, and turns line breaks into spaces. */
const isAltered = (name: string) => /\p{Cc}|=\?/u.test(name);

const brandOf = (sender: string) => ({
  name: 'Rowers',
  sender,
  initials: 'R',
  light: { ground: '#0b6a61', ink: '#ffffff' },
  dark: { ground: '#5fd0c0', ink: '#05211d' },
});

describe('sender', () => {
  test.each([
    'Rowers: Home',
    'Team <A>',
    'Club (North)',
    'Rowers, Inc.',
    '"Quoted" club',
    'A\\B',
    'Müster; 日本',
  ])('%s as PRODUCT_NAME or in MAIL_FROM changes the name, not the address [T47]', async (name) => {
    const settings = { PRODUCT_NAME: name, MAIL_FROM: `${name} <no-reply@muster.test>` };
    for (const [setting, value] of Object.entries(settings)) {
      const { envelope, mail } = await sent({ [setting]: value }, {});
      expect(envelope).toEqual({ from: 'no-reply@muster.test', to: ['ada@example.org'] });
      expect(mail.from).toEqual({ name, address: 'no-reply@muster.test' });
      expect(mail.to).toEqual([{ name: '', address: 'ada@example.org' }]);
    }
  });

  test('no name, from the settings or from a person, changes the address of the sender, the recipient or the envelope [T47]', async () => {
    await fc.assert(
      fc.asyncProperty(tricky, tricky, async (name, person) => {
        const by = { id: 'x', name: person };
        const { envelope, mail } = await sent(
          { PRODUCT_NAME: name },
          { by, words: { ...words, subject: `\uFDD0 joined ${person}` } },
        );
        expect(envelope).toEqual({ from: 'no-reply@muster.test', to: ['ada@example.org'] });
        expect(mail.from?.address).toBe('no-reply@muster.test');
        expect(mail.to).toEqual([{ name: '', address: 'ada@example.org' }]);
        expect([mail.cc, mail.bcc, mail.replyTo]).toEqual([undefined, undefined, undefined]);
        if (!isAltered(name))
          expect(spaced(mail.from?.name ?? '')).toBe(spaced(name === '' ? 'Muster' : name));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    'Rowers: Home',
    'Team <A>',
    'Club (North)',
    'Rowers, Inc.',
    'The "Quoted" club',
    "Ada's Müster; 日本",
    'נבחרת החתירה',
  ])(
    '%s as the name of a group changes the name of the sender, not its address [MAILUX-07]',
    async (name) => {
      const brand = brandOf(`${name} via Muster`);
      const { envelope, mail } = await sent({}, { words: { ...words, brand } });
      expect(envelope).toEqual({ from: 'no-reply@muster.test', to: ['ada@example.org'] });
      expect(mail.from).toEqual({ name: `${name} via Muster`, address: 'no-reply@muster.test' });
    },
  );

  test('no name of a group changes the address of the sender, the recipient or the envelope [MAILUX-07 T47]', async () => {
    await fc.assert(
      fc.asyncProperty(tricky, tricky, async (group, product) => {
        const brand = brandOf(`${group} via ${product}`);
        const { envelope, mail } = await sent({}, { words: { ...words, brand } });
        expect(envelope).toEqual({ from: 'no-reply@muster.test', to: ['ada@example.org'] });
        expect(mail.from?.address).toBe('no-reply@muster.test');
        expect(mail.to).toEqual([{ name: '', address: 'ada@example.org' }]);
        if (!isAltered(brand.sender)) expect(spaced(mail.from?.name ?? '')).toBe(spaced(brand.sender));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['post@example.org', { name: '', address: 'post@example.org' }],
    ['<post@example.org>', { name: '', address: 'post@example.org' }],
    [' Rowers  <post@localhost> ', { name: 'Rowers', address: 'post@localhost' }],
    ['"Rowers \\"B\\", Inc." <post@example.org>', { name: 'Rowers "B", Inc.', address: 'post@example.org' }],
    ['Rowers: Home <post@example.org>', { name: 'Rowers: Home', address: 'post@example.org' }],
  ])('MAIL_FROM %s is read as name and address', (text, mailbox) => expect(mailboxIn(text)).toEqual(mailbox));

  test.each([
    'nobody',
    'a@example.org, b@example.org',
    'Rowers: a@example.org;',
    'Rowers <a@example.org> <b@example.org',
    'Rowers <a@example.org>, Eve <>',
    'a@example.org (Rowers)',
    'Rowers <a@example.org\r\nBcc: eve@example.org>',
    '@example.org',
  ])('MAIL_FROM %j is rejected with an example', (text) => {
    expect(() => configOf({ MAIL_FROM: text })).toThrow(
      'MAIL_FROM (must be one address, such as post@example.org or Rowers <post@example.org>)',
    );
  });
});

describe('email', () => {
  const secretFile = 'package.json';
  const crafted = {
    from: 'eve@example.org',
    cc: 'eve@example.org',
    bcc: 'eve@example.org',
    replyTo: 'eve@example.org',
    envelope: { from: 'eve@example.org', to: ['eve@example.org'] },
    raw: { path: secretFile },
    html: { path: secretFile },
    text: { path: secretFile },
    amp: { path: secretFile },
    watchHtml: { path: secretFile },
    icalEvent: { path: secretFile },
    alternatives: [{ path: secretFile }],
    list: { unsubscribe: { url: 'http://127.0.0.1/' } },
    dsn: { id: 'x', return: 'full', notify: 'success' },
    dkim: {},
    attachDataUrls: true,
    disableFileAccess: false,
    disableUrlAccess: false,
    headers: {
      Bcc: 'eve@example.org',
      From: 'eve@example.org',
      'Reply-To': 'eve@example.org',
      'List-Unsubscribe': '<http://muster.test/x>\r\nBcc: eve@example.org',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    attachments: [
      {
        filename: 'x.ics\r\nBcc: eve@example.org',
        contentType: 'text/calendar\r\nBcc: eve@example.org',
        content: 'BEGIN:VCALENDAR',
        path: secretFile,
        href: 'http://127.0.0.1/',
        raw: { path: secretFile },
      },
    ],
  };

  test('is built only from the fields of its schema: no file, no fetched URL, no further recipient [T48]', async () => {
    const { envelope, raw, mail } = await sent({}, crafted);
    expect(envelope).toEqual({ from: 'no-reply@muster.test', to: ['ada@example.org'] });
    expect([mail.from?.address, mail.cc, mail.bcc, mail.replyTo]).toEqual([
      'no-reply@muster.test',
      undefined,
      undefined,
      undefined,
    ]);
    expect(raw).not.toMatch(/^(bcc|cc|reply-to):/im);
    expect(mail.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString())).toEqual([
      'BEGIN:VCALENDAR',
    ]);
    const content = await readFile(secretFile);
    expect(raw).not.toContain(content.toString('base64').slice(0, 40));
    expect(raw).not.toContain('devDependencies');
  });

  test.each([
    ['content', { path: secretFile }],
    ['content', { href: 'http://127.0.0.1/' }],
    ['filename', { path: secretFile }],
  ])('an attachment whose %s is %j is rejected [T48]', (field, value) => {
    const attachments = [{ filename: 'x', contentType: 'text/plain', content: '', [field]: value }];
    expect(OutgoingEmail.safeParse({ id: 'id', to: 'ada@example.org', words, attachments }).success).toBe(
      false,
    );
  });

  test.each([
    'a@example.org, eve@example.org',
    'a@example.org>\r\nRCPT TO:<eve@example.org',
    'Eve <eve@example.org>',
  ])('a recipient like %j is rejected [T47]', (to) =>
    expect(OutgoingEmail.safeParse({ id: 'id', to, words }).success).toBe(false),
  );

  test('transports read no files and fetch nothing, whatever a message contains [T48]', async () => {
    const { toServer } = await transports();
    for (const open of [toBuffer, () => toServer({ host: '127.0.0.1', port: 9 })]) {
      const transport = open();
      for (const [code, part] of [
        ['EFILEACCESS', { path: secretFile }],
        ['EURLACCESS', { href: 'http://127.0.0.1:9/' }],
      ] as const)
        await expect(
          transport.sendMail({
            to: 'ada@example.org',
            attachments: [part],
            html: part,
            disableFileAccess: false,
            disableUrlAccess: false,
          } as never),
        ).rejects.toMatchObject({ code: expect.stringMatching(`${code}|ECONNECTION|ESOCKET`) });
      transport.close();
    }
  });
});

test('SMTP: timeouts are those of RFC 5321', () => {
  expect(smtpTimeouts).toEqual({
    connectionTimeout: 300_000,
    greetingTimeout: 300_000,
    socketTimeout: 600_000,
  });
});
