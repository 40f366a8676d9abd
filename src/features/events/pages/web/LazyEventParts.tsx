import * as runnerParts from '#features/events/answers/web/LazyRunnerParts.tsx';
import { ChosenReply } from '#features/events/answers/web/LazyChosenReply.tsx';
import type { Event } from '#features/events/contract.ts';
import { Questions } from '#features/events/questions/web/LazyQuestionParts.tsx';
import { Reach } from '#features/events/reach/web/LazyReach.tsx';
import { Enough, ForWhom } from '#features/events/web/LazyForWhom.tsx';
import { isRunner } from '#features/members/rules.ts';
import { Messages } from '#features/updates/web/LazyMessageParts.tsx';
import type { User } from '#features/users/contract.ts';
import { type LazyFile, lazyPart } from '#ui/LazyPart.tsx';

export const Poll = lazyPart(() =>
  import('#features/events/polls/web/Poll.tsx').then((module) => ({ default: module.Poll })),
);

export { Messages, Questions };

// An event that the previous release stored for offline use lacks these fields.
export const hasMessages = ({ messages }: Partial<Pick<Event, 'messages'>>): boolean =>
  messages !== undefined && messages.length > 0;
export const hasQuestions = ({ questions }: Partial<Pick<Event, 'questions'>>): boolean =>
  questions !== undefined && questions.length > 0;

const ofPolls: LazyFile = { file: '../../features/events/polls/web/Poll.tsx', parts: [Poll] };
const ofChoices: LazyFile = {
  file: '../../features/events/answers/web/ChosenReply.tsx',
  parts: [ChosenReply],
};
const ofMessages: LazyFile = { file: '../../features/updates/web/Messages.tsx', parts: [Messages] };
const ofQuestions: LazyFile = {
  file: '../../features/events/questions/web/Questions.tsx',
  parts: [Questions],
};
const ofSections: LazyFile = {
  file: '../../features/events/web/ForWhom.tsx',
  parts: [ForWhom, Enough],
};
const ofRunners: LazyFile = {
  file: '../../features/events/answers/web/RunnerParts.tsx',
  parts: Object.values(runnerParts),
};

const ofReach: LazyFile = { file: '../../features/events/reach/web/Reach.tsx', parts: [Reach] };

/** Whether an event is for sections, or needs some number of people. */
export const needsSections = ({ section_names, needed }: Event): boolean =>
  section_names.length > 0 || Object.keys(needed).length > 0;

/** All parts of the event page that only some viewers or events need. */
export const lazyEventParts: readonly LazyFile[] = [
  ofPolls,
  ofChoices,
  ofSections,
  ofMessages,
  ofQuestions,
  ofRunners,
  ofReach,
];

/** The files that the viewer needs at first. */
export function lazyEventPartsFor(event: Event, { clubs }: Pick<User, 'clubs'>): LazyFile[] {
  const club = clubs.find(({ id }) => id === event.owner_club_id);
  if (!club) return [];
  return [
    ...(event.polling ? [ofPolls] : []),
    ...(event.question && event.choices.length > 0 ? [ofChoices] : []),
    ...(hasMessages(event) ? [ofMessages] : []),
    ...(hasQuestions(event) ? [ofQuestions] : []),
    ...(needsSections(event) ? [ofSections] : []),
    ...(isRunner(club, event) ? [ofRunners] : []),
    ...(event.reach ? [ofReach] : []),
  ];
}
