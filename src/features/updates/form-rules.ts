import type { ErrorCode } from '#wire/errors.ts';
import { addSeconds, type Instant } from '#wire/instant.ts';
import type { Event } from '#features/events/contract.ts';
import { whyCannotWrite } from '#features/events/form-rules.ts';
import { isPolled } from '#features/events/rules.ts';
import type { MemberOf } from '#features/members/rules.ts';
import { messageLists, type MessageList, type ReadCounts } from '#features/updates/contract.ts';

type WrittenAbout = Pick<Event, 'polling' | 'deleted_at' | 'end_time' | 'entry_until_time'>;
type Runner = Pick<MemberOf, 'is_planner'>;

/** While members vote on the time, nobody has an answer, and the only list is that of members without one. */
const listsOf = (event: WrittenAbout, now: Instant): readonly MessageList[] =>
  isPolled(event, now) ? ['silent'] : messageLists;

/** The lists to which a runner may write. Only planners write to members without an answer. */
export const listsFor = (event: WrittenAbout, { is_planner }: Runner, now: Instant): MessageList[] =>
  whyCannotWrite(event, now) ? [] : listsOf(event, now).filter((list) => is_planner || list !== 'silent');

/** Why a runner cannot send a message to these lists. */
export function whyCannotSend(
  event: WrittenAbout & Runner,
  to: readonly MessageList[],
  now: Instant,
): ErrorCode | undefined {
  const closed = whyCannotWrite(event, now);
  if (closed) return closed;
  if (isPolled(event, now) && !event.is_planner) return 'not_admin';
  if (to.some((list) => !listsOf(event, now).includes(list))) return 'bad_input';
  return to.some((list) => !listsFor(event, event, now).includes(list)) ? 'not_admin' : undefined;
}

/** How many members are on each list, without the viewer. */
export function sizesOf(
  event: Pick<
    Event,
    'user_count' | 'waiting_count' | 'maybe_count' | 'silent_count' | 'my_answer' | 'is_for_me'
  >,
): Record<MessageList, number> {
  const { user_count, waiting_count, maybe_count, silent_count, my_answer, is_for_me } = event;
  const sizes = { going: user_count, waiting: waiting_count, maybe: maybe_count, silent: silent_count };
  const mine = my_answer ?? (is_for_me ? 'silent' : 'no');
  return mine === 'no' ? sizes : { ...sizes, [mine]: sizes[mine] - 1 };
}

export const maxReminders = 3;
const secondsBetweenReminders = 24 * 60 * 60;

/** When planners may remind again; '' if they have not reminded yet. `whyCannotRemind` checks the number of reminders. */
export const nextReminderAt = ({ reminded_at }: Pick<ReadCounts, 'reminded_at'>): Instant =>
  reminded_at === null ? '' : addSeconds(reminded_at, secondsBetweenReminders);

/** Why a planner cannot remind the members who have not read an important update. */
export function whyCannotRemind(
  update: Pick<ReadCounts, 'others' | 'reminders' | 'reminded_at'>,
  now: Instant,
): ErrorCode | undefined {
  if (update.others === 0) return 'everyone_read';
  if (update.reminders >= maxReminders) return 'reminded_enough';
  return nextReminderAt(update) > now ? 'reminded_lately' : undefined;
}
