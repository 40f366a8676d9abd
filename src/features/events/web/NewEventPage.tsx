import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Club } from '#features/clubs/contract.ts';
import { type DurationUnit, endOf } from '#features/events/rules.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { instant } from '#wire/instant.ts';
import { Card } from '#ui/Card.tsx';
import { DateTimeInput } from '#ui/DateTimeInput.tsx';
import { Field } from '#ui/Field.tsx';
import { durationWords, longDate, time12h } from '#ui/format.ts';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Select } from '#ui/Select.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { EventForm } from './EventForm.tsx';
import { type NewEvent, useNewEvent } from './useNewEvent.ts';

export default function NewEventPage() {
  useTitle('New event');
  const { slug = '' } = useParams();
  const club = useSuspenseQuery(queries.club(slug)).data;
  const back = useBack(`/app/clubs/${club.slug}`);
  const isAdmin = isAdminIn(club, useUser().id);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title="New event" text={club.club_name} back={<BackButton onClick={back} />} />
      {isAdmin ? (
        <NewEventForm club={club} />
      ) : (
        <AdminsOnly title="Only club admins can create events" club={club.slug} />
      )}
    </div>
  );
}

function NewEventForm({ club }: { club: Club }) {
  const { form, change, setStart, submit, invalidAt, busy, failure } = useNewEvent(club);
  const element = useFocusOnError(invalidAt);
  const missing = (text: string) => invalidAt !== undefined && text.trim() === '';
  const isStartInPast = invalidAt && (form.start_time === null || form.start_time < invalidAt);
  return (
    <EventForm
      ref={element}
      isNew
      values={form}
      onChange={change}
      errors={{
        name: missing(form.name) && 'Give the event a title.',
        location_name: missing(form.location_name) && 'Say where it takes place.',
      }}
      onSubmit={submit}
      submitLabel="Create Event"
      busyLabel="Creating"
      busy={busy}
      notSaved="The event has not been created"
      failure={failure}
    >
      <Card className="flex flex-col gap-5 overflow-visible!">
        <Field label="Start" required error={isStartInPast && 'Choose a start in the future.'}>
          <DateTimeInput value={dateOf(form.start_time)} onChange={setStart} />
        </Field>
        <Duration form={form} change={change} />
        <Field label="Sign-up closes" hint="No sign-ups after this time">
          <DateTimeInput
            value={dateOf(form.entry_until_time)}
            onChange={(until) => change({ entry_until_time: until && instant(until) })}
          />
        </Field>
      </Card>
    </EventForm>
  );
}

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

const units: readonly DurationUnit[] = ['minutes', 'hours', 'days'];

function Duration({ form, change }: { form: NewEvent; change: (part: Partial<NewEvent>) => void }) {
  const now = useNow();
  const { start_time, duration, unit } = form;
  const end = start_time && endOf(start_time, duration, unit);
  return (
    <div>
      <div className="grid gap-3 min-[22rem]:grid-cols-2">
        <Field label="Duration">
          <NumberStepper value={duration} onChange={(next) => change({ duration: next })} />
        </Field>
        <Field label="Unit">
          <Select value={unit} onChange={({ target }) => change({ unit: target.value as DurationUnit })}>
            {units.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <p role="status" className="mt-1.5 min-h-5.5 text-sm text-muted">
        {end && (
          <>
            Ends {midSentence(longDate(end, now))}, {time12h(end)} ({durationWords(start_time, end)})
          </>
        )}
      </p>
    </div>
  );
}

/** Lowercases 'Today' and 'Tomorrow', but not weekdays. */
const midSentence = (day: string): string => day.replace(/^To/, 'to');

/** Focuses the first invalid field each time validation fails. */
function useFocusOnError(invalidAt: string | undefined) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (invalidAt) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [invalidAt]);
  return element;
}
