import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { freePort } from './app.ts';

export type Mood = 'refuses' | 'puts off' | 'says nothing' | 'works';

const nothing = async () => {};

/** A mail server on one port, in one mood after another, and every letter that it took. */
export async function openMailServer() {
  const port = await freePort();
  const emails: { to: string; subject: string; id: string }[] = [];
  const silent = new Set<Socket>();
  let end = nothing;

  const stop = (server: Server | SMTPServer) => async () => {
    for (const socket of silent) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const speaking = (puts_off: boolean) =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onRcptTo: (_address, _session, done) =>
        done(puts_off ? Object.assign(new Error('Come back later'), { responseCode: 451 }) : null),
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
    async becomes(mood: Mood): Promise<void> {
      await end();
      end = nothing;
      if (mood === 'refuses') return;
      const server =
        mood === 'says nothing'
          ? createServer((socket) => void silent.add(socket.on('error', () => {})))
          : speaking(mood === 'puts off');
      server.on('error', () => {});
      const listening = server.listen(port, '127.0.0.1');
      await once('server' in server ? server.server : listening, 'listening');
      end = stop(server);
    },
    close: () => end(),
  };
}
