import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, first, inTransaction, sql } from '#platform/db/client.ts';
import { recordFiles } from '#features/calendar/store.ts';
import { addedFile } from '#features/notifications/mail-rules.ts';
import { takePendingEmails } from '#features/notifications/store.ts';
import { clubsOf, manyPeople, eachRound, eventsOf, timeout } from '#test/races/people.ts';
import { world, type Person, type World } from '#test/world.ts';

let w: World;
let people: [Person, Person];
beforeAll(async () => {
  w = await world();
  people = (await manyPeople(w, 2)) as [Person, Person];
});
afterAll(() => w[Symbol.asyncDispose]());

/** Takes the reader's pending email, like the job, and returns whether it attaches a calendar file. */
const emailed = async (event: string) => {
  const waiting = await first(
    w.db,
    sql<{ kind: 'attending' | 'event_updated'; about: string }>`
      select kind, about from notification_emails
      where user_id = ${people[1].id} and payload->'event'->>'id' = ${event}`,
  );
  return inTransaction(w.db, async (db) => {
    const { pendingEmails } = await takePendingEmails(db, waiting?.kind ?? 'attending', waiting?.about ?? '');
    await sleep(20);
    await recordFiles(db, w.config, pendingEmails);
    return pendingEmails.some((pendingEmail) => addedFile(pendingEmail));
  });
};

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
  'calendar file: withdrawn when emailed during %s',
  async (_, prepare, withdraw) => {
    const [host, reader] = people;
    const clubs = await clubsOf(w, [host], [reader]);
    const events = await eventsOf(w, clubs, host);
    let sent = 0;
    for (const round of eachRound) {
      const [event, club] = [events[round] as string, clubs[round] as string];
      await prepare(event, club);
      const [isSent] = await Promise.all([
        emailed(event),
        sleep(round % 3 === 0 ? 0 : 10).then(() => withdraw(event, club)),
      ]);
      if (isSent) sent++;
      expect(await all(w.db, sql`select from calendar_files where user_id = ${reader.id}`)).toEqual([]);
    }
    expect(sent).toBeGreaterThan(0);
  },
  timeout,
);
