import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { raise } from '#platform/notices/raise.ts';
import {
  jsonArray,
  jsonField,
  jsonSerializer,
  mergeJson,
  onlyFields,
  requireVersion,
  type Json,
} from '#platform/http/reply.ts';
import { shared } from '#platform/http/shared.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { ApiError, fail, failIf } from '#wire/errors.ts';
import {
  Event,
  events as contract,
  previewFields,
  SharedCard,
  SharedEvent,
  ViewerCard,
  ViewerEvent,
  type EventCard,
} from '#features/events/contract.ts';
import { emptyEventFields } from '#features/events/field-contract.ts';
import { hasEnded, isCancelled, openEvents, whyCannotCancel, whyCannotEdit } from '#features/events/rules.ts';
import {
  isMove,
  isSameValue,
  timesOfNew,
  editedSchedule,
  reopened,
  whyCannotAsk,
  whyCannotReschedule,
  whyCannotCreate,
  whyCannotOffer,
  whyCannotUndo,
  whyTimeIsOpen,
} from '#features/events/form-rules.ts';
import { isWorthTelling, newTimeOf } from '#features/events/mail-rules.ts';
import {
  cancelledEvents,
  followers,
  followersAndDecliners,
  newlyIncluded,
} from '#features/events/notice-queries.ts';
import { eventCancelled, eventUpdated, newEvent, undoTime } from '#features/events/notices.ts';
import * as access from '#features/events/access.ts';
import { eventOfViewer, rareFieldsOfEvent, sharedEvent } from '#features/events/page-queries.ts';
import * as queries from '#features/events/queries.ts';
import * as store from '#features/events/store.ts';
import { isRunner } from '#features/members/rules.ts';
import { asPlanner, asReadingMember, requireSameClub } from '#features/members/store.ts';
import { membersItIsFor } from '#features/sections/queries.ts';

const day = 24 * 60 * 60;

const json = {
  event: jsonSerializer(Event),
  shared: jsonSerializer(SharedEvent),
  viewer: jsonSerializer(ViewerEvent),
  card: jsonSerializer(SharedCard),
  viewerCard: jsonSerializer(ViewerCard),
  more: jsonSerializer(contract.ofClub.output.pick({ more: true })),
};

const eventJson = shared(sharedEvent, json.shared);
const cardJson = shared(queries.sharedCard, json.card);

/** The cards of listed events for a viewer. Events that were deleted after they were listed are left out. */
export async function cardsFor(
  db: Db,
  events: readonly queries.ListedEvent[],
  now: Instant,
): Promise<Json<EventCard[]>> {
  const cards = events.map(async (event) =>
    mergeJson(await cardJson(db, event, now), json.viewerCard(event)),
  );
  const found = await Promise.all(cards.map((card) => card.catch(unlessDeleted)));
  return jsonArray(found.filter((card) => card !== undefined));
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
}

const toPreview = onlyFields(Event, previewFields);

async function previewFor(db: Db, { eventPreview }: Config, id: string): Promise<Event> {
  const found = eventPreview ? await sharedEvent(db, { id }) : undefined;
  return toPreview(found?.value ?? fail('not_found'));
}

export const handlers: Handlers<typeof contract> = {
  attending: async ({ db, user, now }) => cardsFor(db, await queries.listOfAttended(db, user, now), now),

  async ofMyClubs({ db, user, now, screen }) {
    const events = await queries.listOfAllClubs(db, user, now);
    // The server-rendered home page needs only the events that it shows. When an answer changes which events are shown,
    // the app reads the list again.
    const { unanswered, others } = openEvents(events, now);
    return cardsFor(db, screen ? [...unanswered, ...others] : events, now);
  },

  cards: async ({ db, user, now }, { club }) =>
    queries.summaries(db, await asReadingMember(db, user, club), now),

  async ofClub({ db, user, now }, { club, ...list }) {
    const member = await asReadingMember(db, user, club);
    const { events, more } = await queries.listOfClub(db, user, member, now, list);
    return mergeJson(json.more({ more }), jsonField('events', await cardsFor(db, events, now)));
  },

  async create({ db, user, now }, { club, clubId, times: offered, ...input }) {
    const planner = await asPlanner(db, user, club);
    await requireSameClub(db, planner, clubId);
    const times = timesOfNew({ ...input, times: offered }) ?? fail('bad_input');
    const [earliest] = times;
    failIf(whyCannotAsk(input) ?? (offered ? whyCannotOffer(times, now) : whyCannotCreate(earliest, now)));
    const audience = await access.audienceAfter(db, planner, emptyEventFields, input);
    const { time_zone = 'UTC', entry_until_time = earliest.start_time } = input;
    await limit(db, `events-a-day:${planner.club_id}`, { max: 50, seconds: day, now });
    const slug = store.newSlug(input);
    const schedule = { ...earliest, time_zone, entry_until_time, polling: offered !== undefined };
    const id = await store.createEvent(db, planner, { ...input, ...audience, slug, ...schedule }, now);
    if (offered) await store.addTimes(db, id, times);
    const facts = { event_id: id, polls: offered !== undefined };
    await raise(db, newEvent, { facts, actor: user.id, dedupeKey: id, now }, membersItIsFor(id));
    return { id, slug, name: input.name };
  },

  async get({ db, user: viewer, now, config }, { event: ref }) {
    const found = (await eventOfViewer(db, { viewer, ref, now })) ?? fail('not_found');
    const { id, owner_club_id, version, ...own } = found;
    const membership = viewer.memberships.get(owner_club_id);
    if (!membership) return json.event(await previewFor(db, config, id));
    const [event, rare] = await Promise.all([
      eventJson(db, { id, version }, now),
      rareFieldsOfEvent(db, viewer.id, now, { id, ...own, runs: isRunner(membership, own) }),
    ]);
    return mergeJson(event, json.viewer({ ...rare, ...own }));
  },

  async edit(
    { db, user, config, now, ifVersion },
    { event: ref, club, announce, reason, words, ask_again, ...patch },
  ) {
    const { owner_club_id, club_slug } = await access.clubOfEvent(db, { user, config }, ref);
    if (club !== owner_club_id && club !== club_slug) fail('not_found');
    const planner = await asPlanner(db, user, owner_club_id);
    const event = await access.lockEvent(db, { user, config }, ref, 'update');
    failIf(whyCannotEdit(event));
    requireVersion(ifVersion, event.version);
    const times = editedSchedule(event, patch);
    const setsCutOff = patch.entry_until_time !== undefined;
    const next = {
      ...event,
      ...patch,
      ...(await access.audienceAfter(db, planner, event, patch)),
      ...(ask_again ? reopened(event, times, { setsCutOff, now }) : times),
    };
    failIf(whyCannotAsk(next) ?? whyCannotReschedule(event, next, now));
    failIf(whyTimeIsOpen(event, next, ask_again));
    if (!announce && (ask_again || isMove(event, next))) fail('must_tell');
    const announced = announce && isWorthTelling(event, next);
    const asksAgain = announced && ask_again;
    const note = { actor: user.id, announced, asksAgain, reason, words };
    const change = await store.updateEvent(db, event, next, note, now);
    if (change && announced) {
      const facts = {
        event_id: event.id,
        change,
        moves: isMove(event, next),
        before: { [event.id]: change },
      };
      const urgent = asksAgain || isSoon(event, now) || isSoon(next, now) ? { delay: 60 } : {};
      const audience = asksAgain && newTimeOf(event, next) ? followersAndDecliners : followers;
      await raise(
        db,
        eventUpdated,
        { facts, actor: user.id, dedupeKey: change, ...urgent, now },
        audience(event.id),
      );
    }
    if (!isSameValue(event.section_ids, next.section_ids) && !isCancelled(event) && !hasEnded(event, now))
      await raise(
        db,
        newEvent,
        {
          facts: { event_id: event.id, polls: event.polling },
          actor: user.id,
          dedupeKey: event.id,
          delay: undoTime,
          now,
        },
        newlyIncluded(event.id, event.section_ids),
      );
    return event.slug;
  },

  async undo({ db, user, config, now }, { event: ref, change: id }) {
    const { owner_club_id } = await access.clubOfEvent(db, { user, config }, ref);
    const planner = await asPlanner(db, user, owner_club_id);
    const event = await access.lockEvent(db, { user, config }, ref, 'update');
    const change = (await store.changeOf(db, event, id)) ?? fail('not_found');
    failIf(whyCannotUndo(event, change, user.id, now));
    const audience = await access.restorableAudience(db, planner, event, change.old);
    await store.undoChange(db, event, { ...change, old: { ...change.old, ...audience } }, now);
    return event.slug;
  },

  async cancel({ db, user, config, now }, { event: ref, reason, words }) {
    const event = await access.lockEvent(db, { user, config }, ref);
    failIf(whyCannotCancel(event, event.my_role, now));
    const { id, slug, deleted_at } = event;
    if (deleted_at) return { id, slug, deleted_at };
    const why = { ...(reason && { reason }), ...(words && { words }) };
    const cancelled_at = await store.cancel(db, event, { actor: user.id, ...why }, now);
    const facts = { event_id: id, isSeries: false, ...(await cancelledEvents(db, [id])) };
    await raise(db, eventCancelled, { facts, actor: user.id, dedupeKey: id, now }, followers(id));
    return { id, slug, deleted_at: cancelled_at };
  },
};

/** Whether an event starts so soon that the email about a change is urgent. */
export const isSoon = ({ start_time }: { start_time: Instant }, now: Instant) =>
  start_time < addSeconds(now, day);
