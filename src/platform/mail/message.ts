import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { addressPattern } from '#platform/mail/address.ts';
import { Instant } from '#wire/instant.ts';
import { inLook, type Look } from '#wire/look.ts';

const Link = z.object({ label: z.string(), url: z.string() });

/** The content of an email. The layout is the same for all emails. */
const EmailContent = z.object({
  subject: z.string(),
  /** Preview text that mail programs show beside the subject. */
  preview: z.string(),
  paragraphs: z.array(z.string()),
  /** A code to type in: shown large on its own line. */
  code: z.string().optional(),
  action: Link.optional(),
  /** Links with one possible answer each, side by side below the action. */
  choices: z.object({ label: z.string(), links: z.array(Link) }).optional(),
  footer: z.string(),
  /** Shown below the footer. */
  unsubscribe: Link.optional(),
  /** The language of the texts. English if it is missing, as in jobs of the previous release. */
  language: z.string().optional(),
});
export type EmailContent = z.infer<typeof EmailContent>;

/** Renders an email in the look of its reader. */
export const emailIn = (look: Look, render: () => EmailContent): EmailContent => ({
  ...inLook(look, render),
  language: look.language,
});

/**
 * An email in the queue. Fields that are not listed here are dropped, because the row of a job may come from a restored
 * archive. Retries have the same id, so that mail programs recognise duplicates.
 */
export const OutgoingEmail = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  to: z.string().regex(addressPattern),
  words: EmailContent,
  headers: z.object({ 'List-Unsubscribe': z.string(), 'List-Unsubscribe-Post': z.string() }).optional(),
  attachments: z
    .array(
      z.object({
        filename: z.string(),
        contentType: z.string(),
        content: z.string(),
        /** Marks the file as an invitation or a cancellation, which mail programs pass on to the calendar app. */
        method: z.enum(['REQUEST', 'CANCEL']).optional(),
      }),
    )
    .optional(),
  /** The account that the email is about, if the address does not identify it. */
  about: z.string().optional(),
  /**
   * The user who caused the email. Their name is inserted on sending, so deleting the user removes it from the queue.
   */
  by: z.object({ id: z.string(), name: z.string() }).optional(),
  /** The id of the row that the email is about. The email is not sent if that row is deleted. */
  subject: z.string().optional(),
  /** Not sent again after a crash: the email may be lost instead of duplicated. */
  once: z.literal(true).optional(),
  /** Not sent after this time. */
  until: Instant.optional(),
});
export type OutgoingEmail = z.infer<typeof OutgoingEmail>;

/** Placeholder for the name of `by`: a noncharacter, which user input never contains. */
export const actorNamePlaceholder = '\uFDD0';

/** Only jobs of release 0.2.0 contain the placeholder. Their texts are English. */
const withActorName = ({ words, by }: OutgoingEmail): EmailContent => {
  const name = JSON.stringify(by?.name ?? 'Someone').slice(1, -1);
  return JSON.parse(JSON.stringify(words).replaceAll(actorNamePlaceholder, () => name)) as EmailContent;
};

/**
 * Opens the transports of the mail library. For a faster start, the library is loaded with the first email. No
 * transport reads files or fetches URLs.
 */
export async function transports() {
  const { createTransport } = await import('nodemailer');
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  return {
    toServer: (options: SMTPPoolOptions) => createTransport({ ...options, ...closed, pool: true }),
    toBuffer: () => createTransport({ ...closed, streamTransport: true, buffer: true, newline: 'windows' }),
  };
}

export type Message = ReturnType<typeof messageOf>;

/**
 * An email in the form that the library expects. The envelope names one sender and one recipient, whatever the headers
 * contain.
 */
export function messageOf({ mailFrom, productName, publicUrl }: Config, mail: OutgoingEmail) {
  const { id, to, headers, attachments = [] } = mail;
  const words = withActorName(mail);
  const [only, ...others] = attachments;
  // Mail programs expect a single invitation as an alternative to the text. Several invitations have to be attachments.
  const icalEvent = only?.method && others.length === 0 ? only : undefined;
  return {
    envelope: { from: mailFrom.address, to: [to] },
    from: mailFrom,
    to: { name: '', address: to },
    subject: words.subject,
    text: plain(words),
    html: html(productName, words),
    messageId: `<${id}@${new URL(publicUrl).hostname}>`,
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
  { preview, paragraphs, code, action, choices, footer, unsubscribe, language = 'en' }: EmailContent,
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
<html lang="${escaped(language)}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escaped(product)}</title></head>
<body style="margin:0;padding:24px;${font}">
<div style="display:none;max-height:0;overflow:hidden">${escaped(preview)}</div>
<div style="max-width:520px;margin:0 auto">
<p style="margin:0 0 24px;font-size:18px;font-weight:700">${escaped(product)}</p>
${lines.join('\n')}
<p style="margin:32px 0 0;font-size:13px;line-height:20px;color:#6b7280">${escaped(footer)}${link}</p>
</div></body></html>`;
}
