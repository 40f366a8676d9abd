import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { fail, failIf } from '#wire/errors.ts';
import { answerByStanding, takeBackStanding } from '#features/answers/store.ts';
import { emailWithdrawal } from '#features/calendar/store.ts';
import { cardsOfSeries } from '#features/events/queries.ts';
import { cancelEvents } from '#features/events/store.ts';
import { asAdmin, asMember, memberships } from '#features/members/store.ts';
import { everyMember, followersOfDates, notify } from '#features/notifications/store.ts';
import type { series } from '#features/series/contract.ts';
import { breaksOfRule, dateIn, inSentence, isBreak, whyCannotRepeat } from '#features/series/rules.ts';
import * as store from '#features/series/store.ts';

const day = 24 * 60 * 60;

/** Series of a club that make dates at the same time. */
const maxSeries = 20;

/** Members of a club in which everybody may be going unless they say no. */
const maxEverybody = 200;

export const handlers: Handlers<typeof series> = {
  async plan({ db, user, now }, { club, ...template }) {
    const admin = await asAdmin(db, user, club);
    failIf(whyCannotRepeat(template, await store.breaksOf(db, admin.club_id), now));
    if (template.everybody && (await memberships(db, admin)).length > maxEverybody) fail('too_many_members');
    if ((await store.countRunning(db, admin, now)) >= maxSeries) fail('too_many_series');
    await limit(db, `series-a-day:${admin.club_id}`, { max: 50, seconds: day, now });
    const made = await store.createSeries(db, admin, template, now);
    if (made.everybody) await store.addEverybody(db, made, now);
    const [first = fail('bad_input')] = await store.makeMissingDates(db, made, now);
    await notify(db, store.planned(made, first, now), everyMember);
    return { id: made.id, slug: made.slug, words: made.words, name: made.fields.name };
  },

  async get({ db, user, now }, { series: ref }) {
    const { fields, host_id: _, breaks, ...series } = await store.headFor(db, user.id, ref, now);
    const events = await cardsOfSeries(db, user.id, now, series.id);
    const last = events.at(-1)?.start_time ?? now;
    return { ...fields, ...series, events, breaks: breaksOfRule(series, breaks, [now, last]) };
  },

  async end(context, { series: ref, from }) {
    const { db, user, now } = context;
    const { series: found } = await store.seriesOfMember(db, context, ref);
    const series = await store.lockSeries(db, found);
    if (series.host_id !== user.id) fail('not_host');
    const { id, slug } = series;
    if (series.ended_at) return { id, slug, ended_at: series.ended_at, cancelled: 0 };
    await store.lockDates(db, series, now);
    const dates = await store.datesFrom(db, series, from ?? dateIn(series.time_zone, now), now);
    await store.endSeries(db, series, now);
    await cancelDates(context, series, dates);
    return { id, slug, ended_at: now, cancelled: dates.length };
  },

  async standing(context, { series: ref, answer, guests }) {
    const { db, user, now } = context;
    const found = await store.seriesOfMember(db, context, ref, 'not_member');
    await limit(db, `standing:${found.series.id}:${user.id}`, { max: 10, seconds: 60, now });
    const series = await store.lockSeries(db, found.series);
    const { member } = await store.seriesOfMember(db, context, ref, 'not_member');
    const dates = await store.lockDates(db, series, now);
    if (answer) {
      if (series.ended_at) fail('series_ended');
      if (guests > series.fields.guests_max) fail('too_many_guests');
      await store.saveStanding(db, series, member, { answer, guests: answer === 'no' ? 0 : guests }, now);
      await answerByStanding(db, dates, now, user.id);
    } else {
      await store.deleteStanding(db, series, member);
      const { club_id } = series;
      for (const event_id of await takeBackStanding(db, dates, user.id, now))
        await emailWithdrawal(db, 'unattended', { user_id: user.id, club_id, event_id }, now);
    }
    return { my_standing: await store.myStanding(db, series, member, now) };
  },

  breaks: async ({ db, user }, { club }) => store.breaksOf(db, (await asMember(db, user, club)).club_id),

  async saveBreaks(context, { club, breaks, cancel }) {
    const { db, user, now } = context;
    const admin = await asAdmin(db, user, club);
    if (!breaks.every(isBreak)) fail('bad_input');
    const before = await store.breaksOf(db, admin.club_id);
    await store.saveBreaks(db, admin, breaks);
    const added = breaks.filter(
      ({ first_on, last_on }) => !before.some((old) => old.first_on === first_on && old.last_on === last_on),
    );
    let cancelled = 0;
    for (const series of await store.runningSeries(db, admin)) {
      await store.lockDates(db, series, now);
      const dates = await store.datesIn(db, series, added, now);
      if (dates.length > 0 && !cancel) fail('dates_in_break');
      if (dates.length > 0 && series.host_id !== user.id) fail('not_host');
      await cancelDates(context, series, dates);
      // Those of a break that was removed.
      await store.makeMissingDates(db, series, now);
      cancelled += dates.length;
    }
    return { breaks: await store.breaksOf(db, admin.club_id), cancelled };
  },
};

/** Cancels dates of a series, which are locked, and tells everybody once. */
async function cancelDates(
  { db, user, now }: Context<'user'>,
  { club_id, words }: store.LockedSeries,
  dates: readonly string[],
): Promise<void> {
  const [event_id] = dates;
  if (event_id === undefined) return;
  await cancelEvents(db, dates, now);
  const cancelled = {
    actor: user.id,
    club_id,
    event_id,
    dates,
    repeats: inSentence(words),
    cause: randomUUID(),
  };
  await notify(db, { kind: 'event_cancelled', ...cancelled, now }, followersOfDates(dates));
}
