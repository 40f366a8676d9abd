import { Readable } from 'node:stream';
import { transports, type Message } from '#platform/mail/message.ts';

const minute = 60_000;

/** The timeouts that RFC 5321 (4.5.3.2) requires of clients. A client that gives up sooner may send the email twice. */
export const smtpTimeouts = {
  /** From connecting to the end of the greeting, which busy servers delay. */
  connectionTimeout: 5 * minute,
  greetingTimeout: 5 * minute,
  /** How long the server may send nothing. The reply to the data may take that long; all other replies take less. */
  socketTimeout: 10 * minute,
};

/** The sum of the timeouts of all steps of RFC 5321: greeting, sender, recipient, data and the replies to them. */
const deliveryTimeout = 30 * minute;

/** The time after which an attempt to send an email counts as failed. Delivery itself times out earlier. */
export const emailAttemptTimeout = deliveryTimeout + minute;

/**
 * The outcome of an attempt that did not succeed:
 * - `rejected`: the server rejected the email's recipient or data for good.
 * - `unknown`: the server has all data of the email and did not reply. The email may have been delivered.
 * - `retry`: the server does not have all data of the email, or replied that it did not accept the email for now.
 */
export class DeliveryError extends Error {
  readonly outcome: 'rejected' | 'unknown' | 'retry';
  /** The codes of the server's reply, such as '550 5.1.1'. */
  readonly code: string | undefined;
  /** Whether the server rejected the recipient because there is no such address. */
  readonly isUnknownAddress: boolean;
  constructor(
    outcome: DeliveryError['outcome'],
    message: string,
    { cause, code, command }: { cause: Error; code: string | undefined; command: string },
  ) {
    super(message, { cause });
    this.outcome = outcome;
    this.code = code;
    this.isUnknownAddress = command === 'RCPT TO' && unknownAddress.test(code ?? '');
  }
}

/**
 * The enhanced status codes of RFC 3463 and RFC 7505 for an address that gets no email. Others, such as those of a full
 * mailbox, say nothing about the address.
 */
const unknownAddress = /^5\d\d 5\.(1\.(1|2|3|6|10)|2\.1)$/;

/** The codes at the beginning of a reply, such as '550 5.1.1'. */
export const codesOf = (reply: string): string | undefined =>
  /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(reply)?.[0].replace('-', ' ');

/** Thrown before the first byte is sent, if the email is no longer wanted. */
export class Cancelled extends Error {}

/** The prefix of the messages of errors that concern the server as a whole, not one particular email. */
export const serverUnavailable = 'The mail server is unavailable';

export interface Delivery {
  /** Called before the first byte of the email is sent. If it throws, the email is not sent. */
  begin(): Promise<void>;
  signal: AbortSignal;
}

/** Sends emails through the mail server of `SMTP_URL`, over at most `maxConnections` connections, which stay open for further emails. */
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
    async send(message: Message, { begin, signal }: Delivery): Promise<string> {
      const transporter = await (transport ??= open());
      let isComplete = false;
      const watch = (email: Readable) =>
        Readable.from(after(begin, email), { objectMode: false }).once('end', () => (isComplete = true));
      const ending = AbortSignal.any([signal, AbortSignal.timeout(deliveryTimeout)]);
      const watched: Message & Watched = { ...message, watch };
      const sent = await transporter.sendMail({ ...watched, signal: ending }).catch((error: SmtpError) => {
        throw error instanceof Cancelled ? error : deliveryError(error, isComplete);
      });
      return sent.response;
    },
    verify: async () => (await (transport ??= open())).verify(),
    close: () => void transport?.then((transporter) => transporter.close()),
  };
}

interface Watched {
  /** Wraps the stream of an email, which is read only when the server has asked for the data. */
  watch(email: Readable): Readable;
}

/** Bytes that are read at once. */
const chunkSize = 16 * 1024;

/**
 * Splits large attachments into chunks: otherwise the stream would end while most of its data is still in this process.
 */
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

/**
 * Mail servers repeat the address in their reply, and errors are logged, so the message contains only codes. `cause` has
 * the whole reply.
 */
function deliveryError(error: SmtpError, isComplete: boolean): DeliveryError {
  const { code: kind = 'no code', command = 'none', response = '', responseCode = 0 } = error;
  const code = codesOf(response);
  const details = { cause: error, code, command };
  const reason = `${kind}, response ${code ?? 'none'}, command ${command}`;
  const isReply = responseCode >= 400 && responseCode < 600;
  if (isComplete && !isReply)
    return new DeliveryError('unknown', `The server did not reply: ${reason}`, details);
  if (responseCode >= 500 && (isComplete || isAboutEmail(command, responseCode, code)))
    return new DeliveryError('rejected', `The server rejected the email: ${reason}`, details);
  const isAboutServer =
    kind === 'EAUTH' ||
    (/^E(CONNECTION|TIMEDOUT|SOCKET|DNS|TLS|PROTOCOL)$/.test(kind) && (!isReply || responseCode >= 500));
  return new DeliveryError(
    'retry',
    `${isAboutServer ? serverUnavailable : 'The email was not sent'}: ${reason}`,
    details,
  );
}

/**
 * Whether a 5xx reply before the data concerns the email. All other replies concern the connection or the sender, and
 * 5.7.x to the recipient concerns our server, such as a block of its address. The operator can fix these.
 */
function isAboutEmail(command: string, responseCode: number, code = ''): boolean {
  if (aboutConnection.has(responseCode)) return false;
  return command === 'DATA' || (command === 'RCPT TO' && !/ 5\.7\./.test(code));
}
