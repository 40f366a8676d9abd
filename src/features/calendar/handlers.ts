import { perDatabase, type Db } from '#platform/db/client.ts';
import type { CachedDocument } from '#platform/http/document.ts';
import { preloaded, type Context, type Handlers } from '#platform/http/endpoint.ts';
import { counter } from '#platform/http/rate-limit.ts';
import { digest } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import type { calendar } from '#features/calendar/contract.ts';
import {
  bareCancellations,
  clubFeedPath,
  eventFile,
  iCalendar,
  personalFeedPath,
  retiredUntil,
  showsUntil,
  type CalendarEvent,
  type Feed,
} from '#features/calendar/rules.ts';
import * as store from '#features/calendar/store.ts';
import { asMember, lockClub } from '#features/members/store.ts';

/** Calendar providers fetch for all of their servers; a 304 costs next to nothing. A guessed secret counts nowhere. */
const countFeed = perDatabase((db) => counter(db, { what: 'feed', max: 600, seconds: 60 * 60 }));

export const handlers: Handlers<typeof calendar> = {
  clubFeed: preloaded({
    preload: (db, credentials, { club, secret }) => store.clubFeed(db, { ...credentials, club, secret }),
    async respond({ db, now, config }, { feed }, { club, secret }) {
      if (!feed) return retired(db, config, { secret, club, now });
      return kept(db, feed, { secret, now, filename: feed.slug }, async () => {
        const events = await store.eventsOfClub(db, feed, now);
        const { club_name: name, slug, club_id } = feed;
        const about = { name, page: `/app/clubs/${slug}`, source: clubFeedPath(club_id, secret) };
        return { body: written(config, about, events), until: showsUntil(events) };
      });
    },
  }),

  personalFeed: preloaded({
    preload: (db, credentials, { secret }) => store.personalFeed(db, { ...credentials, secret }),
    async respond({ db, now, config }, { feed }, { secret }) {
      if (!feed) return retired(db, config, { secret, now });
      return kept(db, feed, { secret, now, filename: 'my-events' }, async () => {
        const events = await store.eventsOfUser(db, feed.user_id, now);
        const name = `My ${config.productName} events`;
        const about = { name, page: '/app', source: personalFeedPath(secret) };
        return { body: written(config, about, events), until: showsUntil(events) };
      });
    },
  }),

  async oneEvent({ db, user, config }, { event: ref }) {
    const { is_member, ...event } = (await store.oneEvent(db, user.id, ref)) ?? fail('not_found');
    if (!is_member && !config.eventPreview) fail('not_found');
    const shown = is_member ? event : { ...event, details: '', attends: false };
    return { filename: `${event.slug}.ics`, body: eventFile(config, shown) };
  },

  async replaceSecret({ db, user, now }, { club_id, leaked }) {
    const replaced = club_id
      ? await store.replaceClubSecret(db, await asMember(db, user, await lockClub(db, club_id)), {
          leaked,
          now,
        })
      : await store.replaceSecret(db, user.id, { leaked, now });
    return replaced ?? fail('not_found');
  },
};

type Config = Context['config'];

const written = (
  { productName, publicUrl }: Config,
  about: Pick<Feed, 'name' | 'page' | 'source'>,
  events: readonly CalendarEvent[],
) => iCalendar({ ...about, productName, publicUrl }, events);

/** What the address of a feed serves that its owner gave up. Nothing in it ever changes. */
async function retired(
  db: Db,
  { productName }: Config,
  wanted: store.RetiredAddress,
): Promise<CachedDocument> {
  const { user_id, ...feed } = (await store.retiredFeed(db, wanted)) ?? fail('not_found');
  const make = async () => ({ body: bareCancellations(productName, feed), until: retiredUntil(feed) });
  return kept(db, { user_id, version: 'retired' }, { ...wanted, filename: 'calendar' }, make);
}

interface Asked {
  secret: string;
  now: Instant;
  filename: string;
}

/** A feed of somebody, counted where they are known, and made anew only when something in it may have changed. */
function kept(
  db: Db,
  { user_id, version }: { user_id: string; version: string },
  { secret, now, filename }: Asked,
  make: CachedDocument['make'],
): CachedDocument {
  const key = digest(secret).toString('base64url');
  const count = () => countFeed(db)(`${user_id}:${key}`, now);
  return { filename: `${filename}.ics`, key, version, now, make, count };
}
