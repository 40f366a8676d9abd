import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { notify, type MessageKey } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { emptyEventFields, type EventFields } from '#features/events/contract.ts';
import { type DurationUnit, endOf, newEventProblem, type NewEventProblem } from '#features/events/rules.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { slugFrom } from '#wire/slug.ts';
import { refreshEvents } from './useEvent.ts';

const step = 5 * 60_000;

/** The form state. A time is `null` while its input is not a valid date. */
export interface NewEvent extends EventFields {
  start_time: Instant | null;
  duration: number;
  unit: DurationUnit;
  entry_until_time: Instant | null;
}

/** Starts at the next step of the time picker, so that the default is valid. */
export function emptyEvent(now: number): NewEvent {
  const start_time = instant((Math.floor(now / step) + 1) * step);
  return {
    ...emptyEventFields,
    start_time,
    duration: 1,
    unit: 'hours',
    entry_until_time: start_time,
  };
}

const messageOf: Record<NewEventProblem, MessageKey> = {
  form: 'eventFormErrors',
  start: 'eventStartInPast',
  fields: 'eventFieldsMissing',
};

/** State, validation and submission of the new event form. */
export function useNewEvent(club: Club) {
  const navigate = useNavigate();
  const [initialEvent] = useState(() => emptyEvent(Date.now()));
  const [form, setForm] = useDraft(initialEvent);
  const change = (part: Partial<NewEvent>) => setForm({ ...form, ...part });
  /** Time of the last failed validation. From then on the fields show their errors. */
  const [invalidAt, setInvalidAt] = useState<Instant>();
  const create = useSubmit({
    mutationFn: async ({ duration, unit, start_time, entry_until_time, ...fields }: NewEvent) => {
      if (!start_time) throw new Error('The new event has no start.');
      await api.events.create({
        club: club.id,
        clubId: club.id,
        // Only a suggestion: the server creates the slug.
        slug: slugFrom(fields.name),
        ...fields,
        start_time,
        end_time: endOf(start_time, duration, unit),
        entry_until_time: entry_until_time ?? start_time,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
      await refreshEvents();
    },
    onSuccess: () => navigate(`/app/clubs/${club.slug}#new-event`, { replace: true }),
    onError: () => notify('eventCreationFailed'),
  });
  const submit = () => {
    if (create.isPending) return;
    const now = instant(Date.now());
    const problem = newEventProblem({ ...form, start_time: form.start_time ?? undefined }, now);
    setInvalidAt(problem && now);
    if (problem) notify(messageOf[problem]);
    else create.mutate(form);
  };
  const setStart = (start: Date | null) => {
    const start_time = start && instant(start);
    change({ start_time, entry_until_time: start_time });
  };
  return { form, change, setStart, submit, invalidAt, busy: create.isPending, failure: create.error };
}
