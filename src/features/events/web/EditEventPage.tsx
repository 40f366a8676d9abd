import { useLocation, useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import type { Event, EventField, EventPatch } from '#features/events/contract.ts';
import { whyCannotEdit } from '#features/events/rules.ts';
import { role } from '#features/members/rules.ts';
import { Banner } from '#ui/Banner.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { EventForm } from './EventForm.tsx';
import { timesInWords } from './TimesInWords.tsx';
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

/** Leaves validation to the server, and sends only changed fields. */
function EditEventForm({ event, onSaved }: { event: Event; onSaved: (slug: string) => Promise<void> }) {
  // Stores only edited fields, so that concurrent changes of other fields are not overwritten.
  const [edited, setEdited] = useDraft<EventPatch>({});
  const notifyFailure = useFailureToast();
  const save = useSubmit({
    mutationFn: (patch: EventPatch) =>
      api.events.edit({ event: event.slug, club: event.owner_club_id, ...patch }),
    onSuccess: async (slug) => {
      await refreshEvents();
      notify('eventUpdated');
      await onSaved(slug);
    },
    onError: () => notifyFailure('eventUpdateFailed'),
  });
  const values = { ...event, ...edited };
  const wasNameMissing = save.isError && save.variables.name?.trim() === '';
  return (
    <EventForm
      values={values}
      onChange={(patch) => setEdited({ ...edited, ...patch })}
      errors={{ name: wasNameMissing && values.name.trim() === '' && t('titleMissing') }}
      when={
        <div>
          <p className="text-sm font-semibold">{t('when')}</p>
          <p className="mt-1.5">{timesInWords(event)}</p>
          <p className="mt-1.5 text-sm text-muted">{t('timeCannotBeChanged')}</p>
        </div>
      }
      invalid={wasNameMissing && save.error}
      onSubmit={() => save.mutate(changed(event, edited))}
      submitLabel={t('updateEvent')}
      busyLabel={t('updating')}
      busy={save.isPending}
      notSaved={t('eventNotUpdated')}
      failure={wasNameMissing ? null : save.error}
    />
  );
}

const changed = (before: Event, edited: EventPatch): EventPatch =>
  Object.fromEntries(Object.entries(edited).filter(([key, value]) => before[key as EventField] !== value));
