import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { LoadedClub } from '#features/clubs/contract.ts';
import type { EventCard, Phase } from '#features/events/contract.ts';
import { Failure, NetworkFailure } from '#wire/client.ts';
import type { Instant } from '#wire/instant.ts';
import { api } from './api.ts';

/** Retries once, and only server and network errors while online: a 4xx response would be the same again. */
const retry = (failureCount: number, error: Error) =>
  failureCount < 1 &&
  navigator.onLine &&
  !(error instanceof Failure && error.status >= 400 && error.status < 500);

export const queryClient = new QueryClient({
  defaultOptions: {
    // Offline, queries and mutations fail at once instead of pausing until the network is back.
    queries: {
      staleTime: 3_000,
      gcTime: 15 * 60_000,
      retry,
      networkMode: 'always',
      refetchOnReconnect: true,
      // On a Wi-Fi network without internet access, no event says when the server is reachable again, so poll it.
      refetchInterval: ({ state }) => state.error instanceof NetworkFailure && 10_000,
    },
    mutations: { networkMode: 'always' },
  },
});

/** The specification treats a 500 of the two event lists as an empty list. Without a response, the old list stays. */
const emptyOn500 = (failure: unknown): EventCard[] => {
  if (failure instanceof Failure && failure.status === 500 && !(failure instanceof NetworkFailure)) return [];
  throw failure;
};

const nullOn404 = (failure: unknown): null => {
  if (failure instanceof Failure && failure.status === 404) return null;
  throw failure;
};

/** All queries of the app. `slug` may also be an id. */
export const queries = {
  user: () => queryOptions({ queryKey: ['user'], queryFn: () => api.users.me({}) }),
  attending: () =>
    queryOptions({
      queryKey: ['attending'],
      queryFn: () => api.events.attending({}).catch(emptyOn500),
    }),
  ofMyClubs: () =>
    queryOptions({
      queryKey: ['ofMyClubs'],
      queryFn: () => api.events.ofMyClubs({}).catch(emptyOn500),
    }),
  club: (slug: string) =>
    queryOptions({
      queryKey: ['club', slug],
      queryFn: (): Promise<LoadedClub> => api.clubs.get({ club: slug }),
    }),
  /** Events and members beyond the first page. The club response contains that page. */
  moreEvents: (slug: string, phase: Phase, from: string) =>
    infiniteQueryOptions({
      queryKey: ['club', slug, phase, from],
      queryFn: ({ pageParam }) => api.events.ofClub({ club: slug, phase, after: pageParam }),
      initialPageParam: from,
      getNextPageParam: ({ more }) => more,
    }),
  /** Events to which the user has answered that they come or may come. */
  ownEventsOfClub: (slug: string, phase: Phase) =>
    infiniteQueryOptions({
      queryKey: ['club', slug, phase, 'mine'],
      queryFn: ({ pageParam }) => api.events.ofClub({ club: slug, phase, whose: 'mine', after: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ more }) => more,
    }),
  eventsOfPeriod: (slug: string, period: { from: Instant; until: Instant }, whose: 'all' | 'mine') =>
    infiniteQueryOptions({
      queryKey: ['club', slug, 'period', period, whose],
      queryFn: ({ pageParam }) => api.events.ofClub({ club: slug, ...period, whose, after: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ more }) => more,
    }),
  foundMembers: (slug: string, q: string, section?: string) =>
    infiniteQueryOptions({
      queryKey: ['club', slug, 'members', 'found', q, section],
      queryFn: ({ pageParam }) => api.members.ofClub({ club: slug, q, section, after: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ more }) => more,
    }),
  moreMembers: (slug: string, from: string) =>
    infiniteQueryOptions({
      queryKey: ['club', slug, 'members', from],
      queryFn: ({ pageParam }) => api.members.ofClub({ club: slug, after: pageParam }),
      initialPageParam: from,
      getNextPageParam: ({ more }) => more,
    }),
  membersForAdmin: (slug: string, q: string, section?: string) =>
    infiniteQueryOptions({
      queryKey: ['membersForAdmin', slug, q, ...(section ? [section] : [])],
      queryFn: ({ pageParam }) => api.members.forAdmin({ club: slug, q, section, after: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ more }) => more,
    }),
  sections: (club: string) =>
    queryOptions({ queryKey: ['sections', club], queryFn: () => api.sections.ofClub({ club }) }),
  log: (slug: string) =>
    infiniteQueryOptions({
      queryKey: ['log', slug],
      queryFn: ({ pageParam }) => api.members.log({ club: slug, after: pageParam }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ more }) => more,
    }),
  /** People of an event and voters of its times beyond the first page. The event response contains that page. */
  morePeople: (slug: string, answer: 'going' | 'waiting' | 'maybe', from: string) =>
    infiniteQueryOptions({
      queryKey: ['people', slug, answer, from],
      queryFn: ({ pageParam }) => api.answers.people({ event: slug, answer, after: pageParam }),
      initialPageParam: from,
      getNextPageParam: ({ more }) => more,
    }),
  moreVoters: (slug: string, time: string, from: string) =>
    infiniteQueryOptions({
      queryKey: ['voters', slug, time, from],
      queryFn: ({ pageParam }) => api.polls.voters({ event: slug, time, after: pageParam }),
      initialPageParam: from,
      getNextPageParam: ({ more }) => more,
    }),
  event: (slug: string) =>
    queryOptions({ queryKey: ['event', slug], queryFn: () => api.events.get({ event: slug }) }),
  series: (slug: string) =>
    queryOptions({ queryKey: ['series', slug], queryFn: () => api.series.get({ series: slug }) }),
  breaks: (club: string) =>
    queryOptions({ queryKey: ['breaks', club], queryFn: () => api.series.breaks({ club }) }),
  updates: (slug: string) =>
    queryOptions({ queryKey: ['updates', slug], queryFn: () => api.updates.ofClub({ club: slug }) }),
  /** `null` if the link is unknown, expired or deleted. */
  invite: (token: string) =>
    queryOptions({
      queryKey: ['invite', token],
      queryFn: () => api.invites.get({ invite: token }).catch(nullOn404),
    }),
  /** `null` if the club has no link. */
  inviteLink: (slug: string) =>
    queryOptions({
      queryKey: ['inviteLink', slug],
      queryFn: () => api.invites.ofClub({ club: slug }).catch(nullOn404),
    }),
  notifications: () =>
    queryOptions({ queryKey: ['notifications'], queryFn: () => api.notifications.list({}) }),
  notificationSettings: () =>
    queryOptions({ queryKey: ['notificationSettings'], queryFn: () => api.notifications.settings({}) }),
  absences: () => queryOptions({ queryKey: ['absences'], queryFn: () => api.absences.list({}) }),
  sessions: () => queryOptions({ queryKey: ['sessions'], queryFn: () => api.auth.sessions({}) }),
  deletion: () => queryOptions({ queryKey: ['deletion'], queryFn: () => api.account.deletion({}) }),
  search: (q: string, club?: string) =>
    queryOptions({
      queryKey: ['search', q, club],
      queryFn: () => api.search.find({ q, ...(club && { club }) }),
    }),
};

/** Added to the options of a query, fetches current data or fails at once. */
export const current = { staleTime: 0, retry: false } as const;

/** Refetches the user after a mutation of the profile or of memberships. */
export const refreshUser = () => queryClient.invalidateQueries(queries.user());
