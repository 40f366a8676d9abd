import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { notify } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { type MailKind, settingKeys } from '#features/notifications/contract.ts';
import { isAlwaysSent } from '#features/notifications/rules.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { Checkbox } from '#ui/Checkbox.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { t } from '#features/notifications/messages.ts';

/** What each row of the grid is about. */
const rows: { kind: MailKind; name: string; note?: string }[] = [
  { kind: 'new_event', name: t('newEvents') },
  { kind: 'event_updated', name: t('changedEvents'), note: t('changedEventsNote') },
  { kind: 'event_cancelled', name: t('cancelledEvents') },
  { kind: 'event_reminder', name: t('reminders'), note: t('remindersNote') },
  { kind: 'attending', name: t('yourSignUps'), note: t('yourSignUpsNote') },
  { kind: 'answered_for_you', name: t('answersForYou'), note: t('answersForYouNote') },
  { kind: 'answer_wanted', name: t('answersWanted'), note: t('answersWantedNote') },
  { kind: 'seat_given', name: t('seatsForYou') },
  { kind: 'seat_free', name: t('freeSeats'), note: t('freeSeatsNote') },
  { kind: 'lift_changed', name: t('lifts'), note: t('liftsNote') },
  { kind: 'club_update', name: t('clubUpdates') },
  { kind: 'member_joined', name: t('newMembers'), note: t('newMembersNote') },
  { kind: 'role_changed', name: t('yourRole') },
  { kind: 'member_removed', name: t('clubsThatRemovedYou') },
];

const channels = [
  { name: t('inTheApp'), keyOf: (kind: MailKind) => kind },
  { name: t('byEmail'), keyOf: (kind: MailKind) => `email_${kind}` as const },
];

const columns = 'grid grid-cols-2 gap-x-4 sm:grid-cols-[minmax(0,1fr)_11rem_14.5rem]';

export default function SettingsPage() {
  const { data: settings } = useSuspenseQuery(queries.notificationSettings());
  /** Only what was changed here, so that the other settings stay as another device left them. */
  const [changed, setChanged] = useState<Record<string, boolean>>({});
  const draft = { ...settings, ...changed };
  const back = useBack('/app');
  const notifyFailure = useFailureToast();
  const save = useSubmit({
    mutationFn: () => api.notifications.saveSettings(draft),
    onSuccess: (saved) => {
      queryClient.setQueryData(queries.notificationSettings().queryKey, saved);
      notify('settingsSaved');
    },
    onError: () => notifyFailure('settingsFailed'),
  });
  useTitle(t('notificationSettings'));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader
        title={t('notificationSettings')}
        text={t('notificationSettingsText')}
        back={<BackButton onClick={back} />}
      />
      <Card asChild>
        <form onSubmit={submit} className="flex flex-col gap-6">
          <div className="flex flex-col">
            <div aria-hidden className={cn(columns, 'pb-2 text-sm font-semibold text-muted')}>
              <span className="max-sm:hidden" />
              {channels.map(({ name }) => (
                <span key={name}>{name}</span>
              ))}
            </div>
            {rows.map((row) => (
              <Row
                key={row.kind}
                {...row}
                draft={draft}
                onChange={(next) => setChanged({ ...changed, ...next })}
              />
            ))}
          </div>
          <NotSaved title={t('settingsNotSaved')} reason={save.error && sentence(save.error)} />
          <Button type="submit" busy={save.isPending} className="sm:self-end">
            {t('save')}
          </Button>
        </form>
      </Card>
    </div>
  );
}

type RowProps = (typeof rows)[number] & {
  draft: Record<string, boolean>;
  onChange: (changed: Record<string, boolean>) => void;
};

/** One kind: a checkbox for each channel that has it, to change unless the kind is sent whatever the setting says. */
function Row({ kind, name, draft, onChange, ...row }: RowProps) {
  const id = useId();
  const isAlways = isAlwaysSent(kind, {});
  const note = isAlways ? t('alwaysSentNote') : row.note;
  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={note && `${id}-note`}
      className={cn(columns, 'items-start border-t border-line py-2')}
    >
      <div className="py-2.5 max-sm:col-span-2 max-sm:pb-0">
        <h2 id={id} className="font-semibold">
          {name}
        </h2>
        {note && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {note}
          </p>
        )}
      </div>
      {channels.map(({ name: channel, keyOf }) => {
        const key = settingKeys.find((each) => each === keyOf(kind));
        return key ? (
          <Checkbox
            key={key}
            name={key}
            label={<span className="inline-block first-letter:uppercase">{key.replaceAll('_', ' ')}</span>}
            checked={isAlways || (draft[key] ?? false)}
            disabled={isAlways}
            onChange={({ target }) => onChange({ [key]: target.checked })}
          />
        ) : (
          <span key={channel} />
        );
      })}
    </div>
  );
}
