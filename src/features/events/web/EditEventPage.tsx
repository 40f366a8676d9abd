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

/** The event's page takes the place of this one, and its own way back leads past the event as it was before. */
function useLeave(): (slug: string) => Promise<void> {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return async (slug) => navigate(`/app/events/${slug}`, { replace: true, state: { from: pathname } });
}

/** Checks nothing itself, and sends only what has changed. */
function EditEventForm({ event, onSaved }: { event: Event; onSaved: (slug: string) => Promise<void> }) {
  // Only what was typed, so that what somebody else changes meanwhile is not changed back.
  const [typed, setTyped] = useDraft<Partial<EventPatch>>({});
  const form = { ...event, ...typed };
  const change = (part: Partial<EventPatch>) => setTyped({ ...typed, ...part });
  const save = useSubmit({
    mutationFn: (words: Partial<EventPatch>) =>
      api.events.edit({ event: event.slug, club: event.owner_club_id, ...words }),
    onSuccess: async (slug) => {
      await refreshEvents();
      notify('eventUpdated');
      await onSaved(slug);
    },
    onError: () => notify('eventUpdateFailed'),
  });
  const nameless = save.isError && save.variables.name?.trim() === '';
  const submit = (operation: FormEvent) => {
    operation.preventDefault();
    save.mutate(changed(event, typed));
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-6">
      <Card className="flex flex-col gap-5">
        <TextField
          label="Title"
          longest={120}
          value={form.name}
          onChange={(name) => change({ name })}
          error={nameless && 'An event needs a title.'}
          required
        />
        <LongField
          label="Description"
          rows={2}
          longest={2000}
          value={form.description}
          onChange={(description) => change({ description })}
          required
        />
        <LongField
          label="Details"
          rows={6}
          longest={10_000}
          value={form.details}
          onChange={(details) => change({ details })}
          required
        />
        <TextField
          label="Location"
          longest={200}
          value={form.location_name}
          onChange={(location_name) => change({ location_name })}
          required
        />
      </Card>
      {!nameless && (
        <NotSaved title="The event has not been changed" reason={save.error && sentence(save.error)} />
      )}
      <Button type="submit" size="lg" busy={save.isPending} busyLabel="Updating" className="sm:self-end">
        Update Event
      </Button>
    </form>
  );
}

type EventPatch = Pick<Event, 'name' | 'description' | 'details' | 'location_name'>;

const changed = (before: EventPatch, typed: Partial<EventPatch>): Partial<EventPatch> =>
  Object.fromEntries(
    Object.entries(typed).filter(([key, value]) => before[key as keyof EventPatch] !== value),
  );
