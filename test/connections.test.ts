import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, expect, test } from 'vitest';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { createClient } from '#wire/client.ts';
import { instant } from '#wire/instant.ts';
import { contracts } from '#features/contracts.ts';
import { startProcess } from '#e2e/server.ts';
import { bucketServer } from '#test/bucket.ts';
import { openMailServer, type Received } from '#test/mail-server.ts';
import { undo, undoAll, usedDirectory } from '#test/postgres.ts';
import { openStripe } from '#test/stripe.ts';
import { codeIn, memorySession } from '#test/world.ts';

afterEach(undoAll);

interface Connection {
  type: string;
  to?: string;
  port?: number;
}

test('connections: from its start on, the app connects only to the servers in its settings [OPER-16]', async () => {
  await using bucket = await bucketServer();
  await using stripe = await openStripe();
  const emails: Received[] = [];
  const smtp = await openMailServer((email) => emails.push(email));
  undo.push(smtp.close);
  const dataDir = await usedDirectory();
  const postgres = await startPostgres({ dataDir, durable: false });
  undo.push(postgres.stop);
  const socket = new URL(postgres.url).searchParams.get('host') as string;
  const file = join(dataDir, 'connections');
  const { port: bucketPort } = new URL(bucket.settings.S3_ENDPOINT);
  const { origin, end } = await startProcess({
    ...stripe.settings,
    ...bucket.settings,
    // The only host name, so that the test shows that look-ups are recorded.
    S3_ENDPOINT: `http://localhost:${bucketPort}`,
    SMTP_URL: smtp.url,
    CALENDAR_ORGANIZER: 'calendar@muster.test',
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    CONNECTIONS: file,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'record-connections.ts')}`,
  });
  undo.push(() => end('SIGKILL'));

  const session = memorySession();
  const client = createClient(contracts, { origin, session, wait: async () => false });
  const email = 'ada@example.org';
  await client.auth.login({ email });
  await expect.poll(() => emails.length).toBe(1);
  session.write(await client.auth.confirm({ email, code: codeIn((emails[0] as Received).mail) }));
  await client.users.update({ first_name: 'Ada' });
  const picture = sharp({ create: { width: 50, height: 50, channels: 3, background: '#00f' } });
  await client.media.setOwn({ file: await picture.png().toBuffer() });
  const club = await client.clubs.create({ club_name: 'Rowers' });
  const day = 24 * 3_600_000;
  const event = await client.events.create({
    club: club.id,
    name: 'Regatta',
    location_name: 'https://example.com/place',
    start_time: instant(Date.now() + day),
    end_time: instant(Date.now() + 2 * day),
  });
  await client.feedback.send({ feedback: 'See https://example.com' });
  await client.payments.open({ email });
  for (const path of [
    '/',
    '/app',
    '/app/profile',
    `/app/events/${event.slug}`,
    `/previews/events/${event.slug}.png`,
  ])
    await fetch(origin + path);
  // The feedback is sent to SUPPORT_EMAIL.
  await expect.poll(() => emails.length, { timeout: 20_000 }).toBeGreaterThan(1);
  expect(await end('SIGINT')).toBe(0);

  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const connections = lines.map((line) => JSON.parse(line) as Connection);
  const of = (type: string) => new Set(connections.filter((each) => each.type === type).map(({ to }) => to));
  const ports = connections.filter(({ type }) => type === 'TCPCONNECTWRAP').map(({ port }) => port);
  const configured = [bucketPort, new URL(stripe.url).port, String(smtp.port)];
  expect(new Set(ports.map(String))).toEqual(new Set(configured));
  expect([...of('TCPCONNECTWRAP')].filter((to) => to !== '127.0.0.1' && to !== '::1')).toEqual([]);
  expect(of('GETADDRINFOREQWRAP')).toEqual(new Set(['localhost']));
  expect([...of('PIPECONNECTWRAP')].filter((to) => !to?.startsWith(socket))).toEqual([]);
  const others = new Set(connections.map(({ type }) => type)).difference(
    new Set(['TCPCONNECTWRAP', 'GETADDRINFOREQWRAP', 'PIPECONNECTWRAP']),
  );
  expect([...others]).toEqual([]);
});
