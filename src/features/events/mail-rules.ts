import type { Instant } from '#wire/instant.ts';
import type { ChangedFields, Event } from '#features/events/contract.ts';
import {
  fieldText,
  keysByImportance,
  type EventField,
  type EventFields,
} from '#features/events/field-contract.ts';

export type ZonedTimes = Pick<Event, 'start_time' | 'end_time' | 'time_zone'>;

/** The new times, if they changed. The start is null if it did not change. */
export function newTimeOf(
  before: ZonedTimes,
  after: ZonedTimes,
): { start_time: Instant | null; time_zone: string } | undefined {
  const { start_time, end_time, time_zone } = after;
  const hasNewStart = start_time !== before.start_time;
  if (!hasNewStart && end_time === before.end_time && time_zone === before.time_zone) return undefined;
  return { start_time: hasNewStart ? start_time : null, time_zone };
}

/** Whether an edit changes a field that notices mention. */
export const isWorthTelling = (before: EventFields & ZonedTimes, after: EventFields & ZonedTimes): boolean =>
  newTimeOf(before, after) !== undefined || keysByImportance.some((key) => after[key] !== before[key]);

/** The net effect of all changes to an event. */
export interface NetChange {
  /** The changed fields, most important first. Their earlier values are in `before`. */
  fields: EventField[];
  before: ChangedFields & ZonedTimes;
  /** The new times. Undefined if they are the same as before. */
  new_time: ReturnType<typeof newTimeOf>;
}

/**
 * Compares an event with its state before these changes, which are ordered from oldest to newest. Fields that were
 * changed back are left out.
 */
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
