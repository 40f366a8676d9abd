import { randomUUID } from 'node:crypto';
import type { Actor } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { limit } from '#platform/http/rate-limit.ts';
import { requireVersion } from '#platform/http/edit-version.ts';
import { fail, failIf } from '#wire/errors.ts';
import { keysByImportance, type events } from '#features/events/contract.ts';
import { previewOf, whyCannotCancel, whyCannotEdit } from '#features/events/rules.ts';
import {
  isTimeZone,
  editedSchedule,
  whyCannotReschedule,
  whyCannotCreate,
} from '#features/events/form-rules.ts';
import * as queries from '#features/events/queries.ts';
import * as store from '#features/events/store.ts';
import { asAdmin, asMember, requireSameClub } from '#features/members/store.ts';
import { newTimeOf } from '#features/notifications/rules.ts';
import { everyMember, followers, notify } from '#features/notifications/store.ts';

const day = 24 * 60 * 60;

export const handlers: Handlers<typeof events> = {
  attending: ({ db, user, now }) => queries.cardsOfAttended(db, user.id, now),

  ofMyClubs: ({ db, user, now }) => queries.cardsOfAllClubs(db, user.id, now),

  cards: async ({ db, user, now }, { club }) => queries.summaries(db, await asMember(db, user, club), now),

  ofClub: async ({ db, user, now }, { club, ...page }) =>
    queries.pageOfClub(db, await asMember(db, user, club), now, page),

  async create({ db, user, now }, { club, clubId, ...input }) {
    const admin = await asAdmin(db, user, club);
    await requireSameClub(db, admin, clubId);
    failIf(whyCannotCreate(input, now));
    const { time_zone = 'UTC', entry_until_time = input.start_time } = input;
    if (!isTimeZone(time_zone)) fail('bad_input');
    await limit(db, `events-a-day:${admin.club_id}`, { max: 50, seconds: day, now });
    const slug = store.newSlug(input);
    const id = await store.createEvent(db, admin, { ...input, slug, time_zone, entry_until_time }, now);
    const { club_id, user_id: actor } = admin;
    await notify(db, { kind: 'new_event', actor, club_id, event_id: id, now }, everyMember);
    return { id, slug, name: input.name };
  },

  async get({ db, user, now, config }, { event: ref }) {
    const { is_member, ...event } = (await queries.eventFor(db, user.id, now, ref)) ?? fail('not_found');
    if (is_member) return event;
    return config.eventPreview ? previewOf(event) : fail('not_found');
  },

  async edit({ db, user, config, now, ifVersion }, { event: ref, club, announce, ...patch }) {
    const { owner_club_id, club_slug } = await store.eventInClub(db, { user, config }, ref);
    if (club !== owner_club_id && club !== club_slug) fail('not_found');
    await asAdmin(db, user, owner_club_id);
    const event = await store.lockEvent(db, { user, config }, ref, 'update');
    failIf(whyCannotEdit(event));
    requireVersion(ifVersion, event.version);
    const next = { ...event, ...patch, ...editedSchedule(event, patch) };
    failIf(whyCannotReschedule(event, next, now));
    const hasMoved = next.location_name !== event.location_name;
    const new_time = newTimeOf(event, next);
    if (!announce && (hasMoved || new_time)) fail('must_tell');
    const isChanged = await store.updateEvent(db, event, next, now);
    const isTold = new_time !== undefined || keysByImportance.some((key) => next[key] !== event[key]);
    if (isChanged && isTold && announce) {
      const change = {
        ...(hasMoved && { new_location: next.location_name }),
        ...(new_time && { new_time }),
        cause: randomUUID(),
        before: event,
        now,
      };
      await notify(db, { ...sourceOf(event, user), kind: 'event_updated', ...change }, followers);
    }
    return event.slug;
  },

  async cancel({ db, user, config, now }, { event: ref }) {
    const event = await store.lockEvent(db, { user, config }, ref);
    failIf(whyCannotCancel(event, event.my_role, now));
    const { id, slug, deleted_at } = event;
    if (deleted_at) return { id, slug, deleted_at };
    const cancelled_at = await store.cancel(db, event, now);
    await notify(db, { ...sourceOf(event, user), kind: 'event_cancelled', now }, followers);
    return { id, slug, deleted_at: cancelled_at };
  },
};

const sourceOf = ({ id, owner_club_id }: store.LockedEvent, { id: actor }: Actor) => ({
  event_id: id,
  club_id: owner_club_id,
  actor,
});
