import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { ShowMore, type ShowMoreProps } from '#ui/ShowMore.tsx';

type NextPageProps = Pick<ShowMoreProps, 'className' | 'children'> & {
  query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'
  >;
};

/** The button that loads the next page of a list, if there is one. */
export const NextPage = ({ query, ...button }: NextPageProps) =>
  query.hasNextPage && (
    <ShowMore
      {...button}
      busy={query.isFetchingNextPage}
      failed={query.isFetchNextPageError}
      onPress={() => void query.fetchNextPage()}
    />
  );
