import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '#web/api.ts';
import { queries, queryClient } from '#web/queries.ts';
import type { Notification } from '#features/notifications/contract.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { noticePath } from '#wire/notice-path.ts';
import { serverTime } from '#wire/server-time.ts';

type List = readonly Notification[];

export const unseenIn = (list: List): Notification[] => list.filter(({ seen_at }) => !seen_at);

/** Prepends a notification, unless it is already in the list. */
export const withNew = (list: List, notification: Notification): List =>
  list.some(({ id }) => id === notification.id) ? list : [notification, ...list];

/** Marks those with these ids as seen, and keeps existing timestamps. */
export const withSeen = (list: List, ids: readonly string[], now: Instant): List =>
  list.map((notification) =>
    ids.includes(notification.id) ? { ...notification, seen_at: notification.seen_at ?? now } : notification,
  );

export const withActioned = (list: List, id: string, now: Instant): List =>
  list.map((notification) =>
    notification.id === id ? { ...notification, actioned_at: notification.actioned_at ?? now } : notification,
  );

export const without = (list: List, id: string): List =>
  list.filter((notification) => notification.id !== id);

/** Keeps local timestamps that a refetched list does not contain yet. */
export function withTimestampsOf(oldList: List, list: List): Notification[] {
  const before = new Map(oldList.map((notification) => [notification.id, notification]));
  return list.map((notification) => ({
    ...notification,
    seen_at: notification.seen_at ?? before.get(notification.id)?.seen_at ?? null,
    actioned_at: notification.actioned_at ?? before.get(notification.id)?.actioned_at ?? null,
  }));
}

/** The path that a notification links to, if any. */
export const pathOf = ({ metadata }: Notification): string | undefined => noticePath(metadata);

const inbox = queryOptions({
  ...queries.notifications(),
  structuralSharing: (oldList, list) => withTimestampsOf((oldList ?? []) as List, list as List),
});
const { queryKey } = inbox;
const now = () => instant(serverTime());

/** Logs an error without showing it to the user. */
const logError = (message: string) => (failure: unknown) => console.warn(message, failure);

/**
 * Loads the list again. First waits for the initial request if it is in flight: its response may be outdated, and
 * invalidating the query before the response arrives would send no second request.
 */
export async function reload(): Promise<void> {
  if (!queryClient.getQueryData(queryKey) && queryClient.isFetching({ queryKey }))
    await queryClient.query(inbox).catch(() => {});
  await queryClient.invalidateQueries({ queryKey });
}

function updateCache(apply: (list: List) => List): void {
  queryClient.setQueryData(queryKey, (list) => list && [...apply(list)]);
}

/** Like `updateCache`, but refetches if a request is in flight, because the response may not include the change. */
function updateCacheAndRefetch(apply: (list: List) => List): void {
  updateCache(apply);
  if (queryClient.isFetching({ queryKey }) || !queryClient.getQueryData(queryKey)) void reload();
}

/**
 * Adds a live notification, or copies the timestamps that another window has set. Returns whether it is new to the
 * user.
 */
export function receive(notification: Notification): boolean {
  if (queryClient.getQueryData(queryKey)?.some(({ id }) => id === notification.id)) {
    updateCache((list) => withTimestampsOf([notification], list));
    return false;
  }
  updateCacheAndRefetch((list) => withNew(list, notification));
  return !notification.seen_at;
}

/** Marks all as seen, or those about one event. Returns the ids of those that were unseen before. */
function see(event: string | undefined): string[] {
  const unseen = unseenIn(queryClient.getQueryData(queryKey) ?? []);
  const ids = unseen
    .filter(({ metadata }) => event === undefined || metadata.event_slug === event)
    .map(({ id }) => id);
  if (ids.length > 0) updateCache((list) => withSeen(list, ids, now()));
  for (const id of ids)
    api.notifications.seen({ id }).catch(logError('A notification could not be marked as seen.'));
  return ids;
}

/** Marks a notification as actioned. Does not delay the navigation of its link. */
export function act({ id }: Notification): void {
  updateCache((list) => withActioned(list, id, now()));
  api.notifications.actioned({ id }).catch(logError('A notification could not be marked as actioned.'));
}

/** Deletes a notification. It stays in the list if that fails. */
export const remove = ({ id }: Notification): Promise<void> =>
  api.notifications
    .remove({ id })
    .then(() => updateCacheAndRefetch((list) => without(list, id)))
    .catch(logError('A notification could not be deleted.'));

export async function clear(): Promise<void> {
  await api.notifications.clear({});
  updateCacheAndRefetch(() => []);
}

export interface Inbox {
  notifications: List;
  unseen: number;
  /** No data yet. */
  loading: boolean;
  /** The last request failed. */
  failed: boolean;
  /** A request is in flight. */
  fetching: boolean;
}

/** The notifications of the user, newest first. */
export function useInbox(): Inbox {
  const { data = [], isPending, isFetching, error } = useQuery(inbox);
  useEffect(() => {
    if (error) logError('The notifications could not be loaded.')(error);
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
 * Marks all notifications, or those about the event with this slug, as seen on mount, including those in the response to
 * a request that is in flight. Returns the ids of the new notifications, so that they stay highlighted while mounted.
 */
export function useSeen({ loading, fetching }: Inbox, event?: string): ReadonlySet<string> {
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const done = useRef(false);
  useEffect(() => {
    if (loading || done.current) return;
    done.current = !fetching;
    const ids = see(event);
    setFresh((before) => new Set([...before, ...ids]));
  }, [loading, fetching, event]);
  return fresh;
}
