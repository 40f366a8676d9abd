import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Received {
  from: string;
  to: string[];
  raw: string;
  mail: Email;
}

/** A mail server. It rejects an email for the moment when `receive` throws. */
export async function openMailServer(receive: (email: Received) => unknown, at = 0) {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    async onData(stream, { envelope: { mailFrom, rcptTo } }, callback) {
      try {
        const raw = Buffer.concat(await stream.toArray()).toString();
        const to = rcptTo.map(({ address }) => address);
        await receive({ from: mailFrom ? mailFrom.address : '', to, raw, mail: await PostalMime.parse(raw) });
        callback();
      } catch (error) {
        callback(Object.assign(error as Error, { responseCode: 451 }));
      }
    },
  });
  // A killed process disconnects in the middle of an email.
  server.on('error', () => {});
  await new Promise<void>((done) => server.listen(at, '127.0.0.1', done));
  const address = server.server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const close = () => new Promise<void>((done) => server.close(() => done()));
  return { url: `smtp://127.0.0.1:${port}`, port, close };
}
