import { CalendarClock, CalendarX2, MapPin } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '#web/api.ts';
import { notify } from '#web/copy.ts';
import { sentence } from '#web/explain.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event, Reason } from '#features/events/contract.ts';
import { editedSchedule, whyCannotReschedule } from '#features/events/form-rules.ts';
import { instant } from '#wire/instant.ts';
import { errorCodes } from '#wire/errors.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { cn } from '#ui/class-names.ts';
import { DateTimeInput, type TypedDate } from '#ui/DateTimeInput.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { dateTimeProblem } from '#ui/date-time-text.ts';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { HandOverButton } from './HandOverButton.tsx';
import { Reasons } from './Reasons.tsx';
import { TimesInWords } from './TimesInWords.tsx';
import { refreshEvents } from './useEvent.ts';
import { t } from '#features/events/messages.ts';

type Choice = 'moved' | 'place' | 'off';

const choices: { choice: Choice; icon: typeof MapPin; label: string }[] = [
  { choice: 'moved', icon: CalendarClock, label: t('moved') },
  { choice: 'place', icon: MapPin, label: t('otherPlace') },
  { choice: 'off', icon: CalendarX2, label: t('off') },
];

type ChangeOfPlanDialogProps = { event: Event; isAdmin: boolean; onClose: () => void };

export default function ChangeOfPlanDialog({ event, isAdmin, onClose }: ChangeOfPlanDialogProps) {
  const now = useNow();
  const hasStarted = event.start_time <= now;
  const isHost = event.my_role === 'organiser';
  const [choice, setChoice] = useState<Choice>(!isAdmin ? 'off' : hasStarted ? 'place' : 'moved');
  const [asks, setAsks] = useState({ moved: true, place: false, off: false });
  const [reason, setReason] = useState<Reason>();
  const [words, setWords] = useState('');
  const [tried, setTried] = useState(false);
  const move = useMove(event);
  const [place, setPlace] = useState(event.location_name);
  const problem = {
    moved: move.problem,
    place: place.trim() === event.location_name ? t('enterNewPlace') : undefined,
    off: undefined,
  }[choice];
  const send = useSend(event, onClose);
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
  const told = event.audience?.followers ?? 0;
  const declined = choice === 'moved' && asks.moved ? (event.audience?.declined ?? 0) : 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('changeOfPlan')}
      description={event.series ? t('onlyThisEvent', { name: event.name }) : event.name}
      footer={
        <>
          <p className="text-sm text-muted max-sm:order-1 sm:mr-auto sm:self-center">
            {t('willBeTold', { n: told + declined })}
          </p>
          <Button
            variant={choice === 'off' ? 'danger' : 'primary'}
            busy={send.isPending}
            busyLabel={t('sending')}
            onClick={submit}
          >
            {choice === 'off' ? t('cancelEvent') : t('send')}
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
        <NotSaved title={t('notSent')} reason={send.error && sentence(send.error)} />
        <fieldset className="grid grid-cols-3 gap-2">
          <legend className="sr-only">{t('whatChanges')}</legend>
          {choices
            .filter((each) => isAdmin || each.choice === 'off')
            .map((each) => (
              <ChoiceCard
                key={each.choice}
                {...each}
                isChosen={each.choice === choice}
                isDisabled={(each.choice === 'moved' && hasStarted) || (each.choice === 'off' && !isHost)}
                onChoose={setChoice}
              />
            ))}
        </fieldset>
        {!isHost && (
          <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
            {t('onlyHostCancels')}
            <HandOverButton event={event} />
          </div>
        )}
        {choice === 'moved' && (
          <div>
            <Field label={t('newStart')} required error={tried && move.problem}>
              <DateTimeInput timeZone={event.time_zone} value={move.value} onChange={move.setValue} />
            </Field>
            <TimesInWords {...move.times} />
          </div>
        )}
        {choice === 'place' && (
          <Field label={t('newPlace')} required error={tried && problem}>
            <TextInput value={place} maxLength={200} onChange={({ target }) => setPlace(target.value)} />
          </Field>
        )}
        {choice === 'off' && <p>{t('cancelThisEventText', { name: event.name })}</p>}
        <Reasons value={reason} onChange={setReason} />
        <Field label={t('wordsForAll')}>
          <TextInput value={words} maxLength={200} onChange={({ target }) => setWords(target.value)} />
        </Field>
        {choice !== 'off' && (
          <Checkbox
            label={t('askAgain')}
            checked={asks[choice]}
            onChange={({ target }) => setAsks({ ...asks, [choice]: target.checked })}
          />
        )}
        {/* Enter in a field sends. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

/** The new start as typed. */
function useMove(event: Event) {
  const [value, setValue] = useState<TypedDate>(new Date(event.start_time));
  const start_time = value ? instant(value) : event.start_time;
  const next = editedSchedule(event, { start_time });
  const code = whyCannotReschedule(event, next, useNow());
  const isSame = start_time === event.start_time;
  return {
    value,
    setValue,
    start_time,
    times: value ? next : { ...next, start_time: null },
    problem: dateTimeProblem(value ?? null) ?? (isSame ? t('enterNewStart') : code && errorCodes[code][1]),
  };
}

type Plan = {
  /** The new time or place. None cancels the event. */
  changed: { start_time: string } | { location_name: string } | undefined;
  why: { reason: Reason | undefined; words: string };
  ask_again: boolean;
};

function useSend({ slug, owner_club_id }: Event, onClose: () => void) {
  const navigate = useNavigate();
  return useSubmit({
    mutationFn: async ({ changed, why, ask_again }: Plan) => {
      if (!changed) await api.events.cancel({ event: slug, ...why });
      else await api.events.edit({ event: slug, club: owner_club_id, ...changed, ...why, ask_again });
    },
    onSuccess: async (_, { changed }) => {
      await refreshEvents();
      notify(changed ? 'eventUpdated' : 'eventCancelled');
      onClose();
      // Keyboards go on at the page.
      if (!changed) await navigate(`/app/events/${slug}`);
    },
    onError: (_, { changed }) => void notify(changed ? 'eventUpdateFailed' : 'cancelFailed'),
  });
}

type ChoiceCardProps = (typeof choices)[number] & {
  isChosen: boolean;
  isDisabled: boolean;
  onChoose: (choice: Choice) => void;
};

const ChoiceCard = ({ choice, icon: Icon, label, isChosen, isDisabled, onChoose }: ChoiceCardProps) => (
  <label
    className={cn(
      'flex min-h-20 cursor-pointer flex-col items-center justify-center gap-1.5 rounded-lg border-2 border-line p-2 text-center font-semibold transition-colors hover:bg-sunken',
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
    {label}
  </label>
);
