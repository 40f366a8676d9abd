import { Readable } from 'node:stream';
import { transports, type Message } from '#platform/mail/message.ts';

const minute = 60_000;

/** The timeouts that RFC 5321 (4.5.3.2) requires of clients. A client that gives up sooner sends the email twice. */
export const smtpTimeouts = {
  /** From connecting to the end of the greeting, which busy servers delay. */
  connectionTimeout: 5 * minute,
  greetingTimeout: 5 * minute,
  /** Without a byte from the server: the reply to the data may take that long, all others take less. */
  socketTimeout: 10 * minute,
};

/** The sum of all steps of RFC 5321: greeting, sender, recipient, data and the replies to them. */
const deliveryTimeout = 30 * minute;

/** The time after which an attempt to send an email counts as failed. Delivery itself times out earlier. */
export const emailAttemptTimeout = deliveryTimeout + minute;

/**
 * Why an email was not sent:
 * - `rejected`: for good, by a reply to its sender, its recipient or its data.
 * - `unknown`: the server has all of it and did not reply. It may have been delivered.
 * - `retry`: the server does not have it, or said so.
 */
export class DeliveryError extends Error {
  readonly outcome: 'rejected' | 'unknown' | 'retry';
  constructor(outcome: DeliveryError['outcome'], message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** Thrown before the first byte of an email that is no longer wanted. */
export class Cancelled extends Error {}

/** The beginning of messages of errors that concern the server and not this email. */
export const serverUnavailable = 'The mail server is unavailable';

export interface Delivery {
  /** Called before the first byte of the email is sent. If it throws, none is. */
  begin(): Promise<void>;
  signal: AbortSignal;
}

/** Sends by the mail server of `SMTP_URL`, over at most `maxConnections` connections, which stay open for further emails. */
export function openSmtp(url: string, maxConnections: number) {
  const { hostname } = new URL(url);
  const open = async () => {
    const transporter = (await transports()).toServer({
      url,
      maxConnections,
      // Loopback connections need no TLS, and local servers have self-signed certificates.
      ignoreTLS: ['localhost', '127.0.0.1', '[::1]'].includes(hostname),
      ...smtpTimeouts,
    });
    transporter.use('stream', (mail, done) => {
      mail.message.processFunc((mail.data as unknown as Watched).watch);
      done();
    });
    return transporter;
  };
  let transport: ReturnType<typeof open> | undefined;

  return {
    async send(message: Message, { begin, signal }: Delivery): Promise<void> {
      const transporter = await (transport ??= open());
      let isComplete = false;
      const watch = (email: Readable) =>
        Readable.from(after(begin, email), { objectMode: false }).once('end', () => (isComplete = true));
      const ending = AbortSignal.any([signal, AbortSignal.timeout(deliveryTimeout)]);
      const watched: Message & Watched = { ...message, watch };
      await transporter.sendMail({ ...watched, signal: ending }).catch((error: SmtpError) => {
        throw error instanceof Cancelled ? error : deliveryError(error, isComplete);
      });
    },
    close: () => void transport?.then((transporter) => transporter.close()),
  };
}

interface Watched {
  /** Wraps the bytes of an email, which are read when the server has asked for them. */
  watch(email: Readable): Readable;
}

/** Bytes that are read at once. */
const chunkSize = 16 * 1024;

/** Passes large attachments on in chunks: otherwise the email ends while most of it still waits in this process. */
async function* after(begin: () => Promise<void>, email: Readable): AsyncGenerator<Buffer> {
  await begin();
  for await (const chunk of email as AsyncIterable<Buffer>)
    for (let at = 0; at < chunk.length; at += chunkSize) yield chunk.subarray(at, at + chunkSize);
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  response?: string;
  responseCode?: number;
}

/** These 5xx replies concern the state or the login of the connection (RFC 4954). */
const aboutConnection = new Set([503, 530, 534, 535, 538]);

/** Mail servers repeat the address in their reply, and errors are logged: only codes are kept. */
function deliveryError(error: SmtpError, isComplete: boolean): DeliveryError {
  const { code = 'no code', command = 'none', response = '', responseCode = 0 } = error;
  const reply = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(response)?.[0] ?? 'none';
  const reason = `${code}, response ${reply}, command ${command}`;
  const isReply = responseCode >= 400 && responseCode < 600;
  if (isComplete && !isReply) return new DeliveryError('unknown', `The server did not reply: ${reason}`);
  const isAboutEmail = isComplete || ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command);
  if (isAboutEmail && responseCode >= 500 && !aboutConnection.has(responseCode))
    return new DeliveryError('rejected', `The server rejected the email: ${reason}`);
  const isAboutServer =
    code === 'EAUTH' ||
    (/^E(CONNECTION|TIMEDOUT|SOCKET|DNS|TLS|PROTOCOL)$/.test(code) && (!isReply || responseCode >= 500));
  return new DeliveryError(
    'retry',
    `${isAboutServer ? serverUnavailable : 'The email was not sent'}: ${reason}`,
  );
}
