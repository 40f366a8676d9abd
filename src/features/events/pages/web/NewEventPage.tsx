import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { queries } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useNow } from '#web/useNow.ts';
import { useTitle } from '#web/useTitle.ts';
import { isBlank } from '#wire/blank.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { Event } from '#features/events/contract.ts';
import { withoutRemoved } from '#features/sections/rules.ts';
import { OtherStarts } from '#features/events/polls/web/OtherStarts.tsx';
import { t as ofPolls } from '#features/events/polls/messages.ts';
import { t as ofSeries } from '#features/events/series/messages.ts';
import { RepeatFields } from '#features/events/series/web/RepeatFields.tsx';
import type { Instant } from '#wire/instant.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import type { Section } from '#features/sections/contract.ts';
import { Field } from '#ui/Field.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Skeleton } from '#ui/Skeleton.tsx';
import { NotAllowed } from '#features/events/web/NotAllowed.tsx';
import { EventForm } from '#features/events/web/EventForm.tsx';
import { MoreTimes, TimeInput, enteredTimes, typedProblem } from '#features/events/web/TimeFields.tsx';
import { EndFields } from '#features/events/web/EndFields.tsx';
import { TimesInWords } from '#features/events/web/TimesInWords.tsx';
import { useNewEvent } from './useNewEvent.ts';
import { readableTimes, type TypedInstant } from '#features/events/form-rules.ts';
import { type SuggestedStart, useSuggestedStarts } from '#features/events/web/useSuggestedStarts.ts';
import { t } from '#features/events/messages.ts';

export default function NewEventPage() {
  useTitle(t('newEvent'));
  const { slug = '' } = useParams();
  const club = useSuspenseQuery(queries.club(slug)).data;
  const back = useBack(`/app/clubs/${club.slug}`);
  const from = useSearchParams()[0].get('from') ?? '';
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('newEvent')} text={club.club_name} back={<BackButton onClick={back} />} />
      {club.is_planner ? (
        // The key gives each original its own form.
        <FormOrDuplicate key={from} club={club} from={from} />
      ) : (
        <NotAllowed title={t('cannotCreate')} club={club.slug} />
      )}
    </div>
  );
}

/** `from` is the slug of the event of this club to duplicate, or empty. */
function FormOrDuplicate({ club, from }: { club: Club; from: string }) {
  const { data: event, isPending } = useQuery({ ...queries.event(from), enabled: from !== '' });
  const isForSome = (event?.section_ids.length ?? 0) > 0;
  const { data: sections = [], isLoading } = useQuery(queries.sections(club.slug));
  if (from === '') return <NewEventForm club={club} sections={sections} />;
  if (isPending || (isForSome && isLoading)) return <Skeleton className="h-96" />;
  const existing = sections.map(({ id }) => id);
  const copied = event && isForSome ? { ...event, ...withoutRemoved(event, existing) } : event;
  const original = copied?.owner_club_id === club.id ? copied : undefined;
  return (
    <>
      <Banner tone={original ? 'accent' : 'warn'} title={!original && t('notDuplicated')} className="mb-5">
        {original ? t('duplicateOf', { name: original.name }) : t('notDuplicatedText')}
      </Banner>
      <NewEventForm key={original?.id} club={club} sections={sections} original={original} />
    </>
  );
}

type NewEventFormProps = { club: Club; sections: readonly Section[]; original?: Event | undefined };

function NewEventForm({ club, sections, original }: NewEventFormProps) {
  const newEvent = useNewEvent(club, original);
  const { form, change, setStart, setZone, pick, submit, question, invalidAt, busy, failure, kept } =
    newEvent;
  const now = useNow();
  const suggested = useSuggestedStarts(club.events, form.time_zone);
  const [isRepeatsOpen, setRepeatsOpen] = useState(false);
  const missing = (text: string) => invalidAt !== undefined && isBlank(text);
  const [firstSuggested] = suggested;
  return (
    <>
      <DraftNotice of={kept} />
      <EventForm
        isNew
        values={form}
        sections={sections}
        onChange={change}
        errors={{
          name: missing(form.name) && t('titleMissingInNew'),
          location_name: missing(form.location_name) && t('locationMissing'),
        }}
        when={
          <>
            <div>
              <Field
                label={form.other_starts.length > 0 ? ofPolls('nthTime', { n: 1 }) : t('start')}
                required
                error={invalidAt && problemOf(form.start_time, invalidAt)}
              >
                <SuggestedStarts
                  starts={suggested}
                  chosen={form.start_time}
                  onPick={(start) => pick(start, suggested)}
                />
                <TimeInput form={form} value={form.start_time} onChange={setStart} />
              </Field>
              <TimesInWords {...enteredTimes(form)} />
            </div>
            <EndFields form={form} change={change} tried={invalidAt !== undefined} />
          </>
        }
        times={
          // An event that repeats has one time, and members cannot vote on the times of a series.
          form.repeats.choice === 'never'
            ? {
                label: ofPolls('letMembersVote'),
                isOpen: form.other_starts.length > 0,
                unfold: () => change({ other_starts: [undefined] }),
                content: (
                  <OtherStarts
                    form={form}
                    others={form.other_starts}
                    onChange={(other_starts) => change({ other_starts })}
                    invalidAt={invalidAt}
                  />
                ),
              }
            : undefined
        }
        repeats={
          form.other_starts.length === 0
            ? {
                label: ofSeries('repeats'),
                isOpen: isRepeatsOpen || form.repeats.choice !== 'never',
                unfold: () => {
                  setRepeatsOpen(true);
                  change({ repeats: { ...form.repeats, choice: 'weekly' } });
                },
                content: (
                  <RepeatFields
                    club={club.slug}
                    repeats={form.repeats}
                    onChange={(repeats) => {
                      // The select stays when 'Never' is chosen in it.
                      setRepeatsOpen(true);
                      change({ repeats });
                    }}
                    times={readableTimes(form)}
                    now={now}
                    tried={invalidAt !== undefined}
                  />
                ),
              }
            : undefined
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
      <LazyConfirmDialog
        open={question?.isOpen ?? false}
        onOpenChange={newEvent.closeQuestion}
        title={t('createItNow')}
        text={t('startsInMinutes', { n: question?.startsIn ?? 0 })}
        confirmLabel={t('createEvent')}
        onConfirm={newEvent.createNow}
        {...(firstSuggested && {
          cancelLabel: firstSuggested.label,
          onCancel: () => pick(firstSuggested, suggested),
        })}
      />
    </>
  );
}

function problemOf(start: TypedInstant, now: Instant): string | false {
  if (start === undefined || (start && start < now)) return t('startInPast');
  return typedProblem(start) ?? false;
}

type SuggestedStartsProps = {
  starts: readonly SuggestedStart[];
  chosen: TypedInstant;
  onPick: (start: SuggestedStart) => void;
};

const SuggestedStarts = ({ starts, chosen, onPick }: SuggestedStartsProps) => (
  <div
    role="group"
    aria-label={t('suggestedTimes')}
    // One row on a phone, so that title, time, place and button fit on its screen.
    className="-mx-5 flex gap-2 overflow-x-auto px-5 pb-1.5 [scrollbar-width:none] sm:-mx-6 sm:flex-wrap sm:px-6"
  >
    {starts.map((each) => (
      <Button
        key={each.label}
        variant="secondary"
        size="sm"
        aria-pressed={each.start === chosen}
        className="rounded-full! aria-pressed:border-accent! aria-pressed:bg-accent-soft!"
        onClick={() => onPick(each)}
      >
        {each.label}
      </Button>
    ))}
  </div>
);
