import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { useUser } from '#web/useSession.ts';
import { useTitle } from '#web/useTitle.ts';
import { isBlank } from '#wire/blank.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { Event } from '#features/events/contract.ts';
import { isAdminIn } from '#features/members/rules.ts';
import { OtherStarts } from '#features/events/polls/web/OtherStarts.tsx';
import { RepeatFields } from '#features/events/series/web/RepeatFields.tsx';
import type { Instant } from '#wire/instant.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Skeleton } from '#ui/Skeleton.tsx';
import { AdminsOnly } from '#features/events/web/AdminsOnly.tsx';
import { EventForm } from '#features/events/web/EventForm.tsx';
import {
  Duration,
  MoreTimes,
  TimeInput,
  enteredTimes,
  typedProblem,
} from '#features/events/web/TimeFields.tsx';
import { TimesInWords } from '#features/events/web/TimesInWords.tsx';
import { type NewEvent, useNewEvent } from './useNewEvent.ts';
import { readableTimes, type TypedInstant } from '#features/events/form-rules.ts';
import { useSuggestedStarts } from '#features/events/web/useSuggestedStarts.ts';
import { t } from '#features/events/messages.ts';

export default function NewEventPage() {
  useTitle(t('newEvent'));
  const { slug = '' } = useParams();
  const club = useSuspenseQuery(queries.club(slug)).data;
  const back = useBack(`/app/clubs/${club.slug}`);
  const isAdmin = isAdminIn(club, useUser().id);
  const from = useSearchParams()[0].get('from') ?? '';
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('newEvent')} text={club.club_name} back={<BackButton onClick={back} />} />
      {isAdmin ? (
        // The key gives each original its own form.
        <FormOrDuplicate key={from} club={club} from={from} />
      ) : (
        <AdminsOnly title={t('onlyAdminsCreate')} club={club.slug} />
      )}
    </div>
  );
}

/** `from` is the slug of the event of this club to duplicate, or empty. */
function FormOrDuplicate({ club, from }: { club: Club; from: string }) {
  const { data: event, isPending } = useQuery({ ...queries.event(from), enabled: from !== '' });
  if (from === '') return <NewEventForm club={club} />;
  if (isPending) return <Skeleton className="h-96" />;
  const original = event?.owner_club_id === club.id ? event : undefined;
  return (
    <>
      <Banner tone={original ? 'accent' : 'warn'} title={!original && t('notDuplicated')} className="mb-5">
        {original ? t('duplicateOf', { name: original.name }) : t('notDuplicatedText')}
      </Banner>
      <NewEventForm key={original?.id} club={club} original={original} />
    </>
  );
}

function NewEventForm({ club, original }: { club: Club; original?: Event | undefined }) {
  const { form, change, setStart, setZone, submit, invalidAt, busy, failure } = useNewEvent(club, original);
  const now = useNow();
  const missing = (text: string) => invalidAt !== undefined && isBlank(text);
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
            <TimesInWords {...enteredTimes(form)} />
          </div>
          <Duration form={form} change={change} />
          {form.repeats.choice === 'never' && (
            <OtherStarts
              form={form}
              others={form.other_starts}
              onChange={(other_starts) => change({ other_starts })}
              invalidAt={invalidAt}
            />
          )}
        </>
      }
      repeats={
        form.other_starts.length === 0 && (
          <RepeatFields
            club={club.slug}
            repeats={form.repeats}
            onChange={(repeats) => change({ repeats })}
            times={readableTimes(form)}
            now={now}
            tried={invalidAt !== undefined}
          />
        )
      }
      more={
        <MoreTimes
          form={form}
          change={change}
          setZone={setZone}
          cutOff={t('signUpCloses')}
          cutOffError={
            invalidAt && form.entry_until_time !== form.start_time && typedProblem(form.entry_until_time)
          }
        />
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
  if (start === undefined || (start && start < now)) return t('startInPast');
  return typedProblem(start) ?? false;
}

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
