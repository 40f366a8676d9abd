import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Received {
  from: string;
  to: string[];
  raw: string;
  mail: Email;
}

export type Command = 'greeting' | 'AUTH' | 'MAIL' | 'RCPT' | 'end of data';

type Rejection = number | string | undefined;

/**
 * How the server misbehaves. Each function is called for every email; if all return undefined, the server
 * accepts the email.
 */
export interface MailServerOptions {
  host?: string;
  port?: number;
  /** Milliseconds between the end of an email and the final reply. */
  replyAfter?: number;
  /** The reply with which the server refuses a command: a code, or a code and a text such as '550 5.1.1 Unknown'. */
  refuse?: (command: Command, recipient?: string) => Rejection | Promise<Rejection>;
  /** Connections above this number get 421. */
  maxConnections?: number;
  /** When the server closes the connection: before it read the whole email, or before the final reply. */
  disconnect?: () => 'in the data' | 'after the data' | undefined;
}

/** Starts a mail server. It rejects an email with a temporary error if `receive` throws. */
export async function openMailServer(
  receive: (email: Received) => unknown,
  {
    host = '127.0.0.1',
    port = 0,
    replyAfter = 0,
    refuse = () => undefined,
    maxConnections,
    disconnect,
  }: MailServerOptions = {},
) {
  const reply = async (command: Command, recipient?: string) => {
    const rejection = await refuse(command, recipient);
    if (rejection === undefined) return null;
    const [, code, text] = /^(\d{3})(?: (.*))?$/.exec(String(rejection)) ?? [];
    return Object.assign(new Error(text ?? 'No'), { responseCode: Number(code) });
  };
  const sockets = new Map<number | undefined, Socket>();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    // A client may keep its connection for the next email, which would delay `close`.
    closeTimeout: 10,
    ...(maxConnections === undefined ? {} : { maxClients: maxConnections }),
    onConnect: async (_session, callback) => callback(await reply('greeting')),
    onAuth: async (_auth, _session, callback) => callback(await reply('AUTH'), { user: 'muster' }),
    onMailFrom: async (_address, _session, callback) => callback(await reply('MAIL')),
    onRcptTo: async ({ address }, _session, callback) => callback(await reply('RCPT', address)),
    async onData(stream, { remotePort, envelope: { mailFrom, rcptTo } }, callback) {
      const ending = disconnect?.();
      if (ending === 'in the data') {
        stream.once('data', () => sockets.get(remotePort)?.destroy());
        return;
      }
      try {
        const raw = Buffer.concat(await stream.toArray()).toString();
        const to = rcptTo.map(({ address }) => address);
        await receive({ from: mailFrom ? mailFrom.address : '', to, raw, mail: await PostalMime.parse(raw) });
        if (replyAfter > 0) await sleep(replyAfter);
        if (ending === 'after the data') sockets.get(remotePort)?.destroy();
        else callback(await reply('end of data', to[0]));
      } catch (error) {
        callback(Object.assign(error as Error, { responseCode: 451 }));
      }
    },
  });
  // A killed process disconnects in the middle of an email.
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    sockets.set(remotePort, socket);
    socket.once('close', () => sockets.delete(remotePort));
  });
  await new Promise<void>((done) => server.listen(port, host, done));
  const address = server.server.address();
  const opened = typeof address === 'object' ? address?.port : 0;
  const close = () => new Promise<void>((done) => server.close(() => done()));
  /** Closes the connections that clients keep for further emails. */
  const disconnectAll = () => sockets.forEach((socket) => socket.destroy());
  return { url: `smtp://127.0.0.1:${opened}`, port: opened, close, disconnectAll };
}
