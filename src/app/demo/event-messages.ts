import { addSeconds, instant } from '#wire/instant.ts';
import type { Occurrence } from '#app/demo/dates.ts';
import { hour, unwrap, type ClubState, type Step } from '#app/demo/steps.ts';
import { handlers as answers } from '#features/events/answers/handlers.ts';
import { handlers as questions } from '#features/events/questions/handlers.ts';
import { handlers as updates } from '#features/updates/handlers.ts';

const week = 7 * 24 * 3600;

interface Planned {
  host: string;
  /** When the event was created. */
  created: number;
  /** The slug of the event, which is known once it is created. */
  event: () => string;
}

/** What hosts and members tell each other about an event. */
export const correspondence = (club: ClubState, occurrence: Occurrence, planned: Planned): Step[] => [
  ...messageSteps(club, occurrence, planned),
  ...dropOutSteps(club, occurrence, planned),
];

/** What the host writes about an event of the coming week: a message, and the answer to a question. */
function messageSteps(
  { now }: ClubState,
  { message: content, asked, isCancelled = false, start_time }: Occurrence,
  { host, created, event }: Planned,
): Step[] {
  const today = instant(now);
  const isNext = start_time > today && start_time < addSeconds(today, week);
  if (isCancelled || !isNext) return [];
  const at = Math.max(now - 2 * hour, created + hour);
  const write: Step['act'] = async (as) =>
    updates.sendMessage(await as(host), {
      event: event(),
      content: content ?? '',
      to: ['going', 'waiting', 'maybe'],
    });
  const answer: Step['act'] = async (as) => {
    const { by = '', question = '', answer: text = '' } = asked ?? {};
    const { id } = unwrap(await questions.ask(await as(by), { event: event(), question }));
    await questions.answer(await as(host), { question: id, answer: text, shared: true });
  };
  return [...(content === undefined ? [] : [{ at, act: write }]), ...(asked ? [{ at, act: answer }] : [])];
}

/** A member answers 'going', and drops out within the last 24 hours, which the hosts are told. */
function dropOutSteps(
  { now }: ClubState,
  { droppedOut, start_time }: Occurrence,
  { created, event }: Planned,
): Step[] {
  if (!droppedOut) return [];
  const { by, note } = droppedOut;
  const answer =
    (to: 'going' | 'no', more = {}): Step['act'] =>
    async (as) =>
      answers.answer(await as(by), { event: event(), answer: to, ...more });
  return [
    { at: created + hour, act: answer('going') },
    { at: Math.min(now - hour / 2, Date.parse(start_time) - hour), act: answer('no', { note }) },
  ];
}
