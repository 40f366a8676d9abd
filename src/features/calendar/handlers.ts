import type { Db } from '#platform/db.ts';
import type { Context, Handlers } from '#platform/http.ts';
import { limit } from '#platform/rate.ts';
import { digest } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { refuse } from '#wire/refusal.ts';
import type { calendar } from '#features/calendar/contract.ts';
import {
  clubFeedPath,
  eventPath,
  iCalendar,
  personalFeedPath,
  type CalendarEvent,
  type Feed,
} from '#features/calendar/rules.ts';
import * as store from '#features/calendar/store.ts';
import { asMember } from '#features/members/store.ts';

const hour = 60 * 60;

/**
 * Calendar apps ask every few minutes at most. That nothing is new is found out by making the whole feed, so it counts as
 * well. A guessed secret counts nowhere.
 */
const limitFeed = (db: Db, owner: string, secret: string, now: Instant) =>
  limit(db, `feed:${owner}:${digest(secret).toString('base64url')}`, { most: 60, seconds: hour, now });

export const handlers: Handlers<typeof calendar> = {
  async clubFeed({ db, now, config }, { club, secret }) {
    const feed = (await store.clubFeed(db, club, secret)) ?? refuse('not_found');
    await limitFeed(db, feed.user_id, secret, now);
    return document(config, feed.slug, await store.eventsOfClub(db, feed, now), {
      name: feed.club_name,
      page: `/app/clubs/${feed.slug}`,
      source: clubFeedPath(feed.club_id, secret),
    });
  },

  async personalFeed({ db, now, config }, { secret }) {
    const owner = (await store.ownerOf(db, secret)) ?? refuse('not_found');
    await limitFeed(db, owner, secret, now);
    return document(config, 'my-events', await store.eventsOfUser(db, owner, now), {
      name: `My ${config.productName} events`,
      page: '/app',
      source: personalFeedPath(secret),
    });
  },

  async oneEvent({ db, user, config }, { event: ref }) {
    const { is_member, ...event } = (await store.oneEvent(db, user.id, ref)) ?? refuse('not_found');
    if (!is_member && !config.eventPreview) refuse('not_found');
    const shown = is_member ? event : { ...event, details: '', attends: false };
    return document(config, event.slug, [shown], { name: event.name, page: eventPath(event.slug) });
  },

  async replaceSecret({ db, user }, { club_id }) {
    const replaced = club_id
      ? await store.replaceClubSecret(db, await asMember(db, user, club_id))
      : await store.replaceSecret(db, user.id);
    return replaced ?? refuse('not_found');
  },
};

type Config = Context['config'];

const document = (
  { productName, publicUrl }: Config,
  filename: string,
  events: readonly CalendarEvent[],
  feed: Pick<Feed, 'name' | 'page' | 'source'>,
) => ({ filename: `${filename}.ics`, body: iCalendar({ ...feed, productName, publicUrl }, events) });
