import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query';
import { useState } from 'react';

/** The further pages of a list. */
export interface More<Page> {
  pages: readonly Page[];
  /** Whether there is another page. */
  hasMore: boolean;
  busy: boolean;
  failed: boolean;
  load(): void;
}

/** Loads the pages after the cursor `from`, one per call of `load`. `from` is `null` if there are none. */
export function useMore<Page, Key extends QueryKey>(
  from: string | null,
  options: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, string>,
): More<Page> {
  const [enabled, setEnabled] = useState(false);
  const { data, isError, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...options,
    enabled: enabled && from !== null,
    // A refetched first page may end at another cursor. The old pages stay visible while the new ones load.
    placeholderData: keepPreviousData,
  });
  const failed = isFetchNextPageError || (isError && !data);
  return {
    pages: (from !== null && data?.pages) || [],
    hasMore: from !== null && (!data || hasNextPage),
    busy: isFetching,
    failed: failed && !isFetching,
    load: () => (enabled ? void fetchNextPage() : setEnabled(true)),
  };
}

/** Removes duplicates: a row that moves between two requests can be on two pages. */
export const uniqueBy = <Key extends string, Row extends Record<Key, string>>(
  key: Key,
  rows: readonly Row[],
): Row[] => [...new Map(rows.map((row) => [row[key], row])).values()];

export const uniqueById = <Row extends { id: string }>(rows: readonly Row[]): Row[] => uniqueBy('id', rows);

/** Reads all pages of a list, one after the other. */
export async function allPages<Page extends { more: string | null }>(
  read: (after: string | undefined) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let after: string | null | undefined; after !== null; after = pages.at(-1)?.more ?? null)
    pages.push(await read(after));
  return pages;
}
