import type { Handlers } from '#platform/http/endpoint.ts';
import type { search } from '#features/search/contract.ts';
import { wordsOf } from '#features/search/rules.ts';
import * as store from '#features/search/store.ts';

export const handlers: Handlers<typeof search> = {
  async find({ db, user, now }, { q }) {
    const words = wordsOf(q);
    return {
      events: await store.findEvents(db, user, words, now),
      clubs: await store.findClubs(db, user, words),
    };
  },
};
