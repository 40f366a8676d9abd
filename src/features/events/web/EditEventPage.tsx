import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useNow } from '#web/useNow.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, whyCannotEdit } from '#features/events/rules.ts';
import { scheduleKeys } from '#features/events/form-rules.ts';
import { role } from '#features/members/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { unreadableDateTime } from '#ui/date-time-text.ts';
import { Field } from '#ui/Field.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { EventForm } from './EventForm.tsx';
import { Duration, MoreTimes, TimeInput, timesOf } from './TimeFields.tsx';
import { timesInWords, TimesInWords } from './TimesInWords.tsx';
import { type Patch, useEditedEvent } from './useEditedEvent.ts';
import { refreshEvents, useEvent } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

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
      {club?.club_role !== role.admin ? (
        <AdminsOnly title={t('onlyAdminsEdit')} club={club?.slug} />
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

/** Checks the times and leaves all other validation to the server, and sends only changed fields. */
function EditEventForm({ event, onSaved }: { event: Event; onSaved: (slug: string) => Promise<void> }) {
  const { form, change, setTimes, patch, problem, unreadable } = useEditedEvent(event);
  const now = useNow();
  const [announce, setAnnounce] = useState(true);
  const isMoved = patch.location_name !== undefined || scheduleKeys.some((key) => patch[key] !== undefined);
  const [tried, setTried] = useState<object>();
  const notifyFailure = useFailureToast();
  const save = useSubmit({
    mutationFn: (input: Patch & { announce?: boolean }) =>
      api.events.edit({ event: event.slug, club: event.owner_club_id, ...input }),
    onSuccess: async (slug) => {
      await refreshEvents();
      notify('eventUpdated');
      await onSaved(slug);
    },
    onError: () => notifyFailure('eventUpdateFailed'),
  });
  const wasNameMissing = save.isError && save.variables.name?.trim() === '';
  const submit = () => {
    const isInvalid = unreadable.length > 0 || problem !== undefined;
    setTried(isInvalid ? {} : undefined);
    if (isInvalid) notifyFailure('eventUpdateFailed');
    else save.mutate({ ...patch, ...(!announce && !isMoved && { announce }) });
  };
  const errorOf = (field: 'start_time' | 'entry_until_time') =>
    tried !== undefined && unreadable.includes(field) && unreadableDateTime;
  return (
    <EventForm
      values={form}
      onChange={change}
      errors={{ name: wasNameMissing && form.name.trim() === '' && t('titleMissing') }}
      when={
        hasEnded(event, now) ? (
          <FixedTimes event={event} reason={t('isOver')} />
        ) : (
          <>
            {event.start_time <= now ? (
              <FixedTimes event={event} reason={t('hasStarted')} />
            ) : (
              <div>
                <Field label={t('start')} required error={errorOf('start_time') || (tried && problem)}>
                  <TimeInput form={form} value={form.start_time} onChange={setTimes.start} />
                </Field>
                <TimesInWords {...timesOf(form)} />
              </div>
            )}
            <Duration form={form} change={change} />
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
      submitLabel={t('updateEvent')}
      busyLabel={t('updating')}
      busy={save.isPending}
      notSaved={t('eventNotUpdated')}
      failure={wasNameMissing ? null : save.error}
    />
  );
}

const FixedTimes = ({ event, reason }: { event: Event; reason: string }) => (
  <div>
    <p className="text-sm font-semibold">{t('when')}</p>
    <p className="mt-1.5">{timesInWords(event)}</p>
    <p className="mt-1.5 text-sm text-muted">{reason}</p>
  </div>
);
