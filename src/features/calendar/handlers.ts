import { perDatabase, type Db } from '#platform/db/client.ts';
import type { Versioned } from '#platform/db/versioned.ts';
import { toLook, type StoredLook } from '#platform/db/look.ts';
import { encodeDocument, type CachedDocument } from '#platform/http/document.ts';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { counter, limit } from '#platform/http/rate-limit.ts';
import { shared } from '#platform/http/shared.ts';
import { enqueueEmail } from '#platform/mail/mailer.ts';
import { emailIn } from '#platform/mail/message.ts';
import { digest } from '#platform/token.ts';
import type { Instant } from '#wire/instant.ts';
import { fail } from '#wire/errors.ts';
import { inLook } from '#wire/look.ts';
import { updateUser } from '#features/auth/store.ts';
import type { calendar } from '#features/calendar/contract.ts';
import { t } from '#features/calendar/feed-messages.ts';
import { feedLinkEmail } from '#features/calendar/mail.ts';
import {
  appOf,
  bareCancellations,
  clubFeedPath,
  eventFile,
  iCalendar,
  isBrowser,
  personalFeedPath,
  previewOf,
  retiredUntil,
  showsUntil,
  type Feed,
} from '#features/calendar/rules.ts';
import * as queries from '#features/calendar/queries.ts';
import * as store from '#features/calendar/store.ts';
import { asMember, lockClub } from '#features/members/store.ts';

/** The limit is high because calendar providers fetch from many servers. A 304 or an unknown secret does not count. */
const countFeed = perDatabase((db) => counter(db, { what: 'feed', max: 600, seconds: 60 * 60 }));

export const handlers: Handlers<typeof calendar> = {
  async clubFeed({ db, config, clockOffset }, { club, secret }) {
    const { now, feed } = await queries.clubFeed(db, { club, secret, clockOffset });
    if (!feed) return retiredFeed(db, config, { secret, club, now });
    const { club_name: name, slug, club_id } = feed;
    const metadata = { name, page: `/app/clubs/${slug}`, source: clubFeedPath(club_id, secret) };
    return liveFeed(db, feed, { secret, now, filename: slug }, async () =>
      render(config, feed, metadata, await queries.eventsOfClub(db, feed, now)),
    );
  },

  async personalFeed({ db, config, clockOffset }, { secret }) {
    const { now, feed } = await queries.personalFeed(db, { secret, clockOffset });
    if (!feed) return retiredFeed(db, config, { secret, now });
    const name = inLook(toLook(feed.look), () => t('myEvents', config));
    const metadata = { name, page: '/app', source: personalFeedPath(secret) };
    return liveFeed(db, feed, { secret, now, filename: 'my-events' }, async () =>
      render(config, feed, metadata, await queries.eventsOfUser(db, feed.user_id, now)),
    );
  },

  async oneEvent({ db, user, config }, { event: ref }) {
    const event = (await queries.oneEvent(db, user.id, ref)) ?? fail('not_found');
    const is_member = user.memberships.has(event.owner_club_id);
    if (!is_member && !config.eventPreview) fail('not_found');
    if (event.polling && !event.deleted_at) fail('time_open');
    const body = inLook(toLook(event.look), () => eventFile(config, is_member ? event : previewOf(event)));
    return { filename: `${event.slug}.ics`, body };
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

  async emailLink({ db, user, now, config }, { club_id }) {
    await limit(db, `calendar-link:${user.id}`, { max: 5, seconds: 60 * 60, now });
    const club = club_id && (await asMember(db, user, club_id)).club_id;
    const { email, look, ...feed } = (await queries.feedToEmail(db, user.id, club)) ?? fail('not_found');
    const words = emailIn(toLook(look), () => feedLinkEmail(config, { club_id: club, ...feed }));
    await enqueueEmail(db, { to: email, about: user.id, words });
    return null;
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

/** The version of a feed in the look of its owner. Looks change the texts without changing the events. */
const versionIn = ({ language, clock, timeZone }: StoredLook, version: string): string =>
  [version, language, clock, timeZone].join(' ');

const render = (
  { productName, publicUrl }: Config,
  { look }: queries.OwnedFeed,
  metadata: Pick<Feed, 'name' | 'page' | 'source'>,
  { version, events }: queries.FeedEvents,
): Versioned<string> => ({
  value: inLook(toLook(look), () => iCalendar({ ...metadata, productName, publicUrl }, events)),
  version: versionIn(look, version),
  until: showsUntil(events),
});

/** The response of a retired feed URL. Its content changes only with the language of its former owner. */
async function retiredFeed(
  db: Db,
  { productName }: Config,
  address: queries.RetiredAddress,
): Promise<CachedDocument> {
  const { user_id, look, ...feed } = (await queries.retiredFeed(db, address)) ?? fail('not_found');
  const version = 'retired';
  const load = async () => ({
    value: inLook(toLook(look), () => bareCancellations(productName, feed)),
    version: versionIn(look, version),
    until: retiredUntil(feed),
  });
  return cachedFeed(db, { user_id, look, version }, { ...address, filename: 'calendar' }, load);
}

/** Serves a feed and records the fetches by calendar apps. */
const liveFeed = async (
  db: Db,
  feed: queries.OwnedFeed,
  request: FeedRequest,
  load: LoadFeed,
): Promise<CachedDocument> => ({
  ...(await cachedFeed(db, feed, request, load)),
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

/** Reads the events of a feed and their version, and renders them. */
type LoadFeed = () => Promise<Versioned<string>>;

const feedFile = shared(
  (_db, { load }: { id: string; version: string; load: LoadFeed }) => load(),
  encodeDocument,
);

/**
 * Serves a feed, and counts a full response towards the feed's rate limit. Renders the feed again only when its version
 * or the look of its owner changes.
 */
async function cachedFeed(
  db: Db,
  { user_id, look, version }: queries.OwnedFeed,
  { secret, now, filename }: FeedRequest,
  load: LoadFeed,
): Promise<CachedDocument> {
  const id = digest(secret).toString('base64url');
  const count = () => countFeed(db)(`${user_id}:${id}`, now);
  return {
    ...(await feedFile(db, { id, version: versionIn(look, version), load }, now)),
    filename: `${filename}.ics`,
    count,
  };
}
