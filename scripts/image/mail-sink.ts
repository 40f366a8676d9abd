// Runs in a container of the trial: a mail server that prints each email as one line of JSON.
import { openMailServer } from '#test/mail-server.ts';

await openMailServer(({ to, mail }) => console.log(JSON.stringify({ to, text: mail.text })), {
  host: '0.0.0.0',
  port: 2525,
});
process.once('SIGTERM', () => process.exit());
