import { useDraft } from '#web/useDraft.ts';
import { useNow } from '#web/useNow.ts';
import { eventFieldKeys, type Event, type EventFields, type EventPatch } from '#features/events/contract.ts';
import {
  durationOf,
  editedSchedule,
  endOf,
  scheduleKeys,
  whyCannotReschedule,
  type Schedule,
} from '#features/events/form-rules.ts';
import { errorCodes } from '#wire/errors.ts';
import { isInRange } from '#wire/instant.ts';
import { inZone, type TimesForm, type TypedInstant } from './useNewEvent.ts';

export type Patch = EventPatch & Partial<Schedule>;
type EventForm = EventFields & TimesForm;

/** The changes of an event in its form. Only edited fields are stored, so that concurrent changes of others stay. */
export function useEditedEvent(event: Event) {
  const [edited, setEdited] = useDraft<Partial<EventForm>>({});
  const now = useNow();
  const form: EventForm = { ...event, ...durationOf(event), ...edited };
  const change = (part: Partial<EventForm>) => setEdited({ ...edited, ...part });
  const next = scheduleOf(event, form);
  const code = whyCannotReschedule(event, next, now);
  return {
    form,
    change,
    setTimes: {
      /** The cut-off moves along. */
      start: (start_time: TypedInstant) =>
        change({
          start_time,
          ...(start_time && { entry_until_time: editedSchedule(event, { start_time }).entry_until_time }),
        }),
      zone: (time_zone: string) => change(inZone(form, time_zone)),
    },
    patch: patchOf(event, form, next),
    problem: code && errorCodes[code][1],
    /** Those that can't be read, or that were changed to a year that no event can have. */
    invalidTimes: (['start_time', 'entry_until_time'] as const).filter(
      (key) => !form[key] || (form[key] !== event[key] && !isInRange(form[key])),
    ),
  };
}

/** The times that the form describes. Those that can't be read stay. */
function scheduleOf(event: Event, form: TimesForm): Schedule {
  const start_time = form.start_time ?? event.start_time;
  const { duration, unit } = durationOf(event);
  const hasDuration = form.duration === duration && form.unit === unit;
  return editedSchedule(event, {
    start_time,
    time_zone: form.time_zone,
    entry_until_time: form.entry_until_time ?? undefined,
    end_time: hasDuration ? undefined : endOf(start_time, form.duration, form.unit),
  });
}

/** The fields to send: those that differ from what the server would derive from the others. */
function patchOf(event: Event, form: EventFields, next: Schedule): Patch {
  const derived = { ...editedSchedule(event, { start_time: next.start_time }), start_time: event.start_time };
  const fields = eventFieldKeys.filter((key) => form[key] !== event[key]).map((key) => [key, form[key]]);
  const times = scheduleKeys.filter((key) => next[key] !== derived[key]).map((key) => [key, next[key]]);
  return Object.fromEntries([...fields, ...times]) as Patch;
}
