import { instant } from '#wire/instant.ts';
import type { Phase } from '#features/events/contract.ts';
import { foldSeries } from '#features/events/rules.ts';

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
  const url = parsed(websiteHref(input));
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || !url.hostname.includes('.') || url.username || url.password) return undefined;
  const isBare = url.pathname === '/' && !url.search && !url.hash;
  return isBare ? url.origin : url.href;
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/**
 * The number of rows of each phase on the club page before 'Show all'. A row is an event, or a series with all its
 * dates.
 */
export const firstRows = { upcoming: 10, in_progress: 10, previous: 4 } as const satisfies Record<
  Phase,
  number
>;

/** The events in the first rows of each phase: at most `max` rows in total, because no more fit the window. */
export function eventsAtFirst<Card extends Parameters<typeof foldSeries>[0][number]>(
  pages: Record<Phase, readonly Card[]>,
  max: number,
): Record<Phase, Card[]> {
  let left = max;
  const cut = (phase: Phase) => {
    const rows = foldSeries(pages[phase]).slice(0, Math.min(left, firstRows[phase]));
    left -= rows.length;
    return rows.flat();
  };
  // In the order of the page.
  return { in_progress: cut('in_progress'), upcoming: cut('upcoming'), previous: cut('previous') };
}

/** From this number of events on, a club page has a search and filters. */
export const manyEvents = 30;

/** Users who are an admin of this many clubs cannot create another one. */
export const maxClubs = 50;

/** Whether a text is a month of this century, such as '2026-12'. */
export const isMonth = (text: string): boolean => /^20\d\d-(0[1-9]|1[0-2])$/.test(text);

/** The month that is `by` months after another one: '2027-01' is one after '2026-12'. */
export const monthAfter = (month: string, by = 1): string =>
  instant(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1 + by)).slice(0, 7);

/** All months from the first to the last one, such as '2026-12'. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}
