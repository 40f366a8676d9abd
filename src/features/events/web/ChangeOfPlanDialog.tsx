import { CalendarClock, CalendarX2, MapPin } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { ChangedMeanwhile } from '#web/ChangedMeanwhile.tsx';
import { showToast } from '#web/copy.ts';
import { sentence } from '#web/explain.ts';
import { current, queries, queryClient } from '#web/queries.ts';
import { useDraft } from '#web/useDraft.ts';
import { useNow } from '#web/useNow.ts';
import { type Edited, useSharedForm } from '#web/useSharedForm.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event, Reason } from '#features/events/contract.ts';
import {
  editedSchedule,
  whyCannotReschedule,
  type Schedule,
  type TypedInstant,
} from '#features/events/form-rules.ts';
import { instant } from '#wire/instant.ts';
import { t as ofErrors } from '#wire/error-messages.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { cn } from '#ui/class-names.ts';
import { DateTimeInput, type TypedDate } from '#ui/DateTimeInput.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { dateTimeProblem } from '#ui/date-time-text.ts';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { TakeOverButton } from './TakeOverButton.tsx';
import { Reasons } from './Reasons.tsx';
import { TimesInWords } from './TimesInWords.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/change-of-plan-messages.ts';
import { t as ofEvents } from '#features/events/messages.ts';
import { fullDateAndTime } from '#wire/format.ts';

type Choice = 'moved' | 'place' | 'off';

const choices = (): { choice: Choice; icon: typeof MapPin; label: string }[] => [
  { choice: 'moved', icon: CalendarClock, label: t('newTime') },
  { choice: 'place', icon: MapPin, label: t('newPlace') },
  { choice: 'off', icon: CalendarX2, label: t('cancelIt') },
];

/** Unsaved input. */
interface Draft {
  edited?: Edited<Move>;
  reason?: Reason | undefined;
  words: string;
}

function usePlanDraft(event: Event, firstChoice: Choice) {
  const [draft, setDraft, kept] = useDraft<Draft>(`plan:${event.id}`, { words: '' });
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const setMove: MoveState[1] = (next) =>
    setDraft((before) => ({
      ...before,
      edited: typeof next === 'function' ? next(before.edited) : next,
    }));
  const move: MoveState = [draft.edited, setMove];
  const [choice, setChoice] = useState<Choice>(draft.edited?.entered.location_name ? 'place' : firstChoice);
  return { ...draft, ...kept, choice, setChoice, change, move };
}

type MoveState = Parameters<typeof useSharedForm<Move>>[0]['state'];

type ChangeOfPlanDialogProps = { event: Event; isPlanner: boolean; onClose: () => void };

export default function ChangeOfPlanDialog({ event: newest, isPlanner, onClose }: ChangeOfPlanDialogProps) {
  const now = useNow();
  // A poll sets the time of its event, and has no answers to confirm.
  const canMove = newest.start_time > now && !newest.polling;
  const plan = usePlanDraft(newest, !isPlanner ? 'off' : canMove ? 'moved' : 'place');
  const { choice, reason, words, change } = plan;
  const { form, event, place, theirValues } = useMoveForm(newest, plan.move);
  const isHost = event.my_role === 'organiser';
  const [asks, setAsks] = useState({ moved: true, place: false, off: false });
  const [tried, setTried] = useState(false);
  const move = useMove(event, form.values.start_time);
  const problem = {
    moved: move.problem,
    place: place.trim() === event.location_name ? t('enterNewPlace') : undefined,
    off: undefined,
  }[choice];
  const send = useSend(event, form.save, { forgetDraft: plan.forget, onClose });
  const submit = () => {
    setTried(true);
    if (problem) return;
    const changed = {
      moved: { start_time: move.start_time },
      place: { location_name: place },
      off: undefined,
    }[choice];
    send.mutate({ changed, why: { reason, words: words.trim() }, ask_again: asks[choice] });
  };
  const followers = event.audience?.followers ?? 0;
  const declined = choice === 'moved' && asks.moved ? (event.audience?.declined ?? 0) : 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={ofEvents('changeOfPlan')}
      description={event.series ? t('onlyThisEvent', { name: event.name }) : event.name}
      footer={
        <>
          <p className="text-sm text-muted max-sm:order-1 sm:mr-auto sm:self-center">
            {t('getEmail', { n: followers + declined })}
          </p>
          <Button
            variant={choice === 'off' ? 'danger' : 'filled'}
            busy={send.isPending}
            busyLabel={t('sending')}
            onClick={submit}
          >
            {choice === 'off' ? ofEvents('cancelEvent') : t('send')}
          </Button>
        </>
      }
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <DraftNotice of={plan} />
        <ChangedMeanwhile values={theirValues} />
        <NotSaved title={t('notSent')} reason={send.error && sentence(send.error)} />
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">{t('whatChanges')}</legend>
          {choices()
            .filter((each) => isPlanner || each.choice === 'off')
            .map((each) => (
              <ChoiceCard
                key={each.choice}
                {...each}
                isChosen={each.choice === choice}
                isDisabled={(each.choice === 'moved' && !canMove) || (each.choice === 'off' && !isHost)}
                onChoose={plan.setChoice}
              />
            ))}
        </fieldset>
        {!isHost && <OnlyHostCancels event={event} />}
        {choice === 'moved' && (
          <div>
            <Field label={t('newStart')} required error={tried && move.problem}>
              <DateTimeInput
                timeZone={event.time_zone}
                value={move.value}
                onChange={(typed) => form.change({ start_time: typed && instant(typed) })}
              />
            </Field>
            <TimesInWords {...move.times} />
          </div>
        )}
        {choice === 'place' && (
          <Field label={t('newPlace')} required error={tried && problem}>
            <TextInput
              value={place}
              maxLength={200}
              onChange={({ target }) => form.change({ location_name: target.value })}
            />
          </Field>
        )}
        {choice === 'off' && <p>{ofEvents('cancelThisEventText', { name: event.name })}</p>}
        <Reasons value={reason} onChange={(next) => change({ reason: next })} />
        <Field label={t('wordsForAll')}>
          <TextInput
            value={words}
            maxLength={200}
            onChange={({ target }) => change({ words: target.value })}
          />
        </Field>
        {choice !== 'off' && !event.polling && (
          <Checkbox
            label={t('askAgain')}
            checked={asks[choice]}
            onChange={({ target }) => setAsks({ ...asks, [choice]: target.checked })}
          />
        )}
        {/* With this button, pressing Enter in a field sends the form. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

const OnlyHostCancels = ({ event }: { event: Event }) => (
  <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
    {t('onlyHostCancels')}
    <TakeOverButton event={event} />
  </div>
);

/** The new start and place, and the other times, which move with the start. */
type Move = Omit<Schedule, 'start_time'> & { start_time: TypedInstant; location_name: string };

const loadedFrom = ({
  version,
  start_time,
  end_time,
  entry_until_time,
  time_zone,
  location_name,
}: Event) => ({
  fields: { start_time, end_time, entry_until_time, time_zone, location_name },
  version,
});

function useMoveForm(newest: Event, state: MoveState) {
  const form = useSharedForm<Move>({
    loaded: loadedFrom(newest),
    load: async () => loadedFrom(await queryClient.query({ ...queries.event(newest.slug), ...current })),
    state,
  });
  /** The event on which the input is based. */
  const event = { ...newest, ...(form.base as Schedule & { location_name: string }) };
  const theirValues = form.conflict?.map((key) =>
    key === 'location_name'
      ? { label: t('newPlace'), value: event.location_name }
      : { label: t('newStart'), value: fullDateAndTime(event.start_time, event.time_zone) },
  );
  return { form, event, place: form.values.location_name, theirValues };
}

/** The new start as typed, the times that follow from it and, if the times cannot be sent, the reason. */
function useMove(event: Event, typed: TypedInstant) {
  const start_time = typed ?? event.start_time;
  const next = editedSchedule(event, { start_time });
  const code = whyCannotReschedule(event, next, useNow());
  const isSame = start_time === event.start_time;
  const value = typed ? new Date(typed) : (typed as TypedDate);
  return {
    value,
    start_time,
    times: typed ? next : { ...next, start_time: null },
    problem: dateTimeProblem(value ?? null) ?? (isSame ? t('enterNewStart') : code && ofErrors(code)),
  };
}

type Plan = {
  /** The new time or place. Undefined to cancel the event. */
  changed: { start_time: string } | { location_name: string } | undefined;
  why: { reason: Reason | undefined; words: string };
  ask_again: boolean;
};

function useSend(
  { slug, owner_club_id: club }: Event,
  save: ReturnType<typeof useSharedForm<Move>>['save'],
  { forgetDraft, onClose }: { forgetDraft: () => void; onClose: () => void },
) {
  const navigate = useNavigate();
  return useSubmit({
    async mutationFn({ changed, why, ask_again }: Plan) {
      if (!changed) return api.events.cancel({ event: slug, ...why });
      return save((_, version) =>
        api.events.edit({ event: slug, club, ...changed, ...why, ask_again }, version),
      );
    },
    onSuccess: async (saved, { changed }) => {
      if (!saved) return;
      forgetDraft();
      await refreshEvents();
      showToast(changed ? 'eventUpdated' : 'eventCancelled');
      onClose();
      // Moves the focus to the page, for keyboard users.
      if (!changed) await navigate(`/app/events/${slug}`);
    },
    onError: (_, { changed }) => void showToast(changed ? 'eventUpdateFailed' : 'cancelFailed'),
  });
}

type ChoiceCardProps = ReturnType<typeof choices>[number] & {
  isChosen: boolean;
  isDisabled: boolean;
  onChoose: (choice: Choice) => void;
};

const ChoiceCard = ({ choice, icon: Icon, label, isChosen, isDisabled, onChoose }: ChoiceCardProps) => (
  <label
    className={cn(
      'relative flex min-h-20 min-w-min flex-1 cursor-pointer flex-col items-center justify-center gap-1.5 rounded-lg border-2 border-line p-2 text-center font-semibold transition-colors hover:bg-sunken',
      'has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:text-muted has-disabled:opacity-60 has-focus-visible:outline-2 has-focus-visible:outline-accent',
    )}
  >
    <input
      type="radio"
      name="choice"
      checked={isChosen}
      disabled={isDisabled}
      onChange={() => onChoose(choice)}
      className="sr-only"
    />
    <Icon aria-hidden className="size-6" />
    <span>{label}</span>
  </label>
);
