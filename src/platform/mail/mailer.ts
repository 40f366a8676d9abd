import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { removePayloadField, deleteJobs, enqueue, keepsFailing } from '#platform/jobs/queue.ts';
import type { Instant } from '#wire/instant.ts';

/** The content of an email. The layout is the same for all emails. */
export interface EmailContent {
  subject: string;
  /** Preview text that mail programs show beside the subject. */
  preview: string;
  paragraphs: string[];
  /** A code to type in: shown large on its own line. */
  code?: string;
  action?: { label: string; url: string };
  /** Answers by link, side by side below the action. */
  choices?: { label: string; links: { label: string; url: string }[] };
  footer: string;
  /** Shown below the footer. */
  unsubscribe?: { label: string; url: string };
}

/** An email in the queue. Retries have the same id, so that mail programs recognise duplicates. */
export interface OutgoingEmail {
  id: string;
  to: string;
  words: EmailContent;
  headers?: Record<string, string>;
  attachments?: Attachment[];
  /** The account that the email is about, if the address does not identify it. */
  about?: string;
  /** The user who caused it. Their name is inserted on sending, so that deleting them removes it from the queue. */
  by?: { id: string; name: string };
  /** The id of the thing that the email is about: it is not sent if that is deleted. */
  subject?: string;
  /** Send at most once: after a crash the email may be lost instead of duplicated. */
  once?: true;
  /** Not sent after this time. */
  until?: Instant;
}

/** Placeholder for the name of `by`: a noncharacter, which user input never contains. */
export const actorNamePlaceholder = '\uFDD0';

const withActorName = ({ words, by, ...mail }: OutgoingEmail): OutgoingEmail => {
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
  /** Makes it an invitation or its cancellation, which mail programs offer to a calendar. */
  method?: 'REQUEST' | 'CANCEL' | undefined;
}

/** Enqueues an email in the transaction of `db`. */
export const enqueueEmail = (
  db: Db,
  mail: Omit<OutgoingEmail, 'id'> & { id?: string },
  options?: Parameters<typeof enqueue>[3],
): Promise<void> => enqueue(db, 'send_email', { id: randomUUID(), ...mail }, options);

/** Deletes queued emails to an address or about an account, and removes the account's name from the others. */
export async function cancelEmails(db: Db, { address, account }: { address: string; account: string }) {
  await deleteJobs(db, 'send_email', 'to', address);
  await deleteJobs(db, 'send_email', 'about', account);
  await removePayloadField(db, 'send_email', 'by', account);
}

/** Deletes queued emails about a deleted thing. */
export const cancelEmailsAbout = (db: Db, subject: string) =>
  deleteJobs(db, 'send_email', 'subject', subject);

/** Whether the mail server has been unreachable for a while. A rejected email does not count. */
export const isMailServerDown = (db: Db): Promise<boolean> =>
  keepsFailing(db, 'send_email', 'not sent: (ECONNECTION|ETIMEDOUT|ESOCKET|EDNS|EAUTH)');

export interface Mailer {
  /** Where emails go, for the start-up message. */
  destination: string;
  send(mail: OutgoingEmail): Promise<void>;
  close(): void;
}

/** Sends by SMTP if configured; otherwise writes emails as files into the outbox. */
export function openMailer(config: Config, print: (line: string) => void): Mailer {
  const mailer = config.smtpUrl ? smtp(config, config.smtpUrl) : outbox(config, print);
  return { ...mailer, send: (mail) => mailer.send(withActorName(mail)) };
}

/** Loaded with the first email, for a faster start. */
const library = () => import('nodemailer');

function smtp(config: Config, url: string): Mailer {
  const { host, hostname } = new URL(url);
  const open = async () =>
    (await library()).createTransport({
      url,
      // Loopback connections need no TLS, and local servers have self-signed certificates.
      ignoreTLS: ['localhost', '127.0.0.1', '[::1]'].includes(hostname),
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
    });
  let transport: ReturnType<typeof open> | undefined;
  return {
    destination: `the mail server ${host}`,
    async send(mail) {
      const transporter = await (transport ??= open());
      await transporter.sendMail(message(config, mail)).catch((error: unknown) => {
        throw withoutAddress(error);
      });
    },
    close: () => void transport?.then((transporter) => transporter.close()),
  };
}

/** Mail servers repeat the address in their response, and errors are logged: keep only the codes. */
function withoutAddress(error: unknown): Error {
  const { code = 'no code', responseCode = 'none', command = 'none' } = error as Record<string, unknown>;
  return new Error(`The email was not sent: ${code}, response ${responseCode}, command ${command}`);
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
      // Write and rename, so that readers never see a partial file.
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
  const [only, ...others] = attachments;
  // Mail programs read one invitation beside the text, and further ones as attachments.
  const icalEvent = only?.method && others.length === 0 ? only : undefined;
  return {
    from: config.mailFrom,
    to,
    subject: words.subject,
    text: plain(words),
    html: html(config.productName, words),
    messageId: `<${id}@${new URL(config.publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers },
    ...(icalEvent ? { icalEvent } : { attachments }),
  };
}

function plain({ paragraphs, code, action, choices, footer, unsubscribe }: EmailContent): string {
  const parts = [
    ...paragraphs,
    code && `    ${code}`,
    action && `${action.label}:\n${action.url}`,
    choices && [choices.label, ...choices.links.map(({ label, url }) => `${label}:\n${url}`)].join('\n\n'),
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

// Mail programs support neither style sheets nor variables: styles are inline.
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const choice = ({ label, url }: { label: string; url: string }) =>
  `<a href="${escaped(url)}" style="display:inline-block;margin:0 4px 8px 0;padding:11px 16px;border:1px solid #0f766e;border-radius:10px;color:#0f766e;font-size:16px;font-weight:600;text-decoration:none">${escaped(label)}</a>`;

function html(
  product: string,
  { preview, paragraphs, code, action, choices, footer, unsubscribe }: EmailContent,
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
  if (choices)
    lines.push(
      `<p style="margin:8px 0;font-size:16px;line-height:24px;font-weight:600">${escaped(choices.label)}</p>`,
      `<p style="margin:0 0 24px">${choices.links.map(choice).join(' ')}</p>`,
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
