import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import { fail, failIf } from '#wire/errors.ts';
import { updateGivenAnswers } from '#features/events/absences/store.ts';
import { answerByVotes } from '#features/events/answers/store.ts';
import { clubOfEvent, eventInClub, lockEvent, readingEvent } from '#features/events/access.ts';
import { pageOfVoters, timesOfEvent } from '#features/events/poll-queries.ts';
import { fixTime } from '#features/events/store.ts';
import { asPlanner } from '#features/members/store.ts';
import type { polls } from '#features/events/polls/contract.ts';
import { timeFixed } from '#features/events/polls/notices.ts';
import { isComplete, whyCannotDecide, whyCannotVote } from '#features/events/polls/rules.ts';
import * as store from '#features/events/polls/store.ts';

export const handlers: Handlers<typeof polls> = {
  voters: async (context, { event: ref, ...page }) =>
    pageOfVoters(context.db, await readingEvent(context.db, context, ref), page),

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

  /** Deciding on the same time again changes nothing. */
  async decide(context, { event: ref, time: id }) {
    const { db, user, now } = context;
    const { owner_club_id } = await clubOfEvent(db, context, ref);
    await asPlanner(db, user, owner_club_id);
    const event = await lockEvent(db, context, ref, 'update');
    const time = await store.timeOf(db, event, id);
    const { slug, start_time, end_time } = event;
    if (!event.polling) return time ? { slug, start_time, end_time } : fail('time_fixed');
    if (!time) fail('not_found');
    failIf(whyCannotDecide(event, time, now));
    const dedupeKey = await fixTime(db, event, time, user.id, now);
    await answerByVotes(db, event, store.answersForTime(event, time.id), now);
    await updateGivenAnswers(db, [event.id], now);
    for (const voted of [true, false]) {
      const facts = { event_id: event.id, voted };
      await raise(
        db,
        timeFixed,
        { facts, actor: user.id, dedupeKey, now },
        store.voters(event, time.id, voted),
      );
    }
    await store.deleteVotes(db, event);
    return { slug, start_time: time.start_time, end_time: time.end_time };
  },
};

async function ownTimes(context: Context<'user'>, { event: ref }: { event: string }) {
  const { db, user, now } = context;
  return timesOfEvent(db, user.id, await eventInClub(db, context, ref), now);
}
