import type { Handlers } from '#platform/http/endpoint.ts';
import type { search } from '#features/search/contract.ts';
import * as store from '#features/search/store.ts';

export const handlers: Handlers<typeof search> = {
  async find({ db, user, now }, { q }) {
    const words = q.split(/\s+/).filter(Boolean);
    return {
      events: await store.findEvents(db, user.id, words, now),
      clubs: await store.findClubs(db, user.id, words),
    };
  },
};
