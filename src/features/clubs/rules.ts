import type { Instant } from '#wire/instant.ts';
import type { AttendeeRole, EventCard } from '#features/events/contract.ts';
import { overlaps } from '#features/events/rules.ts';
import type { ClubRole } from '#features/users/contract.ts';

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
export const mostClubs = 50;

/** Something that a member signed up for, in any of their clubs, cancelled or not. */
interface PlannedEvent {
  id: string;
  slug: string;
  name: string;
  role: AttendeeRole;
  start_time: Instant;
  end_time: Instant;
  takes_place: boolean;
}

/** What on the page of a club is one member's own. The plans stand in the order of their start. */
export interface Viewer {
  calendar_secret: string;
  club_role: ClubRole;
  plans: readonly PlannedEvent[];
}

/** When each event on the page of a club is. */
export type Outline = readonly Pick<EventCard, 'id' | 'start_time' | 'end_time'>[];

/** Where, in the JSON of a page without a viewer, that which is a viewer's own is missing: first the secret and the role, then once for each event. */
export const ownPlaces = /"ical_feed_url_id":"","my_club_role":0|"my_role":null,"conflicting_events":\[\]/g;

/** What stands there for a viewer; undefined where nothing of theirs does. */
export function ownParts(
  { calendar_secret, club_role, plans }: Viewer,
  outline: Outline,
): (string | undefined)[] {
  const roles = new Map(plans.map(({ id, role }) => [id, role]));
  const firm = plans.filter(({ takes_place }) => takes_place);
  const ofEvent = (event: Outline[number]) => {
    const role = roles.get(event.id) ?? null;
    const conflicts = firm
      .filter((plan) => plan.id !== event.id && overlaps(plan, event))
      .map(({ slug, name }) => ({ slug, name }));
    if (role === null && conflicts.length === 0) return undefined;
    return `"my_role":${JSON.stringify(role)},"conflicting_events":${JSON.stringify(conflicts)}`;
  };
  const seat = `"ical_feed_url_id":${JSON.stringify(calendar_secret)},"my_club_role":${club_role}`;
  return [seat, ...outline.map(ofEvent)];
}

/** Which moments see a page as it is now: until the next of its events begins or ends, it changes only if something is changed. */
export function timesOf(outline: Outline, now: Instant): { from: Instant; until: Instant } {
  const turns = outline.flatMap(({ start_time, end_time }) => [start_time, end_time]);
  const [past, coming] = [turns.filter((turn) => turn <= now), turns.filter((turn) => turn > now)];
  return { from: latest(past) ?? '0001', until: earliest(coming) ?? '9999' };
}

const latest = (times: readonly Instant[]) => times.toSorted().at(-1);
const earliest = (times: readonly Instant[]) => times.toSorted()[0];
