import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import type { MessageKey } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { Event } from '#features/events/contract.ts';
import { emptyEventFields, eventFieldKeys, type EventFields } from '#features/events/field-contract.ts';
import {
  askedIn,
  durationOf,
  inOtherZone,
  formInZone,
  isRepeated,
  readableTimes,
  type TimesForm,
  type TypedInstant,
  endOf,
  newEventProblem,
  type NewEventProblem,
} from '#features/events/form-rules.ts';
import { otherStartProblem } from '#features/events/polls/form-rules.ts';
import { repeatsNever, repeatsProblem, ruleOf, type Repeats } from '#features/events/series/form-rules.ts';
import { instant, isInRange, type Instant } from '#wire/instant.ts';
import { slugFrom } from '#wire/slug.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { type SuggestedStart, usualZone } from '#features/events/web/useSuggestedStarts.ts';
import { serverTime } from '#wire/server-time.ts';

const step = 5 * 60_000;

/** If a start that was not touched is nearer than this many minutes, the form asks before it creates the event. */
const soon = 30;

/** The form state. */
export interface NewEvent extends EventFields, TimesForm {
  /** Further starts to vote on. */
  other_starts: TypedInstant[];
  repeats: Repeats;
}

/** Starts at the next step of the time picker, so that the default is valid. */
export function emptyEvent(now: number, time_zone: string): NewEvent {
  const start_time = instant((Math.floor(now / step) + 1) * step);
  return {
    ...emptyEventFields,
    start_time,
    duration: 1,
    unit: 'hours',
    entry_until_time: start_time,
    time_zone,
    other_starts: [],
    repeats: repeatsNever,
  };
}

/** The form for a copy of an event, without a date. People, answers and history are not copied. */
export function duplicateOf(event: Event): NewEvent {
  const fields = Object.fromEntries(eventFieldKeys.map((key) => [key, event[key]])) as unknown as EventFields;
  return {
    ...fields,
    start_time: undefined,
    ...durationOf(event),
    entry_until_time: undefined,
    time_zone: event.time_zone,
    other_starts: [],
    repeats: repeatsNever,
  };
}

/**
 * The one time of a new event, or all times that members vote on. The server by default closes a poll at the
 * earliest start, which may be another one than the first of the form, so the cut-off is sent only if it was changed.
 */
function timesToOffer(
  { other_starts, duration, unit }: NewEvent,
  { time_zone, ...first }: NonNullable<ReturnType<typeof readableTimes>>,
  cutOff: Instant,
) {
  if (other_starts.length === 0) return { ...first, time_zone, entry_until_time: cutOff };
  const others = other_starts
    .filter((start) => typeof start === 'string')
    .map((start_time) => ({ start_time, end_time: endOf(start_time, duration, unit) }));
  const times = [first, ...others];
  return { time_zone, times, ...(cutOff !== first.start_time && { entry_until_time: cutOff }) };
}

const minutesBetween = (from: Instant, to: Instant) =>
  Math.round((Date.parse(to) - Date.parse(from)) / 60_000);

const messageOf: Record<NewEventProblem, MessageKey> = {
  form: 'eventFormErrors',
  start: 'eventStartInPast',
  fields: 'eventFieldsMissing',
};

/** Creates the event, or the series. */
async function createFrom(event: NewEvent, club: Pick<Club, 'id'>): Promise<void> {
  const {
    duration: _,
    unit: __,
    start_time: ___,
    unread_end: ____,
    entry_until_time,
    repeats,
    other_starts,
    ...fields
  } = event;
  const times = readableTimes(event);
  if (!times) throw new Error('The new event has no start.');
  const cutOff = entry_until_time ?? times.start_time;
  const rule = other_starts.length > 0 ? undefined : ruleOf(repeats, times);
  // Only a suggestion: the server creates the slug.
  const input = { club: club.id, slug: slugFrom(fields.name), ...fields, ...askedIn(event) };
  await (rule
    ? api.series.plan({
        ...input,
        ...rule,
        cutoff_minutes: minutesBetween(cutOff, times.start_time),
        everybody: repeats.everybody,
      })
    : api.events.create({ clubId: club.id, ...input, ...timesToOffer(event, times, cutOff) }));
}

/** Whether a part of the form is invalid that `newEventProblem` does not check. */
function hasProblem(form: NewEvent, now: Instant): boolean {
  const times = readableTimes(form);
  const starts = [form.start_time, ...form.other_starts];
  return (
    starts.concat(form.entry_until_time).some((time) => time === null || (time && !isInRange(time))) ||
    form.unread_end !== undefined ||
    form.choices.some((_, at) => isRepeated(form.choices, at)) ||
    form.other_starts.some((_, at) => otherStartProblem(starts, at + 1, now) !== undefined) ||
    (times !== undefined &&
      form.other_starts.length === 0 &&
      repeatsProblem(form.repeats, times, now) !== undefined)
  );
}

/** Changes of the start, which other times follow. */
const timeChanges = (form: NewEvent, change: (part: Partial<NewEvent>) => void) => ({
  setStart: (start_time: TypedInstant) => change({ start_time, entry_until_time: start_time ?? undefined }),
  /** Fills in a suggested start, and its place unless the user has entered another one. */
  pick({ start, location_name }: SuggestedStart, all: readonly SuggestedStart[]) {
    const isReplaced = ['', ...all.map((each) => each.location_name)].includes(form.location_name.trim());
    change({
      start_time: start,
      entry_until_time: start,
      ...(isReplaced && location_name && { location_name }),
    });
  },
  setZone: (time_zone: string) =>
    change({
      ...formInZone(form, time_zone),
      other_starts: form.other_starts.map((start) => inOtherZone(start, form.time_zone, time_zone)),
    }),
});

/** State, validation and submission of the new event form, which may begin as a duplicate of another event. */
export function useNewEvent(club: Club, original?: Event) {
  const navigate = useNavigate();
  const showFailure = useFailureToast();
  const [initialEvent] = useState(() => {
    if (original) return duplicateOf(original);
    const now = serverTime();
    return emptyEvent(now, usualZone(club.events, instant(now)));
  });
  // Only what the user has entered: a start that was not touched is the current time whenever the form opens.
  const [entered, setEntered, kept] = useDraft<Partial<NewEvent>>(
    original ? `duplicate:${original.id}` : `new-event:${club.id}`,
    {},
  );
  const form = { ...initialEvent, ...entered };
  const change = (part: Partial<NewEvent>) => setEntered((before) => ({ ...before, ...part }));
  /** Time of the last failed validation. From then on the fields show their errors. */
  const [invalidAt, setInvalidAt] = useState<Instant>();
  const create = useSubmit({
    mutationFn: async (event: NewEvent) => {
      await createFrom(event, club);
      await refreshEvents();
    },
    onSuccess: () => {
      kept.forget();
      return navigate(`/app/clubs/${club.slug}#new-event`, { replace: true });
    },
    onError: () => showFailure('eventCreationFailed'),
  });
  const times = timeChanges(form, change);
  /** Asks once whether the event should begin now, in so many minutes. */
  const [question, setQuestion] = useState<{ startsIn: number; isOpen: boolean }>();
  const closeQuestion = () => setQuestion((asked) => asked && { ...asked, isOpen: false });
  const submit = () => {
    if (create.isPending) return;
    const now = instant(serverTime());
    const problem = newEventProblem({ ...form, start_time: form.start_time ?? undefined }, now);
    const isInvalid = problem !== undefined || hasProblem(form, now);
    setInvalidAt(isInvalid ? now : undefined);
    if (problem) showFailure(messageOf[problem]);
    if (isInvalid) return;
    const startsIn = form.start_time ? minutesBetween(now, form.start_time) : 0;
    if ('start_time' in entered || question || startsIn >= soon) create.mutate(form);
    else setQuestion({ startsIn, isOpen: true });
  };
  return {
    form,
    change,
    ...times,
    question,
    closeQuestion,
    createNow: () => {
      closeQuestion();
      create.mutate(form);
    },
    kept,
    submit,
    invalidAt,
    busy: create.isPending,
    failure: create.error,
  };
}
