import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { all, openDatabase, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { enqueueEmail, mailWorkers } from '#platform/mail/mailer.ts';
import { startPostgres } from '#platform/postgres/supervisor.ts';
import { prepareDatabase } from '#app/server.ts';
import { startProcess } from '#e2e/server.ts';
import { openMailServer } from '#test/mail-server.ts';
import { undoAll, usedDirectory } from '#test/postgres.ts';
import { timeout, rounds } from '#test/races/people.ts';

afterEach(undoAll);

const kills = Math.ceil(Math.min(rounds, 200) / 10);
const emails = kills * 10;

/** A slow mail server that records the emails it accepted. */
async function slowMailServer() {
  const accepted: string[] = [];
  const server = await openMailServer(async ({ mail }) => {
    await sleep(30);
    accepted.push(/^<([^@>]+)@/.exec(mail.messageId ?? '')?.[1] ?? 'none');
  });
  return { accepted, ...server };
}

test(
  'emails: no notice is sent twice and no code is lost when the sending process is killed [C13]',
  async () => {
    const smtp = await slowMailServer();
    const dataDir = await usedDirectory();
    const postgres = await startPostgres({ dataDir, durable: false });
    await prepareDatabase(postgres.url, createLog('silent'));
    const { db, close } = openDatabase(postgres.url, { size: 2, onError: () => {} });
    const waiting = async () =>
      (
        await all(
          db,
          sql`select 1 from jobs j
              where j.name = 'send_email'`,
        )
      ).length;
    const words = { subject: 'News', preview: '', paragraphs: ['News'], footer: '' };
    const names = Array.from({ length: emails }, (_, nth) =>
      nth % 4 === 0 ? `code-${nth}` : `notice-${nth}`,
    );
    for (const id of names)
      await enqueueEmail(db, {
        id,
        to: 'ada@example.org',
        words,
        ...(id.startsWith('notice') ? { once: true as const } : {}),
      });

    const settings = { DATA_DIR: dataDir, DATABASE_URL: postgres.url, SMTP_URL: smtp.url };
    for (let kill = 0; kill < kills; kill++) {
      const { end } = await startProcess(settings);
      const before = smtp.accepted.length;
      while (smtp.accepted.length < before + 4 && (await waiting()) > 0) await sleep(Math.random() * 10);
      await end('SIGKILL');
      // Expire the locks, so that the next process takes over the jobs.
      await run(db, sql`update jobs set locked_until = locked_until - interval '1 hour'`);
    }
    const { end } = await startProcess(settings);
    for (let tries = 0; tries < 600 && (await waiting()) > 0; tries++) await sleep(50);
    await end('SIGINT');
    expect(await waiting()).toBe(0);

    const times = (name: string) => smtp.accepted.filter((accepted) => accepted === name).length;
    const of = (kind: string) =>
      names.filter((name) => name.startsWith(kind)).map((name) => [name, times(name)] as const);
    expect(of('notice').filter(([, count]) => count > 1)).toEqual([]);
    expect(of('code').filter(([, count]) => count < 1)).toEqual([]);
    const lost = of('notice').filter(([, count]) => count === 0).length;
    const again = of('code').reduce((sum, [, count]) => sum + count - 1, 0);
    process.stdout.write(`${emails} emails, ${kills} kills: ${lost} notices lost, ${again} codes twice\n`);
    expect(lost + again).toBeLessThanOrEqual(kills * mailWorkers.all);
    await close();
    await postgres.stop();
    await smtp.close();
  },
  timeout * 2,
);
