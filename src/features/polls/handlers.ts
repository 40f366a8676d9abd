import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { fail, failIf } from '#wire/errors.ts';
import { answersTo } from '#features/answers/rules.ts';
import { saveGiven } from '#features/answers/store.ts';
import { clubOfEvent, eventInClub, lockEvent } from '#features/events/access.ts';
import { timesOfEvent } from '#features/events/page-queries.ts';
import { fixTime } from '#features/events/store.ts';
import { asAdmin } from '#features/members/store.ts';
import { allBut, onlyMembers } from '#features/notifications/queries.ts';
import { notify } from '#features/notifications/store.ts';
import type { polls } from '#features/polls/contract.ts';
import { answerOfVote, isComplete, whyCannotDecide, whyCannotVote } from '#features/polls/rules.ts';
import * as store from '#features/polls/store.ts';

export const handlers: Handlers<typeof polls> = {
  vote: rereadable(async (context, { event: ref, votes }) => {
    const { db, user, now } = context;
    const event = await lockEvent(db, context, ref);
    await limit(db, `votes:${event.id}:${user.id}`, { max: 10, seconds: 60, now });
    failIf(whyCannotVote(event, now));
    const { times } = await timesOfEvent(db, user.id, event, now);
    if (!isComplete(votes, times, now)) fail('bad_input');
    await store.saveVotes(db, event, user.id, votes, now);
    return null;
  }, ownTimes),

  /** The same time again changes nothing. */
  async decide(context, { event: ref, time: id }) {
    const { db, user, now } = context;
    const { owner_club_id } = await clubOfEvent(db, context, ref);
    await asAdmin(db, user, owner_club_id);
    const event = await lockEvent(db, context, ref, 'update');
    const time = await store.timeOf(db, event, id);
    const { slug, start_time, end_time } = event;
    if (!event.polling) return time ? { slug, start_time, end_time } : fail('time_fixed');
    if (!time) fail('not_found');
    failIf(whyCannotDecide(event, time, now));
    const votes = await store.votesFor(db, event, time.id);
    const voters = await store.votersOf(db, event);
    const cause = await fixTime(db, event, time, user.id, now);
    const { id: event_id, user_count, guest_count } = event;
    const facts = { event_id, is_closed: false, taken: user_count + guest_count, last_place: 0, answers: [] };
    const wishes = votes
      .filter(({ has_answer }) => !has_answer)
      .map(({ user_id, vote }) => ({ user_id, answer: answerOfVote[vote], guests: 0 }));
    const since = new Map(votes.map(({ user_id, voted_at }) => [user_id, voted_at]));
    const answers = answersTo({ ...event, ...facts }, wishes);
    await saveGiven(
      db,
      answers.map((answer) => ({ ...answer, since: since.get(answer.user_id) })),
      'app',
      now,
    );
    await store.deleteVotes(db, event);
    const news = {
      kind: 'event_updated',
      actor: user.id,
      club_id: owner_club_id,
      event_id,
      cause,
      now,
    } as const;
    for (const [voted, audience] of [
      [true, onlyMembers(voters)],
      [false, allBut(voters)],
    ] as const) {
      const fixed = { start_time: time.start_time, time_zone: event.time_zone, voted };
      await notify(db, { ...news, fixed, urgent: true }, audience);
    }
    return { slug, start_time: time.start_time, end_time: time.end_time };
  },
};

async function ownTimes(context: Context<'user'>, { event: ref }: { event: string }) {
  const { db, user, now } = context;
  return timesOfEvent(db, user.id, await eventInClub(db, context, ref), now);
}
