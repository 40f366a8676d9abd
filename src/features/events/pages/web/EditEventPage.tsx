import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { queries } from '#web/queries.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { useSubmit } from '#web/useSubmit.ts';
import { useNow } from '#web/useNow.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { isBlank } from '#wire/blank.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, whyCannotEdit } from '#features/events/rules.ts';
import { scheduleKeys } from '#features/events/form-rules.ts';
import type { SeriesPatch } from '#features/events/series/form-rules.ts';
import { t as ofPolls } from '#features/events/polls/messages.ts';
import { t as ofSeries } from '#features/events/series/messages.ts';
import { Banner } from '#ui/Banner.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { NotAllowed } from '#features/events/web/NotAllowed.tsx';
import { EventForm } from '#features/events/web/EventForm.tsx';
import { MoreTimes, TimeInput, enteredTimes, typedProblem } from '#features/events/web/TimeFields.tsx';
import { EndFields } from '#features/events/web/EndFields.tsx';
import { timesInWords, TimesInWords } from '#features/events/web/TimesInWords.tsx';
import { type Patch, useEditedEvent } from './useEditedEvent.ts';
import { refreshEvents, useEvent } from '#features/events/web/useEvent.ts';
import { t } from '#features/events/messages.ts';
import { lazyPart } from '#ui/LazyPart.tsx';

const SeriesScope = lazyPart(() => import('#features/events/series/web/SeriesScope.tsx'));

export default function EditEventPage() {
  useTitle(t('editEvent'));
  const { event, club } = useEvent();
  const leave = useLeave();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t('editEvent')}
        text={event.name}
        back={<BackButton onClick={() => void leave(event.slug)} />}
      />
      {!club?.is_planner ? (
        <NotAllowed title={t('cannotEdit')} club={club?.slug} />
      ) : whyCannotEdit(event) ? (
        <Banner title={t('eventIsCancelled')}>{t('canNoLongerBeChanged')}</Banner>
      ) : (
        <EditEventForm event={event} onSaved={leave} />
      )}
    </div>
  );
}

/** Replaces this page with the event page. `from` makes its back button skip the old history entry of the event. */
function useLeave(): (slug: string) => Promise<void> {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return async (slug) => navigate(`/app/events/${slug}`, { replace: true, state: { from: pathname } });
}

/** The sections of the club of an event. A club without sections needs no request. */
function useSectionsOf({ owner_club_id, section_counts }: Event) {
  const { data } = useQuery({ ...queries.sections(owner_club_id), enabled: section_counts.length > 0 });
  return data ?? [];
}

/** Checks the times, leaves all other validation to the server, and sends only changed fields. */
function EditEventForm({
  event: newest,
  onSaved,
}: {
  event: Event;
  onSaved: (slug: string) => Promise<void>;
}) {
  const edited = useEditedEvent(newest);
  const sections = useSectionsOf(newest);
  const { form, base: event, change, setTimes, patch, problem, invalidTimes } = edited;
  const now = useNow();
  const [announce, setAnnounce] = useState(true);
  const isMoved = patch.location_name !== undefined || scheduleKeys.some((key) => patch[key] !== undefined);
  const [tried, setTried] = useState<object>();
  const showFailure = useFailureToast();
  const [isAsking, setAsking] = useState(false);
  const save = useSubmit({
    mutationFn: (edit: Edit) => edited.save(() => saveEdit(event, edit, edited.version)),
    onSuccess: async (changed) => {
      if (changed === undefined) return setAsking(false);
      edited.kept.forget();
      await refreshEvents();
      if (typeof changed === 'string') showToast('eventUpdated');
      else
        showToast({ title: ofSeries('seriesUpdated'), text: ofSeries('seriesUpdatedText', { n: changed }) });
      await onSaved(typeof changed === 'string' ? changed : event.slug);
    },
    onError: () => showFailure('eventUpdateFailed'),
  });
  const savedName = save.variables?.patch.name;
  const wasNameMissing = save.isError && savedName !== undefined && isBlank(savedName);
  const send = (series?: SeriesPatch) =>
    save.mutate({ patch, series, announced: !announce && !isMoved ? { announce } : {} });
  const submit = () => {
    const isInvalid = invalidTimes.length > 0 || problem !== undefined || edited.hasRepeatedChoice;
    setTried(isInvalid ? {} : undefined);
    if (isInvalid) showFailure('eventUpdateFailed');
    else if (event.series && Object.keys(patch).length > 0) {
      save.reset();
      setAsking(true);
    } else send();
  };
  /** The dialog closes if the title is missing, because the form shows this error at the field. */
  const isScopeOpen = isAsking && !wasNameMissing;
  const errorOf = (field: 'start_time' | 'entry_until_time') =>
    tried !== undefined && invalidTimes.includes(field) && typedProblem(form[field] ?? null);
  const texts = { submitLabel: t('updateEvent'), busyLabel: t('updating'), busy: save.isPending };
  return (
    <>
      <DraftNotice of={edited.kept} />
      <EventForm
        values={form}
        sections={sections}
        onChange={change}
        errors={{ name: wasNameMissing && isBlank(form.name) && t('titleMissing') }}
        when={
          hasEnded(event, now) ? (
            <FixedTimes event={event} reason={t('isOver')} />
          ) : event.polling ? (
            <p>{ofPolls('decideOnPage')}</p>
          ) : (
            <>
              {event.start_time <= now ? (
                <FixedTimes event={event} reason={t('hasStarted')} />
              ) : (
                <div>
                  <Field label={t('start')} required error={errorOf('start_time') || (tried && problem)}>
                    <TimeInput form={form} value={form.start_time} onChange={setTimes.start} />
                  </Field>
                  <TimesInWords {...enteredTimes(form)} />
                </div>
              )}
              <EndFields form={form} change={change} tried={tried !== undefined} />
            </>
          )
        }
        more={
          <>
            {!hasEnded(event, now) && (
              <MoreTimes
                form={form}
                change={change}
                setZone={setTimes.zone}
                cutOff={t('answersClose')}
                cutOffError={errorOf('entry_until_time')}
              />
            )}
            {!isMoved && (
              <Checkbox
                label={t('tellPeople')}
                hint={t('tellPeopleHint')}
                checked={announce}
                onChange={({ target }) => setAnnounce(target.checked)}
              />
            )}
          </>
        }
        invalid={tried ?? (wasNameMissing && save.error)}
        onSubmit={submit}
        {...texts}
        notSaved={t('eventNotUpdated')}
        failure={wasNameMissing || isScopeOpen ? null : save.error}
        theirValues={edited.theirValues}
      />
      {isScopeOpen && (
        <Suspense>
          <SeriesScope
            event={event}
            patch={patch}
            onSave={send}
            onClose={() => setAsking(false)}
            failure={save.error}
            {...texts}
          />
        </Suspense>
      )}
    </>
  );
}

type Edit = {
  patch: Patch;
  /** The changes for several dates of the series. If undefined, only the event changes. */
  series: SeriesPatch | undefined;
  announced: { announce?: boolean };
};

/** Returns the slug of the event, or how many events of its series changed. */
async function saveEdit(
  { slug, owner_club_id: club, series: of }: Event,
  { patch, series, announced }: Edit,
  version: ReturnType<typeof useEditedEvent>['version'],
): Promise<string | number> {
  if (!of || !series) return api.events.edit({ event: slug, club, ...patch, ...announced }, version.event);
  const edit = { series: of.slug, ...series, ...announced };
  return (await api.series.edit(edit, version.series)).changed;
}

const FixedTimes = ({ event, reason }: { event: Event; reason: string }) => (
  <div>
    <p className="text-sm font-semibold">{t('when')}</p>
    <p className="mt-1.5">{timesInWords(event)}</p>
    <p className="mt-1.5 text-sm text-muted">{reason}</p>
  </div>
);
