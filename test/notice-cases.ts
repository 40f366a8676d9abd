import { randomUUID } from 'node:crypto';
import { run, sql } from '#platform/db/client.ts';
import { cancelledEvents, snapshotsOf } from '#features/events/notice-queries.ts';
import type { ClubHandle, Person, World } from '#test/world.ts';

interface Setting {
  w: World;
  ada: Person;
  bob: Person;
  club: ClubHandle;
}

type Cases = Record<string, (event_id: string, nth: number) => Promise<Record<string, unknown>>>;

/** Changes a field of an event, adds the change to the history of the event, and returns its id. */
async function changed(
  { w, ada }: Setting,
  id: string,
  [field, before, after]: [string, string, string],
): Promise<string> {
  const change = randomUUID();
  await run(
    w.db,
    sql`insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence, before, after, told)
        select ${change}, id, 'edit', ${ada.id}, now(), sequence, ${JSON.stringify({ [field]: before })},
          ${JSON.stringify({ [field]: after })}, true from events where id = ${id}`,
  );
  await run(w.db, sql`update events set ${sql.ref(field)} = ${after} where id = ${id}`);
  return change;
}

/** For each kind of notice, a function that makes facts about an event of Ada's, or its club, true for Bob, and returns them. */
export function noticeCases(at: Setting): Cases {
  const setAnswer = (id: string, columns: ReturnType<typeof sql>) =>
    run(at.w.db, sql`update answers set ${columns} where event_id = ${id} and user_id = ${at.bob.id}`);
  const cases: Cases = {
    role_changed: async () => ({ club_id: at.club.id, role: 0, before: { role: 100 } }),
    handover: async () => {
      const offer = randomUUID();
      await run(
        at.w.db,
        sql`insert into handovers (id, club_id, from_id, to_id, afterwards, until)
            values (${offer}, ${at.club.id}, ${at.ada.id}, ${at.bob.id}, 'leave', now() + interval '14 days')
            on conflict (club_id, from_id) do update set id = excluded.id`,
      );
      return { club_id: at.club.id, offer };
    },
    handover_answered: async () => ({
      club_id: at.club.id,
      club_name: at.club.club_name,
      offer: randomUUID(),
      answer: 'accepted',
      afterwards: 'leave',
    }),
    member_removed: async () => ({ club_id: at.club.id, club_name: at.club.club_name }),
    member_joined: async () => {
      await run(at.w.db, sql`update members set club_role = 200 where user_id = ${at.bob.id}`);
      const joiner = await at.w.person('Zoe');
      await run(
        at.w.db,
        sql`insert into members (club_id, user_id, calendar_secret, joined_at) values (${at.club.id}, ${joiner.id}, ${joiner.id}, now())`,
      );
      return { club_id: at.club.id, before: { [joiner.id]: true } };
    },
    new_event: async (event_id) => ({ event_id }),
    event_updated: async (event_id, nth) => {
      const change = await changed(at, event_id, ['location_name', 'Pier 3', `Hall ${nth}`]);
      return { event_id, change, moves: true, before: { [event_id]: change } };
    },
    event_cancelled: async (event_id) => {
      await run(at.w.db, sql`update events set deleted_at = now() where id = ${event_id}`);
      return { event_id, isSeries: false, ...(await cancelledEvents(at.w.db, [event_id])) };
    },
    event_reminder: async (event_id) => {
      await run(
        at.w.db,
        sql`insert into answers (event_id, user_id, answered_at) values (${event_id}, ${at.bob.id}, now()) on conflict do nothing`,
      );
      const { start_time } = await at.ada.api.events.get({ event: event_id });
      return { event_id, start_time };
    },
    unattended: async (event_id) => {
      await run(
        at.w.db,
        sql`insert into answers (event_id, user_id, answered_at, answer) values (${event_id}, ${at.bob.id}, now(), 'no') on conflict do nothing`,
      );
      return { event_id, isConfirmed: true };
    },
    left: async () => ({ club_id: at.club.id, club_name: at.club.club_name, before: {} }),
    attending: async (event_id) => {
      await cases['event_reminder']?.(event_id, 0);
      return { event_id };
    },
    answered_for_you: async (event_id) => {
      await cases['event_reminder']?.(event_id, 0);
      await setAnswer(event_id, sql`via = 'runner'`);
      return { event_id, answer: 'going', before: { answer: ' 0' } };
    },
    answer_wanted: async (event_id) => ({ event_id, list: 'silent' }),
    seat_given: async (event_id) => cases['attending']?.(event_id, 0) ?? {},
    seat_free: async (event_id) => {
      await run(at.w.db, sql`update members set club_role = 200 where user_id = ${at.bob.id}`);
      return { event_id };
    },
    answers_changed: async (event_id) => {
      const zoe = await at.w.person('Zoe');
      await run(
        at.w.db,
        sql`insert into members (club_id, user_id, calendar_secret, joined_at) values (${at.club.id}, ${zoe.id}, ${zoe.id}, now())`,
      );
      await run(
        at.w.db,
        sql`insert into answers (event_id, user_id, answered_at, answer) values (${event_id}, ${zoe.id}, now(), 'no')`,
      );
      await run(
        at.w.db,
        sql`insert into answers (event_id, user_id, answered_at, host_no) values (${event_id}, ${at.bob.id}, now(), 2)
            on conflict (event_id, user_id) do update set answer = 'going', place = null, host_no = 2`,
      );
      return { event_id, change: 'no', before: { [zoe.id]: { answer: 'going', guests: 0, note: '' } } };
    },
    not_reached: async (event_id) => {
      await run(at.w.db, sql`update members set club_role = 200 where user_id = ${at.bob.id}`);
      const zoe = await at.w.person('Zoe');
      await run(
        at.w.db,
        sql`insert into members (club_id, user_id, calendar_secret, joined_at) values (${at.club.id}, ${zoe.id}, ${zoe.id}, now())`,
      );
      await run(
        at.w.db,
        sql`insert into event_followers (event_id, user_id) values (${event_id}, ${zoe.id})`,
      );
      const change = await changed(at, event_id, ['location_name', 'Pier 3', 'Pier 9']);
      await run(
        at.w.db,
        sql`insert into deliveries (id, channel, user_id, kind, states, state, stated_at, created_at, settled_at)
            select gen_random_uuid(), 'email', ${zoe.id}, 'event_updated', jsonb_build_object(id, sequence), 'failed', now(), now(), now()
            from events where id = ${event_id}`,
      );
      return { event_id, change };
    },
    event_short: async (event_id) => {
      await run(
        at.w.db,
        sql`update events set needed = '{"all": 9}', entry_until_time = now() where id = ${event_id}`,
      );
      await cases['event_reminder']?.(event_id, 0);
      await setAnswer(event_id, sql`host_no = 2`);
      return { event_id };
    },
    host_changed: async (event_id) => ({ event_id, host: 'other', before: { hosts: true } }),
    time_fixed: async (event_id) => ({ event_id, voted: true }),
    new_series: async (event_id) => ({ event_id, series_id: event_id, everybody: false }),
    lift_changed: async (event_id, nth) => {
      const [slot, rider] = [randomUUID(), await at.w.person('Zoe')];
      await run(
        at.w.db,
        sql`insert into slots (id, event_id, kind, title, places, by_id, created_at)
            values (${slot}, ${event_id}, 'lift', ${`Lift ${nth}`}, 3, ${at.bob.id}, now())`,
      );
      await run(at.w.db, sql`insert into slot_claims values (${slot}, ${rider.id}, 1)`);
      return { event_id, title: `Lift ${nth}`, change: 'claimed', before: { [rider.id]: false } };
    },
    event_message: async (event_id, nth) => {
      const post_id = randomUUID();
      await run(
        at.w.db,
        sql`insert into posts (id, club_id, event_id, audience, creator_id, content, created_at)
            values (${post_id}, ${at.club.id}, ${event_id}, '{silent}', ${at.ada.id}, ${`Message ${nth}`}, now())`,
      );
      return { event_id, post_id };
    },
    question: async (event_id, nth) => {
      const question_id = randomUUID();
      const zoe = await at.w.person('Zoe');
      await run(
        at.w.db,
        sql`insert into questions (id, event_id, author_id, question, asked_at)
            values (${question_id}, ${event_id}, ${zoe.id}, ${`Message ${nth}`}, now())`,
      );
      await run(at.w.db, sql`update members set club_role = 200 where user_id = ${at.bob.id}`);
      return { event_id, question_id, before: { [question_id]: true } };
    },
    question_answered: async (event_id, nth) => {
      const question_id = randomUUID();
      await run(
        at.w.db,
        sql`insert into questions (id, event_id, author_id, question, asked_at, answer, answered_at)
            values (${question_id}, ${event_id}, ${at.bob.id}, 'Hall 1', now(), ${`Message ${nth}`}, now())`,
      );
      return { event_id, question_id };
    },
    club_update: async (_event, nth) => {
      const id = randomUUID();
      await run(
        at.w.db,
        sql`insert into club_updates (id, club_id, creator_id, content, created_at)
            values (${id}, ${at.club.id}, ${at.ada.id}, ${`News ${nth}`}, now())`,
      );
      return { club_id: at.club.id, update_id: id };
    },
    update_important: async (_event, nth) => {
      const id = randomUUID();
      await run(
        at.w.db,
        sql`insert into club_updates (id, club_id, creator_id, content, created_at, important)
            values (${id}, ${at.club.id}, ${at.ada.id}, ${`News ${nth}`}, now(), true)`,
      );
      return { club_id: at.club.id, update_id: id };
    },
    club_deleted: async (event_id) => ({
      club_id: randomUUID(),
      club_name: at.club.club_name,
      events: await snapshotsOf(at.w.db, [event_id]),
      mine: [event_id],
      invited: [],
    }),
  };
  return cases;
}
