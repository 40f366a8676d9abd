import type { Handlers } from '#platform/http/endpoint.ts';
import { searchWords } from '#wire/search-text.ts';
import type { search } from '#features/search/contract.ts';
import * as store from '#features/search/store.ts';

export const handlers: Handlers<typeof search> = {
  async find({ db, user, now }, { q }) {
    const words = searchWords(q);
    return {
      events: await store.findEvents(db, user, words, now),
      clubs: await store.findClubs(db, user, words),
    };
  },
};
