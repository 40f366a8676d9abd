import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { notify, type Word } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { type DurationUnit, endOf, newEventProblem, type NewEventProblem } from '#features/events/rules.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { slugFrom } from '#wire/slug.ts';
import { refreshEvents } from './useEvent.ts';

const step = 5 * 60_000;

/** What is planned; a moment is null while what stands in its field is none. */
export interface NewEvent {
  name: string;
  location_name: string;
  description: string;
  details: string;
  start_time: Instant | null;
  duration: number;
  unit: DurationUnit;
  entry_until_time: Instant | null;
}

/** It starts at the next step of the picker, so that it can be sent as it stands. */
export function emptyEvent(now: number): NewEvent {
  const start_time = instant((Math.floor(now / step) + 1) * step);
  return {
    name: '',
    location_name: '',
    description: '',
    details: '',
    start_time,
    duration: 1,
    unit: 'hours',
    entry_until_time: start_time,
  };
}

const wordOf: Record<NewEventProblem, Word> = {
  form: 'eventFormErrors',
  start: 'eventStartInPast',
  fields: 'eventFieldsMissing',
};

/** The form of a new event, from its first letter until it stands on the page of its club. */
export function useNewEvent(club: Club) {
  const navigate = useNavigate();
  const [empty] = useState(() => emptyEvent(Date.now()));
  const [form, setForm] = useDraft(empty);
  const change = (part: Partial<NewEvent>) => setForm({ ...form, ...part });
  /** When it was last found faulty: from then on the fields say what they lack. */
  const [refusedAt, setRefusedAt] = useState<Instant>();
  const create = useSubmit({
    mutationFn: async ({ duration, unit, start_time, entry_until_time, ...words }: NewEvent) => {
      if (!start_time) throw new Error('A plan without a start was sent.');
      await api.events.create({
        club: club.id,
        clubId: club.id,
        // A wish for the readable part, no more: the server makes the slug.
        slug: slugFrom(words.name),
        ...words,
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
    const fault = newEventProblem({ ...form, start_time: form.start_time ?? undefined }, now);
    setRefusedAt(fault && now);
    if (fault) notify(wordOf[fault]);
    else create.mutate(form);
  };
  const setStart = (start: Date | null) => {
    const start_time = start && instant(start);
    change({ start_time, entry_until_time: start_time });
  };
  return { form, change, setStart, submit, refusedAt, busy: create.isPending, failure: create.error };
}
