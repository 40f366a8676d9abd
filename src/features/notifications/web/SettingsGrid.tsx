import { useId } from 'react';
import { alwaysSent, type Setting } from '#features/notifications/settings-contract.ts';
import { t } from '#features/notifications/form-messages.ts';
import { Checkbox } from '#ui/Checkbox.tsx';
import { cn } from '#ui/class-names.ts';

type MessageKey = Parameters<typeof t>[0];

/** The texts of each row of the grid. */
const texts = {
  new_event: {
    inTheApp: 'newEventLabel',
    byEmail: 'emailNewEventLabel',
    onYourDevices: 'pushNewEventLabel',
    name: 'newEvents',
  },
  event_updated: {
    inTheApp: 'eventUpdatedLabel',
    byEmail: 'emailEventUpdatedLabel',
    onYourDevices: 'pushEventUpdatedLabel',
    name: 'changedEvents',
    note: 'changedEventsNote',
  },
  event_cancelled: {
    inTheApp: 'eventCancelledLabel',
    byEmail: 'emailEventCancelledLabel',
    onYourDevices: 'pushEventCancelledLabel',
    name: 'cancelledEvents',
  },
  event_reminder: {
    inTheApp: 'eventReminderLabel',
    byEmail: 'emailEventReminderLabel',
    onYourDevices: 'pushEventReminderLabel',
    name: 'reminders',
    note: 'remindersNote',
  },
  event_message: {
    inTheApp: 'eventMessageLabel',
    byEmail: 'emailEventMessageLabel',
    onYourDevices: 'pushEventMessageLabel',
    name: 'eventMessages',
    note: 'eventMessagesNote',
  },
  question: {
    inTheApp: 'questionLabel',
    byEmail: 'emailQuestionLabel',
    onYourDevices: 'pushQuestionLabel',
    name: 'questions',
    note: 'questionsNote',
  },
  attending: { byEmail: 'emailAttendingLabel', name: 'yourSignUps', note: 'yourSignUpsNote' },
  answered_for_you: {
    inTheApp: 'answeredForYouLabel',
    byEmail: 'emailAnsweredForYouLabel',
    onYourDevices: 'pushAnsweredForYouLabel',
    name: 'answersForYou',
    note: 'answersForYouNote',
  },
  answer_wanted: {
    inTheApp: 'answerWantedLabel',
    byEmail: 'emailAnswerWantedLabel',
    onYourDevices: 'pushAnswerWantedLabel',
    name: 'answersWanted',
    note: 'answersWantedNote',
  },
  seat_given: {
    inTheApp: 'seatGivenLabel',
    byEmail: 'emailSeatGivenLabel',
    onYourDevices: 'pushSeatGivenLabel',
    name: 'seatsForYou',
  },
  seat_free: {
    inTheApp: 'seatFreeLabel',
    byEmail: 'emailSeatFreeLabel',
    onYourDevices: 'pushSeatFreeLabel',
    name: 'freeSeats',
    note: 'freeSeatsNote',
  },
  answers_changed: {
    inTheApp: 'answersChangedLabel',
    byEmail: 'emailAnswersChangedLabel',
    onYourDevices: 'pushAnswersChangedLabel',
    name: 'lateChanges',
    note: 'lateChangesNote',
  },
  not_reached: {
    inTheApp: 'notReachedLabel',
    byEmail: 'emailNotReachedLabel',
    onYourDevices: 'pushNotReachedLabel',
    name: 'peopleNotReached',
    note: 'peopleNotReachedNote',
  },
  lift_changed: {
    inTheApp: 'liftChangedLabel',
    byEmail: 'emailLiftChangedLabel',
    onYourDevices: 'pushLiftChangedLabel',
    name: 'lifts',
    note: 'liftsNote',
  },
  club_update: {
    inTheApp: 'clubUpdateLabel',
    byEmail: 'emailClubUpdateLabel',
    onYourDevices: 'pushClubUpdateLabel',
    name: 'clubUpdates',
  },
  update_important: {
    inTheApp: 'updateImportantLabel',
    byEmail: 'emailUpdateImportantLabel',
    onYourDevices: 'pushUpdateImportantLabel',
    name: 'importantUpdates',
    note: 'importantUpdatesNote',
  },
  member_joined: {
    inTheApp: 'memberJoinedLabel',
    byEmail: 'emailMemberJoinedLabel',
    onYourDevices: 'pushMemberJoinedLabel',
    name: 'newMembers',
    note: 'newMembersNote',
  },
  role_changed: {
    inTheApp: 'roleChangedLabel',
    byEmail: 'emailRoleChangedLabel',
    onYourDevices: 'pushRoleChangedLabel',
    name: 'yourRole',
  },
  member_removed: {
    inTheApp: 'memberRemovedLabel',
    byEmail: 'emailMemberRemovedLabel',
    onYourDevices: 'pushMemberRemovedLabel',
    name: 'clubsThatRemovedYou',
  },
} as const satisfies Record<
  Setting,
  {
    name: MessageKey;
    note?: MessageKey;
    inTheApp?: MessageKey;
    byEmail: MessageKey;
    onYourDevices?: MessageKey;
  }
>;

const channels = [
  { name: 'inTheApp', keyOf: (setting: string) => setting },
  { name: 'byEmail', keyOf: (setting: string) => `email_${setting}` },
  { name: 'onYourDevices', keyOf: (setting: string) => `push_${setting}` },
] as const;

const columns = 'grid grid-cols-[repeat(auto-fit,minmax(min(8rem,100%),1fr))] gap-x-4';

interface Grid {
  channels: readonly (typeof channels)[number][];
  /** Classes of all rows, of the head, of the names in the first column, and of the rows of settings. */
  columns: string;
  head: string;
  name: string;
  row: string;
}

/** On narrow screens, the boxes of a row are below its name. */
export const fullGrid: Grid = {
  channels,
  columns: cn(columns, 'sm:max-lg:grid-cols-3 lg:grid-cols-[minmax(0,3fr)_repeat(3,minmax(0,2fr))]'),
  head: 'max-lg:hidden',
  name: 'max-lg:col-span-full max-lg:pb-0',
  row: 'max-lg:nth-2:border-t-0',
};
export const smallGrid: Grid = {
  channels: channels.filter(({ name }) => name !== 'onYourDevices'),
  columns: cn(columns, 'sm:grid-cols-[minmax(0,1fr)_11rem_14.5rem]'),
  head: 'max-sm:hidden',
  name: 'max-sm:col-span-full max-sm:pb-0',
  row: 'max-sm:nth-2:border-t-0',
};

interface DraftProps {
  draft: Record<string, boolean>;
  onChange: (changed: Record<string, boolean>) => void;
}

export function WeeklyEmail({ draft, onChange }: DraftProps) {
  const id = useId();
  return (
    <div>
      <Checkbox
        name="weekly_email"
        label={<Label>{t('weeklyEmailLabel')}</Label>}
        checked={draft['weekly_email'] ?? false}
        aria-describedby={id}
        onChange={({ target }) => onChange({ weekly_email: target.checked })}
      />
      <p id={id} className="ml-8 text-sm text-muted">
        {t('weeklyEmailNote')}
      </p>
    </div>
  );
}

type RowProps = DraftProps & { setting: Setting; grid: Grid };

/** A setting with a checkbox for each of its channels. */
export function SettingRow({ setting, draft, grid, onChange }: RowProps) {
  const id = useId();
  const row = texts[setting];
  const isAlways = alwaysSent.includes(setting);
  const note = isAlways ? t('alwaysSentNote') : 'note' in row && t(row.note);
  return (
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={note ? `${id}-note` : undefined}
      className={cn(grid.columns, grid.row, 'items-start border-t border-line py-2')}
    >
      <div className={cn('py-2.5', grid.name)}>
        <h2 id={id} className="font-semibold">
          {t(row.name)}
        </h2>
        {note && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {note}
          </p>
        )}
      </div>
      {grid.channels.map(({ name: channel, keyOf }) => {
        const key = keyOf(setting);
        if (!(key in draft) || !(channel in row)) return <span key={channel} />;
        return (
          <Box
            key={channel}
            name={key}
            label={t((row as Record<string, MessageKey>)[channel] as MessageKey)}
            checked={draft[key] ?? false}
            lock={isAlways ? 'always' : channel === 'onYourDevices' && !draft[setting] ? 'app' : undefined}
            noteId={`${id}-note`}
            onChange={onChange}
          />
        );
      })}
    </div>
  );
}

interface BoxProps {
  name: string;
  label: string;
  checked: boolean;
  /** Why it cannot be changed: its notices are always sent, or the app does not show them, so nothing is pushed. */
  lock: 'always' | 'app' | undefined;
  /** The text that says that the notices are always sent. */
  noteId: string;
  onChange: DraftProps['onChange'];
}

/** A checkbox. While it is locked, it shows what happens, and its stored value is kept. */
function Box({ name, label, checked, lock, noteId, onChange }: BoxProps) {
  const id = useId();
  const box = (
    <Checkbox
      name={name}
      label={<Label>{label}</Label>}
      checked={lock ? lock === 'always' : checked}
      disabled={lock !== undefined}
      aria-describedby={lock && (lock === 'always' ? noteId : id)}
      onChange={({ target }) => onChange({ [name]: target.checked })}
    />
  );
  return lock === 'app' ? (
    <div>
      {box}
      <p id={id} className="ml-8 pb-2 text-sm text-muted">
        {t('needsInTheApp')}
      </p>
    </div>
  ) : (
    box
  );
}

const Label = ({ children }: { children: string }) => (
  <span className="inline-block first-letter:uppercase">{children}</span>
);
