import type { FormEvent } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useDraft } from '#web/useDraft.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import type { Event } from '#features/events/contract.ts';
import { whyCannotEdit } from '#features/events/rules.ts';
import { role } from '#features/members/rules.ts';
import { Banner, NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { AdminsOnly } from './AdminsOnly.tsx';
import { LongField, TextField } from './EventFields.tsx';
import { refreshEvents, useEvent } from './useEvent.ts';

export default function EditEventPage() {
  useTitle('Edit event');
  const { event, club } = useEvent();
  const leave = useLeave();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title="Edit event"
        text={event.name}
        back={<BackButton onClick={() => void leave(event.slug)} />}
      />
      {club?.club_role !== role.admin ? (
        <AdminsOnly title="Only club admins can edit events" club={club?.slug} />
      ) : whyCannotEdit(event) ? (
        <Banner title="This event has been cancelled">It can no longer be changed.</Banner>
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
  const [edited, setEdited] = useDraft<Partial<EventPatch>>({});
  const form = { ...event, ...edited };
  const change = (part: Partial<EventPatch>) => setEdited({ ...edited, ...part });
  const save = useSubmit({
    mutationFn: (patch: Partial<EventPatch>) =>
      api.events.edit({ event: event.slug, club: event.owner_club_id, ...patch }),
    onSuccess: async (slug) => {
      await refreshEvents();
      notify('eventUpdated');
      await onSaved(slug);
    },
    onError: () => notify('eventUpdateFailed'),
  });
  const isNameMissing = save.isError && save.variables.name?.trim() === '';
  const submit = (formEvent: FormEvent) => {
    formEvent.preventDefault();
    save.mutate(changed(event, edited));
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-6">
      <Card className="flex flex-col gap-5">
        <TextField
          label="Title"
          maxLength={120}
          value={form.name}
          onChange={(name) => change({ name })}
          error={isNameMissing && 'An event needs a title.'}
          required
        />
        <LongField
          label="Description"
          rows={2}
          maxLength={2000}
          value={form.description}
          onChange={(description) => change({ description })}
          required
        />
        <LongField
          label="Details"
          rows={6}
          maxLength={10_000}
          value={form.details}
          onChange={(details) => change({ details })}
          required
        />
        <TextField
          label="Location"
          maxLength={200}
          value={form.location_name}
          onChange={(location_name) => change({ location_name })}
          required
        />
      </Card>
      {!isNameMissing && (
        <NotSaved title="The event has not been changed" reason={save.error && sentence(save.error)} />
      )}
      <Button type="submit" size="lg" busy={save.isPending} busyLabel="Updating" className="sm:self-end">
        Update Event
      </Button>
    </form>
  );
}

type EventPatch = Pick<Event, 'name' | 'description' | 'details' | 'location_name'>;

const changed = (before: EventPatch, edited: Partial<EventPatch>): Partial<EventPatch> =>
  Object.fromEntries(
    Object.entries(edited).filter(([key, value]) => before[key as keyof EventPatch] !== value),
  );
