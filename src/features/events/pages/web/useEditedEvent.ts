import { current, queries, queryClient } from '#web/queries.ts';
import { useDraft } from '#web/useDraft.ts';
import { useNow } from '#web/useNow.ts';
import { type Edited, useSharedForm } from '#web/useSharedForm.ts';
import type { Event } from '#features/events/contract.ts';
import {
  eventFieldKeys,
  questionKeys,
  type EventField,
  type EventFields,
  type EventPatch,
} from '#features/events/field-contract.ts';
import {
  askedIn,
  durationOf,
  editedSchedule,
  endOf,
  isRepeated,
  isSameValue,
  scheduleKeys,
  whyCannotReschedule,
  type Schedule,
  formInZone,
  type TimesForm,
  type TypedInstant,
} from '#features/events/form-rules.ts';
import { t as ofErrors } from '#wire/error-messages.ts';
import { isInRange } from '#wire/instant.ts';
import { fieldLabels } from '#features/events/web/EventForm.tsx';
import { durations } from '#features/events/web/EndFields.tsx';
import { fullDateAndTime } from '#wire/format.ts';
import { t } from '#features/events/messages.ts';

export type Patch = EventPatch & Partial<Schedule>;
/** `end_time` follows from the start and the duration. */
type EventForm = EventFields & TimesForm & Pick<Schedule, 'end_time'>;
/** The version of the event, and that of its series. */
interface Versions {
  event: number;
  /** 0 without a series. */
  series: number;
}

const loadedFrom = (event: Event) => ({
  fields: { ...fieldsOf(event), ...durationOf(event) },
  version: { event: event.version, series: event.series_version ?? 0 },
});

const fieldsOf = (event: EventFields & Schedule) =>
  Object.fromEntries(
    [...eventFieldKeys, ...scheduleKeys].map((key) => [key, event[key]]),
  ) as unknown as EventFields & Schedule;

/** The state of the form that edits an event. */
export function useEditedEvent(event: Event) {
  const [edited, setEdited, kept] = useDraft<Edited<EventForm, Versions>>(`event:${event.id}`, undefined);
  const shared = useSharedForm<EventForm, Versions>({
    loaded: loadedFrom(event),
    load: async () => loadedFrom(await queryClient.query({ ...queries.event(event.slug), ...current })),
    state: [edited, setEdited],
  });
  const { values: form, change, conflict, save, version } = shared;
  const now = useNow();
  /** The event on which the input is based. */
  const base = { ...event, ...(shared.base as EventFields & Schedule) };
  const next = scheduleOf(base, form);
  const code = whyCannotReschedule(base, next, now);
  return {
    form,
    base,
    change,
    save,
    version,
    kept,
    /** After a conflict: the values that others entered in the same fields. */
    theirValues: conflict && theirValues(conflict, base),
    setTimes: {
      /** The cut-off moves by the same amount of time as the start. */
      start: (start_time: TypedInstant) =>
        change({
          start_time,
          ...(start_time && { entry_until_time: editedSchedule(base, { start_time }).entry_until_time }),
        }),
      zone: (time_zone: string) => change(formInZone(form, time_zone)),
    },
    patch: patchOf(base, form, next),
    problem: code && ofErrors(code),
    hasRepeatedChoice: form.choices.some((_, at) => isRepeated(form.choices, at)),
    /** The times that can't be read, or that were changed to a year that no event can have. */
    invalidTimes: [
      ...(['start_time', 'entry_until_time'] as const).filter(
        (key) => !form[key] || (form[key] !== base[key] && !isInRange(form[key])),
      ),
      ...(form.unread_end === undefined ? [] : (['end_time'] as const)),
    ],
  };
}

/** The times that the form describes. Times that can't be read keep their current value. */
function scheduleOf(event: Schedule, form: TimesForm): Schedule {
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

/** The fields to send: those that differ from what the server would derive from the other fields. */
function patchOf(event: EventFields & Schedule, form: EventFields, next: Schedule): Patch {
  const derived = { ...editedSchedule(event, { start_time: next.start_time }), start_time: event.start_time };
  const entered = { ...form, ...askedIn(form) };
  const isNew = (key: EventField) => !isSameValue(entered[key], event[key]);
  // The choices of one date may belong to a question that its series lacks.
  const isChanged = (key: EventField) => (questionKeys.includes(key) ? questionKeys.some(isNew) : isNew(key));
  const fields = eventFieldKeys.filter(isChanged).map((key) => [key, entered[key]]);
  const times = scheduleKeys.filter((key) => next[key] !== derived[key]).map((key) => [key, next[key]]);
  return Object.fromEntries([...fields, ...times]) as Patch;
}

const textOf = (value: EventFields[keyof EventFields]): string => {
  if (typeof value === 'boolean') return value ? t('switchedOn') : t('switchedOff');
  if (typeof value === 'object' && value !== null) return Object.values(value).join(', ');
  return String(value ?? '');
};

/** The names of the sections that an event is for, as far as the page has loaded them. */
const sectionsInWords = ({
  owner_club_id,
  section_ids,
}: Pick<Event, 'owner_club_id' | 'section_ids'>): string =>
  (queryClient.getQueryData(queries.sections(owner_club_id).queryKey) ?? [])
    .filter(({ id }) => section_ids.includes(id))
    .map(({ name }) => name)
    .join(', ');

/** The values that others entered in these fields. Duration and unit count as one field. */
function theirValues(
  keys: readonly (keyof EventForm)[],
  base: EventFields & Schedule & Pick<Event, 'owner_club_id'>,
) {
  const { duration, unit } = durationOf(base);
  const length = { label: t('duration'), value: t(durations[unit].words, { n: duration }) };
  const times = {
    start_time: { label: t('start'), value: fullDateAndTime(base.start_time, base.time_zone) },
    entry_until_time: {
      label: t('answersClose'),
      value: fullDateAndTime(base.entry_until_time, base.time_zone),
    },
    time_zone: { label: t('timeZone'), value: base.time_zone },
    duration: length,
    unit: length,
    end_time: length,
  };
  const values = keys.map((key) =>
    key in times
      ? times[key as keyof typeof times]
      : {
          label: fieldLabels()[key as keyof EventFields],
          value: key === 'section_ids' ? sectionsInWords(base) : textOf(base[key as keyof EventFields]),
        },
  );
  return [...new Set(values)];
}
