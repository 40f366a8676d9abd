import { idToken } from '#platform/token.ts';
import type { Chooser } from './chooser.ts';
import type { Request } from './client.ts';
import { admin, basicReads, basicWrites, eventPath, get, send, write, type Kind } from './kinds.ts';
import { answerKey, idOf, nameOf, secretKey, type Answer, type Event } from './population.ts';
import { pick } from './random.ts';

type State = Event['state'];
type RequestOf = (event: Event, person: number, choose: Chooser) => Request;

/** A request of any member, about an upcoming event in this state. */
const visit = (share: number, state: State, requestOf: RequestOf): Kind => ({
  share,
  make(choose) {
    const event = choose.upcoming(state);
    return [requestOf(event, choose.member(choose.clubOf(event)), choose)];
  },
});

/** A change by a member whose answer to an upcoming event in this state is `before`; undefined means no answer. */
const change = (share: number, state: State, before: Answer, requestOf: RequestOf): Kind => ({
  share,
  make(choose) {
    const { event, person } = choose.pair(state, (answer) => answer === before);
    return write(choose, choose.clubOf(event), requestOf(event, person, choose));
  },
});

const eventPage: RequestOf = (event, person) => get(eventPath(event), person);
const answer = (body: object): RequestOf => {
  return (event, person) => send('PUT', `${eventPath(event)}/answer`, person, body);
};

const lists = ['going', 'maybe', 'no', 'silent'];
const answerList: RequestOf = (event, _, { random, clubOf }) =>
  get(`${eventPath(event)}/answers?state=${pick(random, lists)}`, admin(clubOf(event)));

/** The answer link in an email, which needs no session. */
const link: RequestOf = ({ club, number }, person) => {
  const ids = [idOf(`person ${person}`), idOf(nameOf.event(club, number))];
  return { path: `/api/v1/answer-links/${idToken(secretKey, 'answer', ids, answerKey)}` };
};
const answerByLink: RequestOf = (...of) => ({ ...link(...of), method: 'POST', body: { answer: 'maybe' } });

/** The check-in list of the club's last event. Check-in is open for two weeks. */
const checkInList: RequestOf = (event, _, { clubOf }) => {
  const club = clubOf(event);
  const last = club.events.findLast(({ isComing }) => !isComing) as Event;
  return get(`${eventPath(last)}/came`, admin(club));
};
const checkIn: RequestOf = (event, person, choose) => {
  const came = (member: number) => ({ user_id: idOf(`person ${member}`), came: choose.random() < 0.8 });
  const users = choose.clubOf(event).members.slice(0, 5).map(came);
  return { ...checkInList(event, person, choose), method: 'PUT', body: { users } };
};

const vote: RequestOf = ({ club, number }, person, { random }) => {
  const slug = nameOf.event(club, number);
  const voteAt = (nth: number) => ({ time: idOf(`${slug} ${nth}`), vote: pick(random, ['yes', 'no']) });
  return send('PUT', `/events/${slug}/votes`, person, { votes: [0, 1, 2].map(voteAt) });
};

const seriesPath = ({ club }: Event) => `/series/${nameOf.series(club)}`;
const seriesPage: RequestOf = (event, person) => get(seriesPath(event), person);
/** Answers are random, so that not all of a member's requests to a popular series repeat the same answer. */
const standingAnswer: RequestOf = (event, person, { random }) =>
  send('PUT', `${seriesPath(event)}/standing`, person, { answer: pick(random, ['going', 'no']) });

/** The reads that only the 'events' mix has. */
const eventReads: Record<string, Kind> = {
  'full-event-page': visit(60, 'full', eventPage),
  'series-page': visit(30, 'date', seriesPage),
  'answer-list': visit(25, undefined, answerList),
  'answer-link': visit(20, undefined, link),
  'check-in-list': visit(15, undefined, checkInList),
};

const eventWrites: Record<string, Kind> = {
  wait: change(8, 'full', undefined, answer({ answer: 'going' })),
  'give-up-seat': change(5, 'full', 'going', answer({ answer: 'no' })),
  'answer-maybe': change(8, undefined, undefined, answer({ answer: 'maybe' })),
  'answer-no': change(6, undefined, undefined, answer({ answer: 'no', note: 'On holiday' })),
  'bring-guests': change(4, undefined, 'going', answer({ answer: 'going', guests: 2 })),
  confirm: change(5, 'asked', 'going', answer({ answer: 'going' })),
  'answer-by-link': change(6, undefined, undefined, answerByLink),
  'standing-answer': change(2, 'date', undefined, standingAnswer),
  vote: visit(3, 'poll', vote),
  'check-in': visit(3, undefined, checkIn),
};

export type Mix = Record<string, Kind>;

const basic = { ...basicReads, ...basicWrites };
const shared = Object.entries(basic).map(([name, kind]): [string, Kind] => {
  return [name, { ...kind, share: kind.eventShare }];
});
export const mixes = { basic, events: { ...Object.fromEntries(shared), ...eventReads, ...eventWrites } };

export const isRead = (name: string): boolean => name in basicReads || name in eventReads;
