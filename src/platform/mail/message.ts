import type { SMTPPoolOptions } from 'nodemailer/lib/smtp-pool';
import { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { addressPattern } from '#platform/mail/address.ts';
import { Instant } from '#wire/instant.ts';
import { html } from '#platform/mail/layout.ts';
import { plainText } from '#platform/mail/plain-text.ts';
import { inLook, type Look } from '#wire/look.ts';

const Link = z.object({ label: z.string(), url: z.string() });
const Colour = z.string().regex(/^#[\da-f]{6}$/);

/** A line such as 'Where: Pier 3'. If a value changed, one fact has the old value (`was`) and the next the new one (`now`). */
const Fact = z.object({ label: z.string(), value: z.string(), change: z.enum(['was', 'now']).optional() });
export type Fact = z.infer<typeof Fact>;

/** A text of ours, a text that a person wrote, in which addresses become links, or facts below a title. */
const Paragraph = z.union([
  z.string(),
  z.object({ written: z.string() }),
  z.object({ title: z.string(), facts: z.array(Fact) }),
]);
export type Paragraph = z.infer<typeof Paragraph>;

/** The group on whose behalf an email is sent: it is named in the sender and at the head of the email. */
const Brand = z.object({
  name: z.string(),
  /** The name of the sender: 'Harbour Rowers via Muster'. */
  sender: z.string(),
  initials: z.string(),
  /** The URL of its picture. Otherwise the email shows the initials. */
  picture: z.string().optional(),
  /** The colour of the head, the date and the buttons, and the colour of text on it, in light and in dark mode. */
  light: z.object({ ground: Colour, ink: Colour }),
  dark: z.object({ ground: Colour, ink: Colour }),
});
export type Brand = z.infer<typeof Brand>;

/** What an email is about, shown above its texts: a date tile, a title, and facts such as time and place. */
const Card = z.object({
  tile: z.object({ weekday: z.string(), day: z.string(), month: z.string() }),
  title: z.string(),
  /** A word such as 'Cancelled'. The title is then struck through. */
  cancelled: z.string().optional(),
  facts: z.array(Fact),
});
export type Card = z.infer<typeof Card>;

/** A question, and links with one possible answer each. A main link is a button of its own row. */
const Choices = z.object({
  label: z.string(),
  links: z.array(Link.extend({ isMain: z.boolean().optional() })),
});

const Picture = z.object({ url: z.string(), width: z.int(), height: z.int(), alt: z.string() });
export type Picture = z.infer<typeof Picture>;

/** One of several things that an email is about, or a list of lines with links. */
const Part = z.object({
  title: z.string().optional(),
  card: Card.optional(),
  choices: Choices.optional(),
  lines: z.array(Link.extend({ excerpt: z.string().optional() })).optional(),
  /** Leads to what the part leaves out. */
  more: Link.optional(),
});
export type Part = z.infer<typeof Part>;

/** The content of an email. The layout is the same for all emails. */
const EmailContent = z.object({
  subject: z.string(),
  /** Preview text that mail programs show beside the subject. */
  preview: z.string(),
  brand: Brand.optional(),
  card: Card.optional(),
  choices: Choices.optional(),
  paragraphs: z.array(Paragraph),
  parts: z.array(Part).optional(),
  pictures: z.array(Picture).optional(),
  /** A code to type in: shown large on its own line. */
  code: z.string().optional(),
  /** A button, or a link if there are choices or the card is about something cancelled. */
  action: Link.optional(),
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
    from: { ...mailFrom, name: words.brand?.sender ?? mailFrom.name },
    to: { name: '', address: to },
    subject: words.subject,
    text: plainText(words),
    html: html(productName, words),
    messageId: `<${id}@${new URL(publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers },
    ...(icalEvent ? { icalEvent } : { attachments }),
  };
}
