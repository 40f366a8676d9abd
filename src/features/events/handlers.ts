import type { Config } from '#platform/config.ts';
import type { Actor, ReadContext } from '#platform/context.ts';
import { outdated, perDatabase, readFrom, type Db, type ReadDb } from '#platform/db/client.ts';
import { preloaded, type Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import {
  jsonArray,
  jsonField,
  jsonSerializer,
  mergeJson,
  requireVersion,
  type Json,
} from '#platform/http/reply.ts';
import { always, responseCache, type Cacheable } from '#platform/http/response-cache.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import { ApiError, fail, failIf } from '#wire/errors.ts';
import {
  Event,
  events as contract,
  SharedCard,
  SharedEvent,
  ViewerCard,
  ViewerEvent,
  type EventCard,
} from '#features/events/contract.ts';
import { previewOf, whyCannotCancel, whyCannotEdit } from '#features/events/rules.ts';
import {
  isMove,
  timesOfNew,
  editedSchedule,
  reopened,
  whyCannotReschedule,
  whyCannotCreate,
  whyCannotOffer,
  whyCannotUndo,
  whyTimeIsOpen,
} from '#features/events/form-rules.ts';
import * as access from '#features/events/access.ts';
import {
  findAccess,
  sharedEvent,
  viewerFieldsOfEvent,
  type EventAccess,
} from '#features/events/page-queries.ts';
import * as queries from '#features/events/queries.ts';
import * as store from '#features/events/store.ts';
import { asAdmin, asMember, requireSameClub } from '#features/members/store.ts';
import { isWorthTelling, newTimeOf } from '#features/notifications/rules.ts';
import { everyMember, followers, followersAndDecliners } from '#features/notifications/queries.ts';
import { notify, withdrawChange } from '#features/notifications/store.ts';

const day = 24 * 60 * 60;

const json = {
  event: jsonSerializer(Event),
  shared: jsonSerializer(SharedEvent),
  viewer: jsonSerializer(ViewerEvent),
  card: jsonSerializer(SharedCard),
  viewerCard: jsonSerializer(ViewerCard),
  more: jsonSerializer(contract.ofClub.output.pick({ more: true })),
};

/** JSON without viewer fields. */
interface Shared<Value> extends Cacheable {
  json: Json<Value>;
}

interface VersionedEvent {
  id: string;
  version: string;
}

/** Maximum size of a cache in bytes. */
const maxCache = 32 * 1024 * 1024;

/** Caches what all members see of an event, by its version. It is read from `db`. */
const sharedCache = <Value>(
  read: (db: ReadDb, event: VersionedEvent, isReplica: boolean) => Promise<Json<Value>>,
) =>
  perDatabase((primary: Db) => {
    const cache = responseCache<Shared<Value>>(maxCache);
    return (db: ReadDb, event: VersionedEvent, now: Instant) => {
      // Repeated here, because requests that share the response would share the failure of a replica.
      const make = () =>
        readFrom({ db, primary }, async (from) => {
          const text = await read(from, event, from !== primary);
          return { json: text, size: text.length, ...always };
        });
      return cache({ key: event.id, version: event.version, now, make });
    };
  });

const eventsOf = sharedCache(async (db, { id, version }, isReplica) => {
  const found = (await sharedEvent(db, id)) ?? fail('not_found');
  // The primary may be newer than `version`, a replica also older.
  if (isReplica && found.version !== version) throw new Error(outdated);
  return json.shared(found.event);
});

/** The server that these are read from has found the versions before, so no card is older. */
const cardsOf = sharedCache(async (db, { id }) =>
  json.card((await queries.sharedCard(db, id)) ?? fail('not_found')),
);

/** The cards of listed events as the viewer sees them. Events that were deleted meanwhile are left out. */
export async function cardsFor(
  { db, primary, now }: Pick<ReadContext, 'db' | 'primary' | 'now'>,
  events: readonly queries.ListedEvent[],
): Promise<Json<EventCard[]>> {
  const cards = events.map(async (event) =>
    mergeJson((await cardsOf(primary)(db, event, now)).json, json.viewerCard(event)),
  );
  const found = await Promise.all(cards.map((card) => card.catch(unlessDeleted)));
  return jsonArray(found.filter((card) => card !== undefined));
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
}

async function previewFor(db: ReadDb, { eventPreview }: Config, { id }: EventAccess): Promise<Event> {
  const found = eventPreview ? await sharedEvent(db, id) : undefined;
  return previewOf(found?.event ?? fail('not_found'));
}

export const handlers: Handlers<typeof contract> = {
  attending: async (context) =>
    cardsFor(context, await queries.listOfAttended(context.db, context.user.id, context.now)),

  ofMyClubs: async (context) =>
    cardsFor(context, await queries.listOfAllClubs(context.db, context.user.id, context.now)),

  cards: async ({ db, primary, user, now }, { club }) =>
    queries.summaries(db, await asMember(primary, user, club), now),

  async ofClub(context, { club, ...page }) {
    const { db, primary, user, now } = context;
    const { events, more } = await queries.listOfClub(db, await asMember(primary, user, club), now, page);
    return mergeJson(json.more({ more }), jsonField('events', await cardsFor(context, events)));
  },

  async create({ db, user, now }, { club, clubId, times: offered, ...input }) {
    const admin = await asAdmin(db, user, club);
    await requireSameClub(db, admin, clubId);
    const times = timesOfNew({ ...input, times: offered }) ?? fail('bad_input');
    const [earliest] = times;
    const latest = times.at(-1) ?? earliest;
    failIf(offered ? whyCannotOffer(times, now) : whyCannotCreate(earliest, now));
    const { time_zone = 'UTC', entry_until_time = latest.start_time } = input;
    await limit(db, `events-a-day:${admin.club_id}`, { max: 50, seconds: day, now });
    const slug = store.newSlug(input);
    const schedule = { ...earliest, time_zone, entry_until_time, polling: offered !== undefined };
    const id = await store.createEvent(db, admin, { ...input, slug, ...schedule }, now);
    if (offered) await store.addTimes(db, id, times);
    const { club_id, user_id: actor } = admin;
    await notify(
      db,
      { kind: 'new_event', actor, club_id, event_id: id, now, ...(offered && { times }) },
      everyMember,
    );
    return { id, slug, name: input.name };
  },

  get: preloaded({
    preload: (db, credentials, { event }) => findAccess(db, { ...credentials, event }),
    async respond(
      { db, primary, now, config },
      { user = fail('not_signed_in'), access: found = fail('not_found') },
    ) {
      if (!found.is_member) return json.event(await previewFor(db, config, found));
      const [shared, viewer] = await Promise.all([
        eventsOf(primary)(db, found, now),
        viewerFieldsOfEvent(db, user.id, now, found),
      ]);
      return mergeJson(shared.json, json.viewer(viewer ?? fail('not_found')));
    },
  }),

  async edit(
    { db, user, config, now, ifVersion },
    { event: ref, club, announce, reason, words, ask_again, ...patch },
  ) {
    const { owner_club_id, club_slug } = await access.clubOfEvent(db, { user, config }, ref);
    if (club !== owner_club_id && club !== club_slug) fail('not_found');
    await asAdmin(db, user, owner_club_id);
    const event = await access.lockEvent(db, { user, config }, ref, 'update');
    failIf(whyCannotEdit(event));
    requireVersion(ifVersion, event.version);
    const times = editedSchedule(event, patch);
    const setsCutOff = patch.entry_until_time !== undefined;
    const next = { ...event, ...patch, ...(ask_again ? reopened(event, times, { setsCutOff, now }) : times) };
    failIf(whyCannotReschedule(event, next, now));
    failIf(whyTimeIsOpen(event, next, ask_again));
    if (!announce && (ask_again || isMove(event, next))) fail('must_tell');
    const told = announce && isWorthTelling(event, next);
    const asked = told && ask_again;
    const note = { actor: user.id, told, asked, reason, words };
    const cause = await store.updateEvent(db, event, next, note, now);
    if (cause && told) {
      const new_time = newTimeOf(event, next);
      const change = {
        ...(next.location_name !== event.location_name && { new_location: next.location_name }),
        ...(new_time && { new_time }),
        ...(reason && { reason }),
        ...(words && { words }),
        ...(asked && { asked }),
        ...((asked || isSoon(event, now) || isSoon(next, now)) && { urgent: true }),
        cause,
        before: event,
        now,
      };
      await notify(
        db,
        { ...sourceOf(event, user), kind: 'event_updated', ...change },
        asked && new_time ? followersAndDecliners : followers,
      );
    }
    return event.slug;
  },

  async undo({ db, user, config, now }, { event: ref, change: id }) {
    const { owner_club_id } = await access.clubOfEvent(db, { user, config }, ref);
    await asAdmin(db, user, owner_club_id);
    const event = await access.lockEvent(db, { user, config }, ref, 'update');
    const change = (await store.changeOf(db, event, id)) ?? fail('not_found');
    failIf(whyCannotUndo(event, change, user.id, now));
    await store.undoChange(db, event, change, now);
    await withdrawChange(db, { ...change, event_id: event.id });
    return event.slug;
  },

  async cancel({ db, user, config, now }, { event: ref, reason, words }) {
    const event = await access.lockEvent(db, { user, config }, ref);
    failIf(whyCannotCancel(event, event.my_role, now));
    const { id, slug, deleted_at } = event;
    if (deleted_at) return { id, slug, deleted_at };
    const why = { ...(reason && { reason }), ...(words && { words }) };
    const cancelled_at = await store.cancel(db, event, { actor: user.id, ...why }, now);
    await notify(db, { ...sourceOf(event, user), kind: 'event_cancelled', ...why, now }, followers);
    return { id, slug, deleted_at: cancelled_at };
  },
};

/** The email about a change reaches people in time. */
export const isSoon = ({ start_time }: { start_time: Instant }, now: Instant) =>
  start_time < addSeconds(now, day);

const sourceOf = ({ id, owner_club_id }: access.LockedEvent, { id: actor }: Actor) => ({
  event_id: id,
  club_id: owner_club_id,
  actor,
});
