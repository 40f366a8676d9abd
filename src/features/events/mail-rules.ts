import type { Instant } from '#wire/instant.ts';
import {
  fieldText,
  keysByImportance,
  type ChangedFields,
  type Event,
  type EventField,
  type EventFields,
} from '#features/events/contract.ts';

export type ZonedTimes = Pick<Event, 'start_time' | 'end_time' | 'time_zone'>;

/** What changed in the times, if anything did. The start is null if it stays. */
export function newTimeOf(
  before: ZonedTimes,
  after: ZonedTimes,
): { start_time: Instant | null; time_zone: string } | undefined {
  const { start_time, end_time, time_zone } = after;
  const hasNewStart = start_time !== before.start_time;
  if (!hasNewStart && end_time === before.end_time && time_zone === before.time_zone) return undefined;
  return { start_time: hasNewStart ? start_time : null, time_zone };
}

/** Whether an edit changes what people are told about. */
export const isWorthTelling = (before: EventFields & ZonedTimes, after: EventFields & ZonedTimes): boolean =>
  newTimeOf(before, after) !== undefined || keysByImportance.some((key) => after[key] !== before[key]);

/** What changed in an event since its first change, at the end. */
export interface NetChange {
  /** The fields, most important first, with the earlier values. */
  fields: EventField[];
  before: ChangedFields & ZonedTimes;
  /** The new times; undefined if they are what they were. */
  new_time: ReturnType<typeof newTimeOf>;
}

/** Compares an event with what it was before these changes, the oldest first. What was changed back is left out. */
export function netChange(
  event: EventFields & ZonedTimes,
  changes: readonly { before: ChangedFields }[],
): NetChange {
  const { start_time, end_time, time_zone } = event;
  const old: ChangedFields = Object.assign({}, ...changes.map((change) => change.before).toReversed());
  const before = { start_time, end_time, time_zone, ...old };
  const fields = keysByImportance.filter(
    (key) => key in old && fieldText(old, key) !== fieldText(event, key),
  );
  return { fields, before, new_time: newTimeOf(before, event) };
}

export const isChanged = ({ fields, new_time }: NetChange): boolean =>
  fields.length > 0 || new_time !== undefined;
