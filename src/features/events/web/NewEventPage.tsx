import { useSuspenseQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Club } from '#features/clubs/contract.ts';
import { type DurationUnit, endOf } from '#features/events/rules.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { unreadableDateTime } from '#ui/date-time-text.ts';
import { DateTimeInput, type TypedDate } from '#ui/DateTimeInput.tsx';
import { Field } from '#ui/Field.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Select } from '#ui/Select.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { EventForm } from './EventForm.tsx';
import { dayAndTime, TimesInWords } from './TimesInWords.tsx';
import { type NewEvent, type TypedInstant, useNewEvent } from './useNewEvent.ts';
import { browserZone, useSuggestedStarts } from './useSuggestedStarts.ts';
import { t } from '#features/events/messages.ts';

export default function NewEventPage() {
  useTitle(t('newEvent'));
  const { slug = '' } = useParams();
  const club = useSuspenseQuery(queries.club(slug)).data;
  const back = useBack(`/app/clubs/${club.slug}`);
  const isAdmin = isAdminIn(club, useUser().id);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('newEvent')} text={club.club_name} back={<BackButton onClick={back} />} />
      {isAdmin ? <NewEventForm club={club} /> : <AdminsOnly title={t('onlyAdminsCreate')} club={club.slug} />}
    </div>
  );
}

function NewEventForm({ club }: { club: Club }) {
  const { form, change, setStart, setZone, submit, invalidAt, busy, failure } = useNewEvent(club);
  const missing = (text: string) => invalidAt !== undefined && text.trim() === '';
  return (
    <EventForm
      isNew
      values={form}
      onChange={change}
      errors={{
        name: missing(form.name) && t('titleMissingInNew'),
        location_name: missing(form.location_name) && t('locationMissing'),
      }}
      when={
        <>
          <div>
            <Field label={t('start')} required error={invalidAt && problemOf(form.start_time, invalidAt)}>
              <SuggestedStarts club={club} form={form} onPick={setStart} />
              <TimeInput form={form} value={form.start_time} onChange={setStart} />
            </Field>
            <TimesInWords {...timesOf(form)} />
          </div>
          <Duration form={form} change={change} />
        </>
      }
      more={
        <More>
          <Field
            label={t('signUpCloses')}
            hint={signUpHint(form)}
            error={invalidAt && form.entry_until_time === null && unreadableDateTime}
          >
            <TimeInput
              form={form}
              value={form.entry_until_time}
              onChange={(entry_until_time) => change({ entry_until_time })}
            />
          </Field>
          <Field label={t('timeZone')} hint={t('timeZoneHint')}>
            <ZoneSelect value={form.time_zone} onChange={setZone} />
          </Field>
        </More>
      }
      onSubmit={submit}
      invalid={invalidAt}
      submitLabel={t('createEvent')}
      busyLabel={t('creating')}
      busy={busy}
      notSaved={t('eventNotCreated')}
      failure={failure}
    />
  );
}

function problemOf(start: TypedInstant, now: Instant): string | false {
  if (start === null) return unreadableDateTime;
  return (start === undefined || start < now) && t('startInPast');
}

function signUpHint({ entry_until_time, time_zone }: NewEvent): string {
  return entry_until_time
    ? t('noSignUpsAfter', { time: dayAndTime(entry_until_time, time_zone) })
    : t('noSignUpsAfterThisTime');
}

function timesOf({ start_time, duration, unit, time_zone }: NewEvent) {
  return { start_time, end_time: start_time && endOf(start_time, duration, unit), time_zone };
}

type TimeInputProps = {
  form: NewEvent;
  value: TypedInstant;
  onChange: (value: TypedInstant) => void;
};

const TimeInput = ({ form, value, onChange }: TimeInputProps) => (
  <DateTimeInput
    timeZone={form.time_zone}
    value={value ? new Date(value) : (value as TypedDate)}
    onChange={(typed) => onChange(typed && instant(typed))}
  />
);

type SuggestedStartsProps = { club: Club; form: NewEvent; onPick: (start: Instant) => void };

function SuggestedStarts({ club, form, onPick }: SuggestedStartsProps) {
  const suggested = useSuggestedStarts(club.events, form.time_zone);
  return (
    <div
      role="group"
      aria-label={t('suggestedTimes')}
      // One row on a phone, so that title, time, place and button fit on its screen.
      className="-mx-5 flex gap-2 overflow-x-auto px-5 pb-1.5 [scrollbar-width:none] sm:-mx-6 sm:flex-wrap sm:px-6"
    >
      {suggested.map(({ label, start }) => (
        <Button
          key={label}
          variant="secondary"
          size="sm"
          aria-pressed={start === form.start_time}
          className="rounded-full! aria-pressed:border-accent! aria-pressed:bg-accent-soft!"
          onClick={() => onPick(start)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

const units: readonly DurationUnit[] = ['minutes', 'hours', 'days'];

function Duration({ form, change }: { form: NewEvent; change: (part: Partial<NewEvent>) => void }) {
  const { duration, unit } = form;
  return (
    <div className="grid gap-3 min-[22rem]:grid-cols-2">
      <Field label={t('duration')}>
        <NumberStepper value={duration} onChange={(next) => change({ duration: next })} />
      </Field>
      <Field label={t('unit')}>
        <Select value={unit} onChange={({ target }) => change({ unit: target.value as DurationUnit })}>
          {units.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}

const More = ({ children }: { children: ReactNode }) => (
  <details className="group -mx-5 -mb-5 border-t border-line sm:-mx-6 sm:-mb-6">
    <summary className="flex min-h-13 cursor-pointer list-none items-center gap-3 px-5 font-semibold focus-visible:-outline-offset-2 sm:px-6 [&::-webkit-details-marker]:hidden">
      {t('more')}
      <span className="text-sm font-normal text-muted">{t('moreHint')}</span>
      <ChevronDown
        aria-hidden
        className="ml-auto size-5 text-muted transition-transform group-open:rotate-180"
      />
    </summary>
    <div className="flex flex-col gap-5 px-5 pt-1 pb-5 sm:px-6 sm:pb-6">{children}</div>
  </details>
);

function ZoneSelect({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const usual = new Set([value, browserZone(), 'UTC']);
  const others = Intl.supportedValuesOf('timeZone').filter((zone) => !usual.has(zone));
  return (
    <Select value={value} onChange={({ target }) => onChange(target.value)}>
      {[...usual, ...others].map((zone) => (
        <option key={zone} value={zone}>
          {zone.replaceAll('_', ' ')}
        </option>
      ))}
    </Select>
  );
}
