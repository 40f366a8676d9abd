import { afterEach, expect, test } from 'vitest';
import type { EventCard } from '#features/events/contract.ts';
import { card, rowers, run } from '#test/render-page.tsx';
import { queries, queryClient } from '#web/queries.ts';
import { changeEvent } from './useEvent.ts';

const other: EventCard = { ...card, id: 'id-of-other', slug: 'other' };
const cards = [other, card];

afterEach(() => queryClient.clear());

test('changeEvent: changes an event in every cached list, and leaves all other rows as they are', () => {
  const page = queries.moreEvents('rowers', 'upcoming', 'cursor').queryKey;
  const members = queries.moreMembers('rowers', 'cursor').queryKey;
  const memberPages = { pages: [{ members: [], more: null }], pageParams: ['cursor'] };
  queryClient.setQueryData(queries.event(run.slug).queryKey, run);
  queryClient.setQueryData(queries.attending().queryKey, cards);
  queryClient.setQueryData(queries.ofMyClubs().queryKey, cards);
  queryClient.setQueryData(queries.club('rowers').queryKey, { ...rowers, events: cards });
  queryClient.setQueryData(page, { pages: [{ events: cards, more: null }], pageParams: ['cursor'] });
  queryClient.setQueryData(members, memberPages);

  changeEvent(run.id, (event) => ({ ...event, user_count: 7 }));

  expect(queryClient.getQueryData(queries.event(run.slug).queryKey)).toEqual({ ...run, user_count: 7 });
  for (const list of [
    queryClient.getQueryData(queries.attending().queryKey),
    queryClient.getQueryData(queries.ofMyClubs().queryKey),
    queryClient.getQueryData(queries.club('rowers').queryKey)?.events,
    queryClient.getQueryData(page)?.pages[0]?.events,
  ]) {
    expect(list).toEqual([other, { ...card, user_count: 7 }]);
    // Rows are memoised by identity.
    expect(list?.[0]).toBe(other);
  }
  expect(queryClient.getQueryData(members)).toEqual(memberPages);
});
