import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef } from 'react';
import { useParams } from 'react-router';
import { sentence } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Club } from '#features/clubs/contract.ts';
import { type DurationUnit, endOf } from '#features/events/rules.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { instant } from '#wire/instant.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { DateTimeInput } from '#ui/DateTimeInput.tsx';
import { Field } from '#ui/Field.tsx';
import { durationWords, longDate, time12h } from '#ui/format.ts';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Select } from '#ui/Select.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { LongField, TextField } from './EventFields.tsx';
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
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form ref={element} noValidate onSubmit={onSubmit} className="flex flex-col gap-6">
      <Card className="flex flex-col gap-5 overflow-visible!">
        <TextField
          label="Title"
          maxLength={120}
          value={form.name}
          onChange={(name) => change({ name })}
          error={missing(form.name) && 'Give the event a title.'}
          required
        />
        <TextField
          label="Location"
          maxLength={200}
          value={form.location_name}
          onChange={(location_name) => change({ location_name })}
          error={missing(form.location_name) && 'Say where it takes place.'}
          required
        />
        <LongField
          label="Description"
          rows={2}
          maxLength={2000}
          hint="One line for the card of the event."
          value={form.description}
          onChange={(description) => change({ description })}
        />
        <LongField
          label="Details"
          rows={6}
          maxLength={10_000}
          hint="All that those who come should know."
          value={form.details}
          onChange={(details) => change({ details })}
        />
      </Card>
      <Card className="flex flex-col gap-5 overflow-visible!">
        <Field label="Start" required error={isStartInPast && 'Choose a start in the future.'}>
          <DateTimeInput value={dateOf(form.start_time)} onChange={setStart} />
        </Field>
        <Duration form={form} change={change} />
        <Field label="Sign-up closes" hint="Nobody can sign up from this moment on.">
          <DateTimeInput
            value={dateOf(form.entry_until_time)}
            onChange={(until) => change({ entry_until_time: until && instant(until) })}
          />
        </Field>
      </Card>
      <NotSaved title="The event has not been created" reason={failure && sentence(failure)} />
      <Button type="submit" size="lg" busy={busy} busyLabel="Creating" className="sm:self-end">
        Create Event
      </Button>
    </form>
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
