import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import { removePayloadField, deleteJobs, enqueue, keepsFailing, type Attempt } from '#platform/jobs/queue.ts';
import type { Log } from '#platform/log.ts';
import { messageOf, OutgoingEmail, transports } from '#platform/mail/message.ts';
import { Cancelled, DeliveryError, openSmtp, serverUnavailable, type Delivery } from '#platform/mail/smtp.ts';
import type { Instant } from '#wire/instant.ts';

/** Attempts at an email. With the delays of the queue they take four to five days, as RFC 5321 (4.5.4.1) asks. */
const maxAttempts = 26;

/** Enqueues an email in the transaction of `db`. */
export const enqueueEmail = (
  db: Db,
  mail: Omit<OutgoingEmail, 'id'> & { id?: string },
  options?: Parameters<typeof enqueue>[3],
): Promise<void> => enqueue(db, 'send_email', { id: randomUUID(), ...mail }, { ...options, maxAttempts });

/** Deletes queued emails to an address or an account or about it, and removes the account's name from all other emails. */
export async function cancelEmails(db: Db, { address, account }: { address: string; account: string }) {
  await deleteJobs(db, 'send_email', 'to', address);
  await deleteJobs(db, 'send_email', 'about', account);
  await deleteJobs(db, 'send_weekly_email', 'user_id', account);
  await removePayloadField(db, 'send_email', 'by', account);
}

/** Whether the mail server has been unavailable or silent for a while. A rejected email does not count. */
export const isMailServerDown = (db: Db): Promise<boolean> =>
  keepsFailing(db, ['send_email', 'send_notice', 'send_weekly_email'], `^${serverUnavailable}`);

export interface Mailer {
  /** The destination of emails, for the start-up message. */
  destination: string;
  /** Resolves with the reply of the server, or with the name of the file. */
  send(mail: OutgoingEmail, delivery: Delivery): Promise<string>;
  /** Fails if the server is not reachable or does not accept the login, or if there is no outbox to write to. */
  verify(): Promise<unknown>;
  close(): void;
}

/** Sends by SMTP if configured; otherwise writes emails as files into the outbox. */
export const openMailer = (config: Config, print: (line: string) => void): Mailer =>
  config.smtpUrl ? smtp(config, config.smtpUrl) : outbox(config, print);

/** The number of workers that send emails, and how many of them send only urgent ones, such as login codes. */
export const mailWorkers = { all: 3, urgent: 1 };

function smtp(config: Config, url: string): Mailer {
  const server = openSmtp(url, mailWorkers.all);
  return {
    destination: `the mail server ${new URL(url).host}`,
    send: (mail, delivery) => server.send(messageOf(config, mail), delivery),
    verify: server.verify,
    close: server.close,
  };
}

function outbox(config: Config, print: (line: string) => void): Mailer {
  const folder = join(config.dataDir, 'outbox');
  return {
    destination: `files in ${folder}`,
    async send(mail, { begin }) {
      const transport = (await transports()).toBuffer();
      const email = messageOf(config, mail);
      const { message: bytes } = await transport.sendMail(email);
      await begin();
      await mkdir(folder, { recursive: true });
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${mail.id.slice(0, 8)}.eml`;
      // Write and rename, so that readers never see a partial file.
      await writeFile(join(folder, `.${name}`), bytes as Buffer, { mode: 0o600 });
      await rename(join(folder, `.${name}`), join(folder, name));
      const { code } = mail.words;
      print(`Mail: ${email.subject}${code ? ` (code ${code})` : ''} → outbox/${name}`);
      return name;
    },
    async verify() {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
    },
    close() {},
  };
}

interface Dependencies {
  mailer: Pick<Mailer, 'send'>;
  /** The time of the database. */
  clock(): Promise<Instant>;
  log: Log;
}

/**
 * The task that sends an email. Once the server has all data of an email, the task sends it again only if the server
 * replies that it did not accept the email (docs/decisions/0059). The log names emails and users only by their ids.
 */
export const sendEmail =
  ({ mailer, clock, log }: Dependencies) =>
  async (payload: unknown, { begun, begin, stopping }: Attempt): Promise<void> => {
    const mail = OutgoingEmail.parse(payload);
    const isExpired = async () => mail.until !== undefined && mail.until <= (await clock());
    // `begun`: an earlier attempt died or timed out while it was sending the email.
    if ((mail.once && begun) || (await isExpired())) return;
    try {
      await mailer.send(mail, {
        signal: stopping,
        async begin() {
          if ((await isExpired()) || !(await begin())) throw new Cancelled();
        },
      });
    } catch (error) {
      if (error instanceof Cancelled) return;
      if (!(error instanceof DeliveryError) || error.outcome === 'retry') throw error;
      log.warn({ email: mail.id, user: mail.about, outcome: error.outcome, reason: error.message }, 'email');
    }
  };
