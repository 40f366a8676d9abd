import type { Context, Handlers } from '#platform/http.ts';
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

export const handlers: Handlers<typeof calendar> = {
  async clubFeed({ db, now, config }, { club, secret }) {
    const feed = (await store.clubFeed(db, club, secret)) ?? refuse('not_found');
    return document(config, feed.slug, await store.eventsOfClub(db, feed, now), {
      name: feed.club_name,
      page: `/app/clubs/${feed.slug}`,
      source: clubFeedPath(feed.club_id, secret),
    });
  },

  async personalFeed({ db, now, config }, { secret }) {
    const owner = (await store.ownerOf(db, secret)) ?? refuse('not_found');
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
