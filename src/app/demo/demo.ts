import { randomUUID } from 'node:crypto';
import type { Config } from '#platform/config.ts';
import { all, sql, type Db } from '#platform/db/client.ts';
import type { Context } from '#platform/context.ts';
import { discardNewJobs } from '#platform/jobs/queue.ts';
import { instant, type Instant } from '#wire/instant.ts';
import type { DemoClub } from '#app/demo/club.ts';
import { choir } from '#app/demo/choir.ts';
import { dateOf, noonOf, occurrencesOf, type Occurrence } from '#app/demo/dates.ts';
import { correspondence } from '#app/demo/event-messages.ts';
import { games } from '#app/demo/games.ts';
import { people } from '#app/demo/people.ts';
import { seededRandom } from '#app/demo/random.ts';
import { readers } from '#app/demo/readers.ts';
import { rowers } from '#app/demo/rowers.ts';
import { handlers as answers } from '#features/events/answers/handlers.ts';
import { findOrCreateAccount } from '#features/auth/store.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import { timesOfEvent } from '#features/events/poll-queries.ts';
import { handlers as events } from '#features/events/handlers.ts';
import { passTimes, remindAttendees } from '#features/events/store.ts';
import { handlers as hosts } from '#features/events/hosts/handlers.ts';
import { eventUpdated } from '#features/events/notices.ts';
import { unreachedOf } from '#features/events/reach-queries.ts';
import { addDelivery, settle } from '#platform/notices/deliveries.ts';
import { discardEmails } from '#platform/notices/raise.ts';
import { handlers as polls } from '#features/events/polls/handlers.ts';
import { handlers as series } from '#features/events/series/handlers.ts';
import { updateSteps } from '#app/demo/update-steps.ts';
import { handlers as users } from '#features/users/handlers.ts';
import { day, hour, minute, unwrap, type As, type ClubState, type Step } from '#app/demo/steps.ts';
import {
  beingAway,
  founding,
  joining,
  lettingOrganisersPlan,
  naming,
  offering,
} from '#app/demo/member-steps.ts';

const demoClubs: DemoClub[] = [rowers, games, readers, choir];

/**
 * Replays the history of the demo clubs in chronological order. Every step calls a handler as a user would have, so the
 * data satisfies every rule. The same `now` produces the same demo. No emails are sent: those that the steps enqueue
 * are discarded, and so are those that the scheduled jobs would enqueue at the next start.
 */
export async function liveDemo(db: Db, config: Config, now: Instant): Promise<void> {
  const random = seededRandom(2026);
  const accounts = new Map<string, string>();
  const as = async (key: string, at: Instant): Promise<Context<'user'>> => {
    const existing = accounts.get(key);
    const id = existing ?? (await findOrCreateAccount(db, `${key}@example.org`, { language: 'en', now: at }));
    accounts.set(key, id);
    const context: Context<'user'> = {
      db,
      config,
      now: at,
      user: { id, session_id: '' },
      caller: { ip: '', device: '', language: 'en' },
      record() {},
    };
    if (!existing) await users.update(context, nameOf(key));
    return context;
  };

  const steps = demoClubs.flatMap((club) => stepsOf(club, Date.parse(now), random));
  for (const { at, act } of steps.toSorted((one, other) => one.at - other.at)) {
    await act((key) => as(key, instant(at)));
  }
  await passTimes(db, now);
  await remindAttendees(db, now);
  await discardEmails(db);
  await noteOutcomes(db, now);
  await discardNewJobs(db);
}

/** As if the emails about changes of coming events had been sent, and every tenth address had refused them. */
async function noteOutcomes(db: Db, now: Instant): Promise<void> {
  const changed = await all(
    db,
    sql<{ id: string; sequence: number }>`
      select id, sequence from events where sequence > 0 and start_time > ${now} order by start_time, id`,
  );
  const people = await unreachedOf(
    db,
    changed.map(({ id }) => ({ event_id: id, at: now })),
  );
  for (const [nth, { event_id, user_id }] of people.entries()) {
    const id = randomUUID();
    const states = changed.filter((event) => event.id === event_id);
    await addDelivery(db, { id, user_id, kind: eventUpdated.kind, states, now });
    await settle(db, { id, to: '' }, { state: nth % 10 === 3 ? 'refused' : 'accepted' }, now);
  }
}

function nameOf(key: string) {
  const { first_name = '', last_name = '' } = people.find((person) => person.key === key) ?? {};
  return { first_name, last_name, user_name: `${first_name} ${last_name}`.trim() };
}

function stepsOf(demo: DemoClub, now: number, random: () => number): Step[] {
  const club: ClubState = {
    ...demo,
    id: '',
    founded: now - demo.foundedDaysAgo * day,
    now,
    joined: new Map(),
    sectionIds: new Map(),
    random,
  };
  return [
    ...founding(club),
    ...joining(club),
    ...lettingOrganisersPlan(club),
    ...offering(club),
    ...beingAway(club),
    ...naming(club),
    ...occurrencesOf(club, now).flatMap((occurrence, index) => eventSteps(club, occurrence, index)),
    ...plannedSteps(club),
    ...pollSteps(club),
    ...updateSteps(club),
  ];
}

/** The sections that an event is for, and how many of each are needed. They are known once the club has named them. */
const audienceIn =
  ({ sectionIds }: ClubState, { needed = {} }: Occurrence) =>
  () => {
    const byId = Object.entries(needed).map(([name, n]) => [sectionIds.get(name) ?? '', n] as const);
    return { section_ids: byId.map(([id]) => id), needed: Object.fromEntries(byId) };
  };

/** Why an event is moved. Its attendees are asked to confirm. */
const announcement = {
  announce: true,
  ask_again: true,
  reason: 'weather',
  words: 'The wind drops in the afternoon.',
} as const;

/** The steps of an event: creation, sign-ups, and the cancellation if there is one. */
function eventSteps(club: ClubState, occurrence: Occurrence, index: number): Step[] {
  const { now, admins, random, joined } = club;
  const {
    attendanceRate,
    otherHosts = [],
    isCancelled = false,
    name,
    description,
    movedBy,
    ...rest
  } = occurrence;
  const { details = '', location_name, capacity = null, question = '', choices = [], ...times } = rest;
  const host = admins[index % admins.length] ?? admins[0];
  const start = Date.parse(times.start_time);
  const created = Math.min(start - 21 * day, now - (1 + (index % 9)) * day) - Math.floor(random() * 5 * hour);
  const cancelled = isCancelled ? Math.min(start - 30 * hour, now - 3 * hour) : now;
  const moved = Math.max(created + hour, now - 5 * hour);
  // Everyone who signs up for a moved event does so before the change, and is asked to confirm.
  const closed = Math.min(Date.parse(times.entry_until_time), movedBy === undefined ? cancelled : moved);
  let event = '';
  const audience = audienceIn(club, occurrence);
  const create = async (as: As) => {
    const { start_time, end_time, entry_until_time, time_zone } = times;
    const texts = { name, description, details, location_name, question };
    const fields = { ...emptyEventFields, ...texts, ...audience(), capacity, choices };
    const input = { club: club.id, ...fields, start_time, end_time, entry_until_time, time_zone };
    event = unwrap(await events.create(await as(host), input)).slug;
  };
  const attend = async (as: As, key: string, nth: number) => {
    await answers.attend(await as(key), { event });
    const reply = choices[nth % 4];
    if (reply) await answers.answer(await as(key), { event, answer: 'going', reply });
  };
  const signUps = [...joined].flatMap(([key, since], nth) => {
    const opens = Math.max(created, since);
    const at = opens + random() * (closed - opens);
    const attends = random() < attendanceRate / clubCountOf(key) && key !== host && opens < closed;
    return attends && key !== occurrence.droppedOut?.by
      ? [{ at, act: (as: As) => attend(as, key, nth) }]
      : [];
  });
  const cancel = { at: cancelled, act: async (as: As) => events.cancel(await as(host), { event }) };
  const move = {
    at: moved,
    act: async (as: As) => {
      const start_time = instant(start + (movedBy ?? 0) * minute);
      await events.edit(await as(host), { event, club: club.id, start_time, ...announcement });
    },
  };
  return [
    { at: created, act: create },
    ...hostsSince(club, otherHosts, created).map(({ key, at }) => ({
      at: Math.min(at, closed),
      act: async (as: As) => hosts.add(await as(host), { event, user: (await as(key)).user.id }),
    })),
    ...signUps,
    ...correspondence(club, occurrence, { host, created, event: () => event }),
    ...(movedBy === undefined ? [] : [move]),
    ...(isCancelled ? [cancel] : []),
  ];
}

/** When members can be added as hosts of an event that is created at this time. */
const hostsSince = ({ joined, now }: ClubState, keys: readonly string[], created: number) =>
  keys.map((key) => ({ key, at: Math.max(created, joined.get(key) ?? now) + minute }));

/** A series that the club's founder planned some days ago, and the standing answers to it. */
function plannedSteps(club: ClubState): Step[] {
  const { planned, admins, time_zone, now, joined } = club;
  if (!planned) return [];
  const { weekday, standing, ...template } = planned;
  const at = noonOf(club, now - 10 * day);
  let ref = '';
  const plan = async (as: As) => {
    const rule = { freq: 'weekly' as const, every: 1, weekdays: [weekday], month_day: null, nth: null };
    const dates = { time_zone, starts_on: dateOf(club, at + day), ends_on: null, count: null };
    const input = {
      ...emptyEventFields,
      ...template,
      ...rule,
      ...dates,
      cutoff_minutes: 0,
      everybody: false,
    };
    ref = unwrap(await series.plan(await as(admins[0]), { club: club.id, ...input })).slug;
  };
  const answer = async (as: As, key: string) =>
    series.standing(await as(key), { series: ref, answer: 'going', guests: 0 });
  return [
    { at, act: plan },
    ...standing.map((key, n) => ({
      at: Math.max(at + (n + 1) * hour, (joined.get(key) ?? at) + hour),
      act: (as: As) => answer(as, key),
    })),
  ];
}

/** An event for which the club's founder proposed several times some days ago, and the votes on these times. */
function pollSteps(club: ClubState): Step[] {
  const { poll, admins, time_zone, now } = club;
  if (!poll) return [];
  const { inDays, voters, minutes, ...fields } = poll;
  const at = noonOf(club, now - day) - 6 * hour;
  const times = inDays.map((days) => {
    const start = noonOf(club, now + days * day) + 6 * hour;
    return { start_time: instant(start), end_time: instant(start + minutes * minute) };
  });
  let event = '';
  const offer = async (as: As) => {
    const input = { ...emptyEventFields, ...fields, time_zone, times };
    event = unwrap(await events.create(await as(admins[0]), { club: club.id, ...input })).id;
  };
  const vote = async (as: As, key: string, nth: number) => {
    const voter = await as(key);
    const { times: offered } = await timesOfEvent(voter.db, voter.user.id, { id: event }, voter.now);
    const votes = offered.map(({ id }, which) => ({
      time: id,
      vote: (['yes', 'if_needed', 'no', 'yes'] as const)[(nth * 3 + which * (nth + 1)) % 4] ?? 'no',
    }));
    await polls.vote(voter, { event, votes });
  };
  return [
    { at, act: offer },
    ...voters.map((key, nth) => ({ at: at + (nth + 1) * 10 * minute, act: (as: As) => vote(as, key, nth) })),
  ];
}

/** Members of several clubs attend the events of each club less often. */
const clubCountOf = (key: string): number =>
  demoClubs.filter(({ admins, organisers, members }) => [...admins, ...organisers, ...members].includes(key))
    .length;
