import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { removePayloadField, deleteJobs, enqueue, keepsFailing } from '#platform/jobs/queue.ts';
import type { Instant } from '#wire/instant.ts';

/** What a letter says; how it looks is decided here, once for all letters. */
export interface EmailContent {
  subject: string;
  /** Shown by mail programs beside the subject. */
  preview: string;
  paragraphs: string[];
  /** To be typed elsewhere: set large and in its own line. */
  code?: string;
  action?: { label: string; url: string };
  footer: string;
  /** Below the footer, for whoever wants no more of these. */
  unsubscribe?: { label: string; url: string };
}

/** A letter on its way. Its id is made once, so that a second try is the same letter to every mail program. */
export interface OutgoingEmail {
  id: string;
  to: string;
  words: EmailContent;
  headers?: Record<string, string>;
  attachments?: Attachment[];
  /** Whose account it concerns, where the address does not say so. */
  about?: string;
  /** Who caused it. Their name gets into the words only when the letter leaves, so that none that waits outlives it. */
  by?: { id: string; name: string };
  /** Rather lost than twice in a mailbox, when the process dies while it is sent. */
  once?: true;
  /** A letter that is useless later is not sent after this moment. */
  until?: Instant;
}

/** Stands in the words for the name of who caused the letter: a code point that is no character, so nobody types it. */
export const actorNamePlaceholder = '\uFDD0';

const named = ({ words, by, ...mail }: OutgoingEmail): OutgoingEmail => {
  const name = JSON.stringify(by?.name ?? 'Someone').slice(1, -1);
  return {
    ...mail,
    words: JSON.parse(JSON.stringify(words).replaceAll(actorNamePlaceholder, () => name)) as EmailContent,
  };
};

interface Attachment {
  filename: string;
  contentType: string;
  content: string;
}

/** Hands a letter to the post with the commit of the transaction. */
export const enqueueEmail = (
  db: Db,
  mail: Omit<OutgoingEmail, 'id'> & { id?: string },
  options?: Parameters<typeof enqueue>[3],
): Promise<void> => enqueue(db, 'send_email', { id: randomUUID(), ...mail }, options);

/** Takes back every letter to an address, or about an account, that has not left yet; others no longer name it. */
export async function cancelEmails(db: Db, { address, account }: { address: string; account: string }) {
  await deleteJobs(db, 'send_email', 'to', address);
  await deleteJobs(db, 'send_email', 'about', account);
  await removePayloadField(db, 'send_email', 'by', account);
}

/** Whether there is no mail server, and has not been for a while. One that refuses a letter is there. */
export const isMailServerDown = (db: Db): Promise<boolean> =>
  keepsFailing(db, 'send_email', 'not sent: (ECONNECTION|ETIMEDOUT|ESOCKET|EDNS|EAUTH)');

export interface Mailer {
  /** Where the letters go, in words for the one who starts the app. */
  destination: string;
  send(mail: OutgoingEmail): Promise<void>;
  close(): void;
}

/** Sends by SMTP when that is set up; otherwise every letter becomes a file in the outbox. */
export function openMailer(config: Config, print: (line: string) => void): Mailer {
  const mailer = config.smtpUrl ? smtp(config, config.smtpUrl) : outbox(config, print);
  return { ...mailer, send: (mail) => mailer.send(named(mail)) };
}

/** Loaded with the first letter: a start is quicker without it. */
const library = () => import('nodemailer');

function smtp(config: Config, url: string): Mailer {
  const { host, hostname } = new URL(url);
  const open = async () =>
    (await library()).createTransport({
      url,
      // What does not leave the machine needs no TLS, and servers there have certificates that nobody signed.
      ignoreTLS: ['localhost', '127.0.0.1', '[::1]'].includes(hostname),
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
    });
  let transport: ReturnType<typeof open> | undefined;
  return {
    destination: `the mail server ${host}`,
    async send(mail) {
      const opened = await (transport ??= open());
      await opened.sendMail(message(config, mail)).catch((error: unknown) => {
        throw withoutAddress(error);
      });
    },
    close: () => void transport?.then((opened) => opened.close()),
  };
}

/** Mail servers like to repeat the address in their answer, and faults are logged: only the codes stay. */
function withoutAddress(error: unknown): Error {
  const { code = 'no code', responseCode = 'none', command = 'none' } = error as Record<string, unknown>;
  return new Error(`A letter was not sent: ${code}, answer ${responseCode}, command ${command}`);
}

function outbox(config: Config, print: (line: string) => void): Mailer {
  const folder = join(config.dataDir, 'outbox');
  return {
    destination: `files in ${folder}`,
    async send(mail) {
      const { createTransport } = await library();
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message: bytes } = await transport.sendMail(message(config, mail));
      await mkdir(folder, { recursive: true });
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${mail.id.slice(0, 8)}.eml`;
      // Written aside and renamed, so that a reader never finds half a letter.
      await writeFile(join(folder, `.${name}`), bytes as Buffer, { mode: 0o600 });
      await rename(join(folder, `.${name}`), join(folder, name));
      print(
        `Mail: ${mail.words.subject}${mail.words.code ? ` (code ${mail.words.code})` : ''} → outbox/${name}`,
      );
    },
    close() {},
  };
}

function message(config: Config, { id, to, words, headers, attachments = [] }: OutgoingEmail) {
  return {
    from: config.mailFrom,
    to,
    subject: words.subject,
    text: plain(words),
    html: html(config.productName, words),
    messageId: `<${id}@${new URL(config.publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers },
    attachments,
  };
}

function plain({ paragraphs, code, action, footer, unsubscribe }: EmailContent): string {
  const parts = [
    ...paragraphs,
    code && `    ${code}`,
    action && `${action.label}:\n${action.url}`,
    `-- \n${footer}`,
    unsubscribe && `${unsubscribe.label}:\n${unsubscribe.url}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);

// Mail programs know neither style sheets nor variables: every look stands on its element.
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

function html(
  product: string,
  { preview, paragraphs, code, action, footer, unsubscribe }: EmailContent,
): string {
  const lines = paragraphs.map(
    (text) => `<p style="margin:0 0 16px;font-size:16px;line-height:24px">${escaped(text)}</p>`,
  );
  if (code)
    lines.push(
      `<p style="margin:8px 0 24px;font:700 32px/40px ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${escaped(code)}</p>`,
    );
  if (action)
    lines.push(
      `<p style="margin:8px 0 24px"><a href="${escaped(action.url)}" style="display:inline-block;padding:12px 24px;border-radius:10px;background:#0f766e;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none">${escaped(action.label)}</a></p>`,
    );
  const link = unsubscribe
    ? `<br><a href="${escaped(unsubscribe.url)}" style="color:#6b7280">${escaped(unsubscribe.label)}</a>`
    : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(product)}</title></head>
<body style="margin:0;padding:24px;${font}">
<div style="display:none;max-height:0;overflow:hidden">${escaped(preview)}</div>
<div style="max-width:520px;margin:0 auto">
<p style="margin:0 0 24px;font-size:18px;font-weight:700">${escaped(product)}</p>
${lines.join('\n')}
<p style="margin:32px 0 0;font-size:13px;line-height:20px;color:#6b7280">${escaped(footer)}${link}</p>
</div></body></html>`;
}
