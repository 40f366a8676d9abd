import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { EventCard, Phase } from '#features/events/contract.ts';
import { Failure } from '#wire/client.ts';
import { api } from './api.ts';

/** A refusal stays a refusal, and without a network nothing gets better; only what broke is worth a second try. */
const retry = (tries: number, error: Error) =>
  tries < 1 && navigator.onLine && !(error instanceof Failure && error.status >= 400 && error.status < 500);

export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network a question or a deed fails at once and says so, instead of waiting for one.
    queries: {
      staleTime: 3_000,
      gcTime: 15 * 60_000,
      retry,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});

/** The specification reads a 500 of the two event lists as an empty list. */
const emptyWhenBroken = (failure: unknown): EventCard[] => {
  if (failure instanceof Failure && failure.status === 500) return [];
  throw failure;
};

const nullWhenMissing = (failure: unknown): null => {
  if (failure instanceof Failure && failure.status === 404) return null;
  throw failure;
};

/** Everything the screens read, by name. `slug` may be an id as well. */
export const queries = {
  user: () => queryOptions({ queryKey: ['user'], queryFn: () => api.users.me({}) }),
  attending: () =>
    queryOptions({
      queryKey: ['attending'],
      queryFn: () => api.events.attending({}).catch(emptyWhenBroken),
    }),
  ofMyClubs: () =>
    queryOptions({
      queryKey: ['ofMyClubs'],
      queryFn: () => api.events.ofMyClubs({}).catch(emptyWhenBroken),
    }),
  club: (slug: string) =>
    queryOptions({ queryKey: ['club', slug], queryFn: () => api.clubs.get({ club: slug }) }),
  /** The events and the members that the page of a club has no room for. */
  moreEvents: (slug: string, phase: Phase, from: string) =>
    infiniteQueryOptions({
      queryKey: ['club', slug, phase, from],
      queryFn: ({ pageParam }) => api.events.ofClub({ club: slug, phase, after: pageParam }),
      initialPageParam: from,
      getNextPageParam: ({ more }) => more,
    }),
  moreMembers: (slug: string, from: string) =>
    infiniteQueryOptions({
      queryKey: ['club', slug, 'members', from],
      queryFn: ({ pageParam }) => api.members.ofClub({ club: slug, after: pageParam }),
      initialPageParam: from,
      getNextPageParam: ({ more }) => more,
    }),
  membersForAdmin: (slug: string, q: string) =>
    infiniteQueryOptions({
      queryKey: ['membersForAdmin', slug, q],
      queryFn: async ({ pageParam }) => {
        if (q || pageParam) return api.members.forAdmin({ club: slug, q, after: pageParam });
        const club = await api.clubs.getForAdmin({ club: slug });
        return { members: club.members_for_admin, more: club.more_members_for_admin };
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ more }) => more,
    }),
  event: (slug: string) =>
    queryOptions({ queryKey: ['event', slug], queryFn: () => api.events.get({ event: slug }) }),
  updates: (slug: string) =>
    queryOptions({ queryKey: ['updates', slug], queryFn: () => api.updates.ofClub({ club: slug }) }),
  /** `null`: the link is unknown, over or deleted. */
  invite: (token: string) =>
    queryOptions({
      queryKey: ['invite', token],
      queryFn: () => api.invites.get({ invite: token }).catch(nullWhenMissing),
    }),
  /** `null`: the club has no link at the moment. */
  inviteLink: (slug: string) =>
    queryOptions({
      queryKey: ['inviteLink', slug],
      queryFn: () => api.invites.ofClub({ club: slug }).catch(nullWhenMissing),
    }),
  notifications: () =>
    queryOptions({ queryKey: ['notifications'], queryFn: () => api.notifications.list({}) }),
  notificationSettings: () =>
    queryOptions({ queryKey: ['notificationSettings'], queryFn: () => api.notifications.settings({}) }),
  sessions: () => queryOptions({ queryKey: ['sessions'], queryFn: () => api.auth.sessions({}) }),
  deletion: () => queryOptions({ queryKey: ['deletion'], queryFn: () => api.account.deletion({}) }),
  search: (q: string) => queryOptions({ queryKey: ['search', q], queryFn: () => api.search.find({ q }) }),
};

/** Loads the user again, after a deed that changes them or their clubs. */
export const refreshUser = () => queryClient.invalidateQueries(queries.user());
