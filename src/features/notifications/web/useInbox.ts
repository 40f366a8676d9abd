import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { queries, queryClient } from '#web/queries.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { instant, type Instant } from '#wire/instant.ts';

type List = readonly Notification[];

export const unseenIn = (list: List): Notification[] => list.filter(({ seen_at }) => !seen_at);

/** A new one stands first; one that is there already changes nothing. */
export const withNew = (list: List, one: Notification): List =>
  list.some(({ id }) => id === one.id) ? list : [one, ...list];

/** The first time counts. */
export const withAllSeen = (list: List, now: Instant): List =>
  list.map((one) => ({ ...one, seen_at: one.seen_at ?? now }));

export const withActioned = (list: List, id: string, now: Instant): List =>
  list.map((one) => (one.id === id ? { ...one, actioned_at: one.actioned_at ?? now } : one));

export const without = (list: List, id: string): List => list.filter((one) => one.id !== id);

/** What was marked here stays marked, though the server may not have heard of it when it made this list. */
export function withTimestampsOf(known: List, list: List): Notification[] {
  const before = new Map(known.map((one) => [one.id, one]));
  return list.map((one) => ({
    ...one,
    seen_at: one.seen_at ?? before.get(one.id)?.seen_at ?? null,
    actioned_at: one.actioned_at ?? before.get(one.id)?.actioned_at ?? null,
  }));
}

/** Where a click on it leads, if anywhere. */
export const pathOf = ({ metadata: { club_slug, event_slug } }: Notification): string | undefined => {
  if (club_slug) return `/app/clubs/${club_slug}`;
  return event_slug && `/app/events/${event_slug}`;
};

const inbox = queryOptions({
  ...queries.notifications(),
  structuralSharing: (known, list) => withTimestampsOf((known ?? []) as List, list as List),
});
const { queryKey } = inbox;
const now = () => instant(Date.now());

/** Nobody is bothered with what goes wrong here. */
const logged = (what: string) => (failure: unknown) => console.warn(what, failure);

export const reload = (): Promise<void> => queryClient.invalidateQueries({ queryKey });

function change(to: (list: List) => List): void {
  queryClient.setQueryData(queryKey, (list) => list && [...to(list)]);
}

/** As `change`, for what a list that is on its way may not know: that is asked for again. */
function changeForGood(to: (list: List) => List): void {
  change(to);
  if (queryClient.isFetching({ queryKey }) || !queryClient.getQueryData(queryKey)) void reload();
}

/** Takes in what has just come. Whether it is new. */
export function receive(one: Notification): boolean {
  if (queryClient.getQueryData(queryKey)?.some(({ id }) => id === one.id)) return false;
  changeForGood((list) => withNew(list, one));
  return true;
}

/** Marks everything as seen. What was not before. */
function seeAll(): Notification[] {
  const unseen = unseenIn(queryClient.getQueryData(queryKey) ?? []);
  if (unseen.length > 0) change((list) => withAllSeen(list, now()));
  for (const { id } of unseen)
    api.notifications.seen({ id }).catch(logged('A notification could not be marked as seen.'));
  return unseen;
}

/** Marks it as acted upon. Where it leads, its link goes meanwhile. */
export function act({ id }: Notification): void {
  change((list) => withActioned(list, id, now()));
  api.notifications.actioned({ id }).catch(logged('A notification could not be marked as actioned.'));
}

/** What could not be deleted stays. */
export const remove = ({ id }: Notification): Promise<void> =>
  api.notifications
    .remove({ id })
    .then(() => changeForGood((list) => without(list, id)))
    .catch(logged('A notification could not be deleted.'));

export async function clear(): Promise<void> {
  await api.notifications.clear({});
  changeForGood(() => []);
}

export interface Inbox {
  notifications: List;
  unseen: number;
  /** Nothing is known yet. */
  loading: boolean;
  /** The last loading failed. */
  failed: boolean;
  /** It is being loaded, perhaps again. */
  fetching: boolean;
}

/** The notifications of the user, newest first. */
export function useInbox(): Inbox {
  const { data = [], isPending, isFetching, error } = useQuery(inbox);
  useEffect(() => {
    if (error) logged('The notifications could not be loaded.')(error);
  }, [error]);
  return {
    notifications: data,
    unseen: unseenIn(data).length,
    loading: isPending,
    failed: error !== null,
    fetching: isFetching,
  };
}

/**
 * Marks as seen what stands in the list when it is first shown, also what its first loading brings. The ids of those
 * that were new then, so that they stay highlighted as long as they are shown.
 */
export function useSeen({ loading, fetching }: Inbox): ReadonlySet<string> {
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const done = useRef(false);
  useEffect(() => {
    if (loading || done.current) return;
    done.current = !fetching;
    const ids = seeAll().map(({ id }) => id);
    setFresh((before) => before.union(new Set(ids)));
  }, [loading, fetching]);
  return fresh;
}
