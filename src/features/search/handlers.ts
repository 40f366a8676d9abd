import type { Handlers } from '#platform/http/endpoint.ts';
import { searchWords } from '#wire/search-text.ts';
import { asReadingMember } from '#features/members/store.ts';
import type { search } from '#features/search/contract.ts';
import * as store from '#features/search/store.ts';

export const handlers: Handlers<typeof search> = {
  async find({ db, user, now }, { q, club }) {
    const words = searchWords(q);
    if (club !== undefined) {
      const { club_id } = await asReadingMember(db, user, club);
      return { events: await store.findEvents(db, [club_id], words, now), clubs: [] };
    }
    return {
      events: await store.findEvents(db, [...user.memberships.keys()], words, now),
      clubs: await store.findClubs(db, user, words),
    };
  },
};
