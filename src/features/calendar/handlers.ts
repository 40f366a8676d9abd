import { outdated, perDatabase, readFrom, type Db } from '#platform/db/client.ts';
import type { CachedDocument } from '#platform/http/document.ts';
import type { Context } from '#platform/context.ts';
import { preloaded, type Handlers } from '#platform/http/endpoint.ts';
import { counter } from '#platform/http/rate-limit.ts';
import { digest } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { updateUser } from '#features/auth/store.ts';
import type { calendar } from '#features/calendar/contract.ts';
import {
  appOf,
  bareCancellations,
  clubFeedPath,
  eventFile,
  iCalendar,
  isBrowser,
  personalFeedPath,
  retiredUntil,
  showsUntil,
  type CalendarEvent,
  type Feed,
} from '#features/calendar/rules.ts';
import * as queries from '#features/calendar/queries.ts';
import * as store from '#features/calendar/store.ts';
import { withoutMemberFields } from '#features/events/rules.ts';
import { asMember, lockClub } from '#features/members/store.ts';

/** The limit is high because calendar providers fetch from many servers. A 304 or an unknown secret does not count. */
const countFeed = perDatabase((db: Db) => counter(db, { what: 'feed', max: 600, seconds: 60 * 60 }));

export const handlers: Handlers<typeof calendar> = {
  clubFeed: preloaded({
    preload: (db, credentials, { club, secret }) => queries.clubFeed(db, { ...credentials, club, secret }),
    async respond({ db, primary, now, config }, { feed }, { club, secret }) {
      if (!feed) return retiredFeed(primary, config, { secret, club, now });
      return liveFeed(primary, feed, { secret, now, filename: feed.slug }, async () => {
        const events = await readFrom({ db, primary }, async (from) => {
          if (from !== primary)
            await requireVersion(feed, queries.clubFeed(from, { ...anybody, club, secret }));
          return queries.eventsOfClub(from, feed, now);
        });
        const { club_name: name, slug, club_id } = feed;
        const metadata = { name, page: `/app/clubs/${slug}`, source: clubFeedPath(club_id, secret) };
        return { body: render(config, metadata, events), until: showsUntil(events) };
      });
    },
  }),

  personalFeed: preloaded({
    preload: (db, credentials, { secret }) => queries.personalFeed(db, { ...credentials, secret }),
    async respond({ db, primary, now, config }, { feed }, { secret }) {
      if (!feed) return retiredFeed(primary, config, { secret, now });
      return liveFeed(primary, feed, { secret, now, filename: 'my-events' }, async () => {
        const events = await readFrom({ db, primary }, async (from) => {
          if (from !== primary)
            await requireVersion(feed, queries.personalFeed(from, { ...anybody, secret }));
          return queries.eventsOfUser(from, feed.user_id, now);
        });
        const name = `My ${config.productName} events`;
        const metadata = { name, page: '/app', source: personalFeedPath(secret) };
        return { body: render(config, metadata, events), until: showsUntil(events) };
      });
    },
  }),

  async oneEvent({ db, user, config }, { event: ref }) {
    const { is_member, ...event } = (await queries.oneEvent(db, user.id, ref)) ?? fail('not_found');
    if (!is_member && !config.eventPreview) fail('not_found');
    if (event.polling && !event.deleted_at) fail('time_open');
    const shown = is_member
      ? event
      : { ...withoutMemberFields(event), moved_from: null, answer: undefined, guests: 0 };
    return { filename: `${event.slug}.ics`, body: eventFile(config, shown) };
  },

  fetches: ({ db, user }) => queries.fetchesOf(db, user.id),

  async choose({ db, user, config, now }, { invites_by_mail, confirmed }) {
    if (invites_by_mail) {
      if (!config.calendarOrganizer) fail('bad_input');
      if ((await queries.usesFeed(db, user.id, now)) && !confirmed) fail('feed_in_use');
    }
    await updateUser(db, user.id, { invites_by_mail });
    return { invites_by_mail };
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

const anybody = { access: null, clockOffset: 0 };

/** A replica only moves forward, so what is read after this check is not older than the version of the primary. */
async function requireVersion(
  { version }: queries.OwnedFeed,
  found: Promise<{ feed?: queries.OwnedFeed }>,
): Promise<void> {
  if ((await found).feed?.version !== version) throw new Error(outdated);
}

type Config = Context['config'];

const render = (
  { productName, publicUrl }: Config,
  metadata: Pick<Feed, 'name' | 'page' | 'source'>,
  events: readonly CalendarEvent[],
) => iCalendar({ ...metadata, productName, publicUrl }, events);

/** What a retired feed URL serves. The content never changes. */
async function retiredFeed(
  db: Db,
  { productName }: Config,
  address: queries.RetiredAddress,
): Promise<CachedDocument> {
  const { user_id, ...feed } = (await queries.retiredFeed(db, address)) ?? fail('not_found');
  const make = async () => ({ body: bareCancellations(productName, feed), until: retiredUntil(feed) });
  return cachedFeed(db, { user_id, version: 'retired' }, { ...address, filename: 'calendar' }, make);
}

/** A feed whose fetches by calendar apps are remembered. */
const liveFeed = (
  db: Db,
  feed: queries.OwnedFeed,
  request: FeedRequest,
  make: CachedDocument['make'],
): CachedDocument => ({
  ...cachedFeed(db, feed, request, make),
  served({ accept = '', 'user-agent': userAgent = '' }) {
    const { secret, now: fetched_at } = request;
    if (!isBrowser(accept)) store.rememberFetch(db, { secret, app: appOf(userAgent), fetched_at });
  },
});

interface FeedRequest {
  secret: string;
  now: Instant;
  filename: string;
}

/** A feed that counts towards its owner's rate limit and is only rendered again when its version changes. */
function cachedFeed(
  db: Db,
  { user_id, version }: { user_id: string; version: string },
  { secret, now, filename }: FeedRequest,
  make: CachedDocument['make'],
): CachedDocument {
  const key = digest(secret).toString('base64url');
  const count = () => countFeed(db)(`${user_id}:${key}`, now);
  return { filename: `${filename}.ics`, key, version, now, make, count };
}
