import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { showToast } from '#web/copy.ts';
import { useFailureToast } from '#web/useFailureToast.ts';
import { alwaysSent, type Setting, settingNames } from '#features/notifications/contract.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { cn } from '#ui/class-names.ts';
import { Checkbox } from '#ui/Checkbox.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { t } from '#features/notifications/messages.ts';

type MessageKey = Parameters<typeof t>[0];

/** The texts of each row of the grid. */
const texts = {
  new_event: { inTheApp: 'newEventLabel', byEmail: 'emailNewEventLabel', name: 'newEvents' },
  event_updated: {
    inTheApp: 'eventUpdatedLabel',
    byEmail: 'emailEventUpdatedLabel',
    name: 'changedEvents',
    note: 'changedEventsNote',
  },
  event_cancelled: {
    inTheApp: 'eventCancelledLabel',
    byEmail: 'emailEventCancelledLabel',
    name: 'cancelledEvents',
  },
  event_reminder: {
    inTheApp: 'eventReminderLabel',
    byEmail: 'emailEventReminderLabel',
    name: 'reminders',
    note: 'remindersNote',
  },
  event_message: {
    inTheApp: 'eventMessageLabel',
    byEmail: 'emailEventMessageLabel',
    name: 'eventMessages',
    note: 'eventMessagesNote',
  },
  question: {
    inTheApp: 'questionLabel',
    byEmail: 'emailQuestionLabel',
    name: 'questions',
    note: 'questionsNote',
  },
  attending: { byEmail: 'emailAttendingLabel', name: 'yourSignUps', note: 'yourSignUpsNote' },
  answered_for_you: {
    inTheApp: 'answeredForYouLabel',
    byEmail: 'emailAnsweredForYouLabel',
    name: 'answersForYou',
    note: 'answersForYouNote',
  },
  answer_wanted: {
    inTheApp: 'answerWantedLabel',
    byEmail: 'emailAnswerWantedLabel',
    name: 'answersWanted',
    note: 'answersWantedNote',
  },
  seat_given: { inTheApp: 'seatGivenLabel', byEmail: 'emailSeatGivenLabel', name: 'seatsForYou' },
  seat_free: {
    inTheApp: 'seatFreeLabel',
    byEmail: 'emailSeatFreeLabel',
    name: 'freeSeats',
    note: 'freeSeatsNote',
  },
  answers_changed: {
    inTheApp: 'answersChangedLabel',
    byEmail: 'emailAnswersChangedLabel',
    name: 'lateChanges',
    note: 'lateChangesNote',
  },
  lift_changed: {
    inTheApp: 'liftChangedLabel',
    byEmail: 'emailLiftChangedLabel',
    name: 'lifts',
    note: 'liftsNote',
  },
  club_update: { inTheApp: 'clubUpdateLabel', byEmail: 'emailClubUpdateLabel', name: 'clubUpdates' },
  member_joined: {
    inTheApp: 'memberJoinedLabel',
    byEmail: 'emailMemberJoinedLabel',
    name: 'newMembers',
    note: 'newMembersNote',
  },
  role_changed: { inTheApp: 'roleChangedLabel', byEmail: 'emailRoleChangedLabel', name: 'yourRole' },
  member_removed: {
    inTheApp: 'memberRemovedLabel',
    byEmail: 'emailMemberRemovedLabel',
    name: 'clubsThatRemovedYou',
  },
} as const satisfies Record<
  Setting,
  { name: MessageKey; note?: MessageKey; inTheApp?: MessageKey; byEmail: MessageKey }
>;

/** Notices that only admins and hosts get. Their rows come last. */
const forHostsAndAdmins: readonly Setting[] = ['seat_free', 'answers_changed', 'member_joined'];

const channels = [
  { name: 'inTheApp', keyOf: (setting: string) => setting },
  { name: 'byEmail', keyOf: (setting: string) => `email_${setting}` },
] as const;

const columns =
  'grid grid-cols-[repeat(auto-fit,minmax(min(8rem,100%),1fr))] gap-x-4 sm:grid-cols-[minmax(0,1fr)_11rem_14.5rem]';

export default function SettingsPage() {
  const { data: saved } = useSuspenseQuery(queries.notificationSettings());
  /** Only the settings that were changed here, so that this page does not overwrite changes from another device. */
  const [changed, setChanged] = useState<Record<string, boolean>>({});
  const draft = { ...saved, ...changed };
  const back = useBack('/app');
  const showFailure = useFailureToast();
  const save = useSubmit({
    mutationFn: () => api.notifications.saveSettings(draft),
    onSuccess: (saved) => {
      queryClient.setQueryData(queries.notificationSettings().queryKey, saved);
      showToast('settingsSaved');
    },
    onError: () => showFailure('settingsFailed'),
  });
  useTitle(t('notificationSettings'));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const row = (setting: Setting) => (
    <Row
      key={setting}
      setting={setting}
      draft={draft}
      onChange={(next) => setChanged({ ...changed, ...next })}
    />
  );
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
            <div aria-hidden className={cn(columns, 'pb-2 text-sm font-semibold text-muted max-sm:hidden')}>
              <span />
              {channels.map(({ name }) => (
                <span key={name}>{t(name)}</span>
              ))}
            </div>
            {settingNames.filter((setting) => !forHostsAndAdmins.includes(setting)).map(row)}
            <h2 className="border-t border-line pt-6 pb-2 text-lg font-bold">{t('forHostsAndAdmins')}</h2>
            {forHostsAndAdmins.map(row)}
          </div>
          <BottomBar className="flex flex-col gap-3 lg:sticky lg:bottom-0 lg:-mx-6 lg:-mb-6 lg:border-t lg:border-line lg:bg-surface lg:px-6 lg:py-4">
            <NotSaved title={t('settingsNotSaved')} reason={save.error && sentence(save.error)} />
            <Button type="submit" busy={save.isPending} className="sm:self-end">
              {t('save')}
            </Button>
          </BottomBar>
        </form>
      </Card>
    </div>
  );
}

interface RowProps {
  setting: Setting;
  draft: Record<string, boolean>;
  onChange: (changed: Record<string, boolean>) => void;
}

/** A setting with a checkbox for each of its channels. The checkbox is disabled if its notices are always sent. */
function Row({ setting, draft, onChange }: RowProps) {
  const id = useId();
  const row = texts[setting];
  const isAlways = alwaysSent.includes(setting);
  const labels = { inTheApp: 'inTheApp' in row ? t(row.inTheApp) : '', byEmail: t(row.byEmail) };
  const note = isAlways ? t('alwaysSentNote') : 'note' in row && t(row.note);
  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={note ? `${id}-note` : undefined}
      className={cn(columns, 'items-start border-t border-line py-2 max-sm:nth-2:border-t-0')}
    >
      <div className="py-2.5 max-sm:col-span-full max-sm:pb-0">
        <h2 id={id} className="font-semibold">
          {t(row.name)}
        </h2>
        {note && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {note}
          </p>
        )}
      </div>
      {channels.map(({ name: channel, keyOf }) => {
        const key = keyOf(setting);
        return key in draft ? (
          <Checkbox
            key={key}
            name={key}
            label={<span className="inline-block first-letter:uppercase">{labels[channel]}</span>}
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
