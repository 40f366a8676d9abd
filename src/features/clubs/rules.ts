import type { Instant } from '#wire/instant.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { EventCard } from '#features/events/contract.ts';

/** The address behind a website's link: those that were typed without a scheme get the secure one. */
export const websiteHref = (website: string): string =>
  /^https?:/i.test(website) ? website : `https://${website}`;

/** A website as it is shown. */
export const websiteText = (website: string): string => website.replace(/^https?:(\/\/)?/i, '');

/**
 * The form in which the address of a website is kept; undefined when it is none. Only http and https with a public
 * name pass, so that no link of a club can run a script or show one place and lead to another.
 */
export function websiteFrom(typed: string): string | undefined {
  const url = URL.parse(websiteHref(typed));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || !url.hostname.includes('.') || url.username || url.password) return undefined;
  const isBare = url.pathname === '/' && !url.search && !url.hash;
  return isBare ? url.origin : url.href;
}

/** How many clubs one person can be an admin of and found another. */
export const maxClubs = 50;

/** When each event on the page of a club is. */
export type PageOutline = readonly Pick<EventCard, 'id' | 'start_time' | 'end_time'>[];

/** What on the page of a club is one member's own. */
type Membership = Pick<Club, 'ical_feed_url_id' | 'my_club_role'>;
type ViewerEventFields = Pick<EventCard, 'my_role' | 'conflicting_events'>;

/** Where these stand in the JSON of a page: first those of the seat, then once for each event. */
export const viewerFieldPattern =
  /"ical_feed_url_id":"","my_club_role":0|"my_role":null,"conflicting_events":\[\]/g;

const noMembership: Membership = { ical_feed_url_id: '', my_club_role: 0 };
const noEventFields: ViewerEventFields = { my_role: null, conflicting_events: [] };

/** The page as it is for everybody. */
export const withoutViewerFields = (page: Club): Club => ({
  ...page,
  ...noMembership,
  events: page.events.map((event) => ({ ...event, ...noEventFields })),
});

/** What stands in these places for a viewer; undefined where nothing of theirs does. */
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

const serializedFields = (part: Membership | ViewerEventFields) => JSON.stringify(part).slice(1, -1);

/** Which moments see a page as it is now: until the next of its events begins or ends, it changes only if something is changed. */
export function validityOf(outline: PageOutline, now: Instant): { from: Instant; until: Instant } {
  const turns = outline.flatMap(({ start_time, end_time }) => [start_time, end_time]);
  const [past, coming] = [turns.filter((turn) => turn <= now), turns.filter((turn) => turn > now)];
  return { from: latest(past) ?? '0001', until: earliest(coming) ?? '9999' };
}

const latest = (times: readonly Instant[]) => times.toSorted().at(-1);
const earliest = (times: readonly Instant[]) => times.toSorted()[0];
