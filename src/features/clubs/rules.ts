import type { Instant } from '#wire/instant.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { EventCard } from '#features/events/contract.ts';

/** The `href` of a website; without a scheme it gets https. */
export const websiteHref = (website: string): string =>
  /^https?:/i.test(website) ? website : `https://${website}`;

/** A website as displayed, without its scheme. */
export const websiteText = (website: string): string => website.replace(/^https?:(\/\/)?/i, '');

/**
 * Normalises a website URL; undefined if it is invalid. Only http and https URLs with a dotted host name and without
 * credentials are accepted, so that a link cannot run a script or disguise its destination.
 */
export function websiteFrom(input: string): string | undefined {
  const url = URL.parse(websiteHref(input));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || !url.hostname.includes('.') || url.username || url.password) return undefined;
  const isBare = url.pathname === '/' && !url.search && !url.hash;
  return isBare ? url.origin : url.href;
}

/** Users who are an admin of this many clubs cannot create another one. */
export const maxClubs = 50;

/** The times of the events on a club page. */
export type PageOutline = readonly Pick<EventCard, 'id' | 'start_time' | 'end_time'>[];

/** The viewer fields of a club page. */
type Membership = Pick<Club, 'ical_feed_url_id' | 'my_club_role'>;
type ViewerEventFields = Pick<EventCard, 'my_role' | 'conflicting_events'>;

/** Matches the blanked viewer fields in the JSON of a page: first those of the membership, then those of each event. */
export const viewerFieldPattern =
  /"ical_feed_url_id":"","my_club_role":0|"my_role":null,"conflicting_events":\[\]/g;

const noMembership: Membership = { ical_feed_url_id: '', my_club_role: 0 };
const noEventFields: ViewerEventFields = { my_role: null, conflicting_events: [] };

/** The page with its viewer fields blanked. */
export const withoutViewerFields = (page: Club): Club => ({
  ...page,
  ...noMembership,
  events: page.events.map((event) => ({ ...event, ...noEventFields })),
});

/** The JSON of each group of viewer fields; undefined where the blank value is correct. */
export function viewerFieldValues(
  { ical_feed_url_id, my_club_role }: Membership,
  events: readonly ViewerEventFields[],
): (string | undefined)[] {
  const membership = serializedFields({ ical_feed_url_id, my_club_role });
  return [
    membership,
    ...events.map(({ my_role, conflicting_events }) =>
      my_role === null && conflicting_events.length === 0
        ? undefined
        : serializedFields({ my_role, conflicting_events }),
    ),
  ];
}

const serializedFields = (fields: Membership | ViewerEventFields) => JSON.stringify(fields).slice(1, -1);

/** The interval in which the page stays the same unless its data changes: between two starts or ends of its events. */
export function validityOf(outline: PageOutline, now: Instant): { from: Instant; until: Instant } {
  const boundaries = outline.flatMap(({ start_time, end_time }) => [start_time, end_time]);
  const [past, coming] = [boundaries.filter((time) => time <= now), boundaries.filter((time) => time > now)];
  return { from: latest(past) ?? '0001', until: earliest(coming) ?? '9999' };
}

const latest = (times: readonly Instant[]) => times.toSorted().at(-1);
const earliest = (times: readonly Instant[]) => times.toSorted()[0];
