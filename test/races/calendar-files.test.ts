import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, clockOf, first, inTransaction, run, sql } from '#platform/db/client.ts';
import { createLog } from '#platform/log.ts';
import { sendNotice } from '#platform/notices/send.ts';
import { attachFiles } from '#features/calendar/mail.ts';
import { mutedClubs } from '#features/members/queries.ts';
import { identityOf } from '#app/email-identity.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import { clubsOf, manyPeople, eachRound, eventsOf, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

let w: World;
let people: [Person, Person];
beforeAll(async () => {
  w = await world();
  people = (await manyPeople(w, 2)) as [Person, Person];
});
afterAll(() => w[Symbol.asyncDispose]());

/** Sends the reader's pending email, like the job, and returns whether a calendar file was made for it. */
async function emailed(event: string): Promise<boolean> {
  const pending = await inTransaction(w.db, async (db) => {
    const due = await first(
      db,
      sql<{ id: string }>`
        update notice_emails set send_at = now()
        where user_id = ${people[1].id} and facts ->> 'event_id' = ${event} and sent_at is null returning id`,
    );
    // Makes sure that no worker sends it.
    await run(db, sql`delete from jobs where name = 'send_notice'`);
    return due;
  });
  let isMade = false;
  const attach = attachFiles(w.config);
  const send = sendNotice(w.db, {
    config: w.config,
    clock: clockOf(w.clockOffset),
    mailer: {
      async send(_email, { begin }) {
        await begin();
        return '';
      },
    },
    log: createLog('silent'),
    attach: async (...input) => {
      const files = await attach(...input);
      isMade = files.attachments.length > 0;
      await sleep(20);
      return files;
    },
    identityOf,
    mutedBy: mutedClubs,
    unsubscribeToken,
  });
  await send({ id: pending?.id ?? '' }, { stopping: new AbortController().signal });
  return isMade;
}

type Step = (event: string, club: string) => Promise<unknown>;
const attend: Step = (event) => people[1].api.answers.attend({ event });
const leave: Step = (_, club) => people[1].api.members.leave({ club });
const follow: Step = async (event, club) => {
  await people[1].api.answers.subscribe({ event });
  await people[0].api.events.edit({ event, club, details: 'Bring a coat' });
};

test.each<[string, Step, Step]>([
  ['unattending', attend, (event) => people[1].api.answers.unattend({ event })],
  ['leaving', attend, leave],
  ['ejection', attend, (_, club) => people[0].api.members.eject({ club, member: people[1].id })],
  ['leaving without attending', follow, leave],
])(
  'calendar file: is withdrawn if it is emailed during %s',
  async (_, prepare, withdraw) => {
    const [host, reader] = people;
    const clubs = await clubsOf(w, [host], [reader]);
    const events = await eventsOf(w, clubs, host);
    let made = 0;
    for (const round of eachRound) {
      const [event, club] = [events[round] as string, clubs[round] as string];
      // The emails of earlier rounds count towards the hourly limit.
      await run(w.db, sql`delete from notice_emails`);
      await prepare(event, club);
      const email = emailed(event);
      // In the first round, the email is made in any case, however slow the machine is.
      const delay = round === 0 ? email : sleep((round % 4) * 10);
      const [isMade] = await Promise.all([email, delay.then(() => withdraw(event, club))]);
      if (isMade) made++;
      expect(await all(w.db, sql`select from calendar_files where user_id = ${reader.id}`)).toEqual([]);
    }
    expect(made).toBeGreaterThan(0);
  },
  timeout,
);
