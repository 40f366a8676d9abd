import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryOptions,
} from '@tanstack/react-query';
import { useState } from 'react';

/** A list that goes on behind its first page. */
export interface More<Page> {
  pages: readonly Page[];
  /** Whether a press would bring anything. */
  isThere: boolean;
  busy: boolean;
  failed: boolean;
  load(): void;
}

/** What comes behind `from`, a page for each press; without it there is nothing. */
export function useMore<Page, Key extends QueryKey>(
  from: string | null,
  rest: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, string>,
): More<Page> {
  const [asked, setAsked] = useState(false);
  const { data, isError, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...rest,
    enabled: asked && from !== null,
    // The first page may come to end elsewhere, and what comes behind it is then loaded anew.
    placeholderData: keepPreviousData,
  });
  const failed = isFetchNextPageError || (isError && !data);
  return {
    pages: (from !== null && data?.pages) || [],
    isThere: from !== null && (!data || hasNextPage),
    busy: isFetching,
    failed: failed && !isFetching,
    load: () => (asked ? void fetchNextPage() : setAsked(true)),
  };
}

/** Somebody who moves within a list while its pages are loaded would stand in two of them. */
export const uniqueById = <Row extends { id: string }>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];
