import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { freePort } from './app.ts';

export type Mode = 'unreachable' | 'deferring' | 'silent' | 'working';

const nothing = async () => {};

/** A mail server with switchable failure modes on one port, and the emails that it accepted. */
export async function openMailServer() {
  const port = await freePort();
  const emails: { to: string; subject: string; id: string }[] = [];
  const silent = new Set<Socket>();
  let end = nothing;

  const stop = (server: Server | SMTPServer) => async () => {
    for (const socket of silent) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const smtpServer = (isDeferring: boolean) =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: (_address, _session, done) =>
        done(isDeferring ? Object.assign(new Error('Come back later'), { responseCode: 451 }) : null),
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', async () => {
          const { subject = '', messageId = '' } = await PostalMime.parse(Buffer.concat(chunks));
          for (const { address } of session.envelope.rcptTo)
            emails.push({ to: address, subject, id: messageId });
          done();
        });
      },
    });

  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    async become(mode: Mode): Promise<void> {
      await end();
      end = nothing;
      if (mode === 'unreachable') return;
      const server =
        mode === 'silent'
          ? createServer((socket) => void silent.add(socket.on('error', () => {})))
          : smtpServer(mode === 'deferring');
      server.on('error', () => {});
      const listening = server.listen(port, '127.0.0.1');
      await once('server' in server ? server.server : listening, 'listening');
      end = stop(server);
    },
    close: () => end(),
  };
}
