import type { Chooser, Pair, Source } from './choose.ts';
import { dataOf, type Request, type Unit } from './client.ts';
import {
  accessTokenOf,
  clubFeedSecret,
  clubSlug,
  emailOf,
  eventSlug,
  personalFeedSecret,
  type Club,
  type Event,
} from './population.ts';
import { pick } from './random.ts';

export const get = (path: string, person: number): Request => ({
  path: `/api/v1${path}`,
  token: accessTokenOf(person),
});
const post = (path: string, person: number, body: object = {}): Request => ({
  ...get(path, person),
  method: 'POST',
  body,
});

export const clubPage = (club: Club, person: number) => get(`/clubs/${clubSlug(club.id)}`, person);
export const home = (person: number): Unit =>
  ['/users', '/users/events', '/users/clubs/events'].map((path) => get(path, person));
export const admin = ({ members }: Club) => members[0] as number;

export const edit = (event: Event, club: Club, { random }: Source): Request => ({
  ...get(`/events/${eventSlug(event)}/edit/${clubSlug(club.id)}`, admin(club)),
  method: 'PUT',
  body: { description: `Edit ${random()}: please bring warm clothes, something to drink and good spirits.` },
});
export const attendance = (action: 'attend' | 'unattend', { event, person }: Pair) =>
  post(`/events/${eventSlug(event)}/${action}`, person);
export const publish = (club: Club): Request => ({
  ...post(`/updates/${clubSlug(club.id)}`, admin(club), {
    content: 'The dates of the next season are set. '.repeat(4),
  }),
  expect: 201,
});

export const firstScreen = (
  path: string,
  person: number,
  { firstScreenPath, population }: Source,
): Request => {
  const query = new URLSearchParams({
    path,
    zone: 'Europe/Berlin',
    now: new Date(population.base).toISOString(),
    rows: '8',
  });
  return { path: `${firstScreenPath}?${query}`, token: accessTokenOf(person) };
};

export const personalFeed = (choose: Chooser): Request => ({
  path: `/api/v1/users/${personalFeedSecret(choose.person())}/ical/calendar.ics`,
});

/** Calendar apps ask for every feed equally often, so memberships are chosen, however popular their clubs are. */
export function clubFeed(_choose: Chooser, { population, random }: Source): Request {
  const { club, person } = pick(random, population.memberships);
  return { path: `/api/v1/clubs/${clubSlug(club)}/ical/${clubFeedSecret(club, person)}/calendar.ics` };
}

export const requestCode = (person: number): Request => ({
  path: `/api/v1/auth/login?email=${encodeURIComponent(emailOf(person))}`,
});

export function refresh({ refreshTokens }: Source, person: number): Request {
  return {
    path: `/api/v1/auth/refresh?token=${encodeURIComponent(refreshTokens[person] as string)}`,
    onResponse(response) {
      const { RefreshToken } = dataOf<{ RefreshToken: { Token: string } }>(response);
      refreshTokens[person] = RefreshToken.Token;
    },
  };
}

export const search = (choose: Chooser, { random }: Source): Request =>
  get(
    `/events/clubs/filter?q=${pick(random, ['tra', 'row', 'training', 'club', 'meeting', 'monday'])}`,
    choose.person(),
  );

export const clubPageOfAnyMember = (choose: Chooser): Request => {
  const club = choose.club();
  return clubPage(club, choose.member(club));
};
export const eventPage = (choose: Chooser): Request => {
  const event = choose.visitedEvent();
  return get(`/events/${eventSlug(event)}`, choose.memberOf(event));
};

export function editOfAny(choose: Chooser, source: Source): Request {
  const event = choose.event(true);
  return edit(event, choose.clubOf(event), source);
}
