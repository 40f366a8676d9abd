import type { ComponentType } from 'react';
import { matchPath } from 'react-router';
import type { Club } from '#features/clubs/contract.ts';
import ClubPage from '#features/clubs/web/ClubPage.tsx';
import { lazyClubPartsFor } from '#features/clubs/web/LazyClubParts.tsx';
import { contracts } from '#features/contracts.ts';
import type { Event } from '#features/events/contract.ts';
import EventPage from '#features/events/pages/web/EventPage.tsx';
import { lazyEventPartsFor } from '#features/events/pages/web/LazyEventParts.tsx';
import MembersPage from '#features/members/web/MembersPage.tsx';
import type { User } from '#features/users/contract.ts';
import { queries } from '#web/queries.ts';
import type { Endpoint } from '#wire/endpoint.ts';
import HomePage from './pages/HomePage.tsx';

/** An API call whose response a screen is rendered from. Its lists contain only the rows that are shown at first. */
export interface ScreenCall {
  endpoint: Endpoint;
  params: Record<string, string>;
  queryKey: readonly unknown[];
  /** Whether the query is infinite, so that the response is its first page. */
  isFirstPage?: boolean;
}

/** A screen of the app that the server renders with its data. */
export interface Screen {
  path: string;
  Component: ComponentType;
  /** The source file of the component, relative to src/app/web: its chunks are preloaded. */
  file: string;
  calls(slug: string): ScreenCall[];
  /** The source files of further parts that the viewer needs at first, given the responses to the calls. */
  partsFor?(data: readonly unknown[]): string[];
}

const clubCall = (club: string): ScreenCall => ({
  endpoint: contracts.clubs.get,
  params: { club },
  queryKey: queries.club(club).queryKey,
});
const sectionsCall = (club: string): ScreenCall => ({
  endpoint: contracts.sections.ofClub,
  params: { club },
  queryKey: queries.sections(club).queryKey,
});
const user: ScreenCall = { endpoint: contracts.users.me, params: {}, queryKey: queries.user().queryKey };

export const screens: readonly Screen[] = [
  {
    path: '/app',
    Component: HomePage,
    file: 'pages/HomePage.tsx',
    calls: () => [
      user,
      { endpoint: contracts.events.attending, params: {}, queryKey: queries.attending().queryKey },
      { endpoint: contracts.events.ofMyClubs, params: {}, queryKey: queries.ofMyClubs().queryKey },
    ],
  },
  {
    path: '/app/clubs/:slug',
    Component: ClubPage,
    file: '../../features/clubs/web/ClubPage.tsx',
    calls: (club) => [user, clubCall(club)],
    partsFor: ([, club]) => lazyClubPartsFor(club as Club).map(({ file }) => file),
  },
  {
    path: '/app/clubs/:slug/members',
    Component: MembersPage,
    file: '../../features/members/web/MembersPage.tsx',
    calls: (club) => [
      user,
      clubCall(club),
      {
        endpoint: contracts.members.forAdmin,
        params: { club, q: '' },
        queryKey: queries.membersForAdmin(club, '').queryKey,
        isFirstPage: true,
      },
      sectionsCall(club),
    ],
  },
  {
    path: '/app/events/:slug',
    Component: EventPage,
    file: '../../features/events/pages/web/EventPage.tsx',
    calls: (event) => [
      user,
      { endpoint: contracts.events.get, params: { event }, queryKey: queries.event(event).queryKey },
    ],
    partsFor: ([viewer, event]) => lazyEventPartsFor(event as Event, viewer as User).map(({ file }) => file),
  },
];

/** The screen at a path and its calls; `undefined` if the server does not render that path. The path may have a query. */
export function screenAt(
  path: string,
): (Pick<Screen, 'file' | 'partsFor'> & { calls: ScreenCall[] }) | undefined {
  const [pathname = ''] = path.split('?');
  for (const { path: pattern, calls, ...screen } of screens) {
    const match = matchPath(pattern, pathname);
    if (match) return { ...screen, calls: calls(match.params['slug'] ?? '') };
  }
  return undefined;
}
