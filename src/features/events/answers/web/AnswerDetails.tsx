import { useMutation } from '@tanstack/react-query';
import { Check, ChevronDown } from 'lucide-react';
import {
  type ChangeEvent,
  type FormEvent,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { api } from '#web/api.ts';
import { useNeedsNetwork } from '#web/useNeedsNetwork.ts';
import { guestsLimit } from '#features/events/answers/form-rules.ts';
import type { Answer } from '#features/events/choice-contract.ts';
import type { Event } from '#features/events/contract.ts';
import { hasEnded, isCancelled, isClosed } from '#features/events/rules.ts';
import { cancelEventQueries, refreshEvents, showEvent } from '#features/events/web/useEvent.ts';
import type { Instant } from '#wire/instant.ts';
import { Button } from '#ui/Button.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { Field } from '#ui/Field.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { ChosenReply } from './LazyChosenReply.tsx';
import { choiceOf, inTurn, reasonOf, saveReply, showAnswer } from './useAnswer.ts';
import { t } from '#features/events/answers/messages.ts';

type AnswerDetailsProps = { event: Event; now: Instant };

/** The details of an answer: a reply to the question, guests, and a note to the hosts. A host's guests and note are folded. */
export function AnswerDetails({ event, now }: AnswerDetailsProps) {
  const answer = isCancelled(event) || hasEnded(event, now) ? null : event.my_answer;
  const [hadNote] = useState(event.my_note !== '');
  const guests = <Guests event={event} answer={answer} now={now} />;
  const reply = event.question && answer && answer !== 'no' && (
    <ReplyToQuestion event={event} answer={answer} />
  );
  if (event.my_role === 'organiser') {
    // No empty note field for the host, who would be writing to themselves.
    if (!answer || (event.guests_max === 0 && event.my_guests === 0 && !hadNote)) return reply;
    return (
      <>
        {reply}
        <Unfolding title={t('yourAnswer')}>
          {guests}
          {hadNote && <Note event={event} answer={answer} />}
        </Unfolding>
      </>
    );
  }
  return (
    <>
      {reply}
      {guests}
      {answer === 'waiting' && event.my_guests > 0 && <LetsPass event={event} />}
      {answer && (
        <Unfolding title={t('note')} open={hadNote}>
          <Note event={event} answer={answer} />
        </Unfolding>
      )}
    </>
  );
}

type ReplyProps = { event: Event; answer: Answer };

/** One of the choices or, without choices, a line of text. */
const ReplyToQuestion = ({ event, answer }: ReplyProps) =>
  event.choices.length > 0 ? (
    <Suspense>
      <ChosenReply event={event} answer={answer} />
    </Suspense>
  ) : (
    <SavedText
      label={event.question}
      stored={event.my_reply}
      save={(reply) => saveReply(event, answer, reply)}
      onSaved={(reply) => showEvent({ id: event.id, my_reply: reply })}
      notSaved={(reason) => t('replyNotSaved', { reason })}
    >
      {(control) => <TextInput maxLength={200} autoComplete="off" {...control} />}
    </SavedText>
  );

type UnfoldingProps = { title: string; open?: boolean; children: ReactNode };

const Unfolding = ({ title, open, children }: UnfoldingProps) => (
  <details className="group" open={open}>
    <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 text-sm font-semibold [&::-webkit-details-marker]:hidden">
      {title}
      <ChevronDown
        aria-hidden
        className="ml-auto size-5 text-muted transition-transform group-open:rotate-180"
      />
    </summary>
    <div className="pt-1">{children}</div>
  </details>
);

/** Milliseconds from the last tap until the number of guests is saved. */
const guestsDelay = 700;

type GuestsProps = AnswerDetailsProps & {
  /** Null if there is no answer, or if the answer can no longer be changed. */
  answer: Answer | null;
};

/**
 * Saves the number of guests after the last tap. Stays mounted when the answer changes, because unmounting
 * saves the number, but an answer without guests must discard it.
 */
function Guests({ event, answer, now }: GuestsProps) {
  const comes = answer !== null && answer !== 'no';
  const { guests, saved, change, problem } = useGuests(event, comes ? answer : null);
  const max = guestsLimit({ ...event, my_guests: saved }, now);
  const isFinal = isClosed(event, now) || event.guests_max === 0;
  if (!comes || (max === 0 && isFinal)) return null;
  return (
    <Field
      label={t('guests')}
      hint={guestsHint(event, max, now)}
      error={problem}
      className="grid grid-cols-[1fr_9rem] items-center"
    >
      <NumberStepper value={guests} max={max} onChange={change} className="row-span-2" />
    </Field>
  );
}

function guestsHint(event: Event, max: number, now: Instant): string {
  if (isClosed(event, now)) return t('guestsClosedHint');
  if (event.my_answer === 'waiting') return t('guestsWaitingHint');
  return max < event.guests_max ? t('guestsFullHint') : t('guestsHint', { n: max });
}

function useGuests(event: Event, answer: Answer | null) {
  const { id, slug } = event;
  const network = useNeedsNetwork();
  const [problem, setProblem] = useState<string>();
  /** The number of guests that is not saved yet, and the number that was saved last. */
  const [unsaved, setUnsaved] = useState<{ guests: number; saved: number }>();
  const latest = useRef(unsaved);
  // Answers without guests discard the unsaved number.
  if (unsaved && !answer) setUnsaved(undefined);
  const save = useEffectEvent(async (sent: NonNullable<typeof unsaved>) => {
    if (!answer) return;
    try {
      await inTurn(id, () =>
        api.answers.answer({ event: slug, answer: choiceOf(answer), guests: sent.guests }),
      );
      if (latest.current === sent) setUnsaved(undefined);
      else if (latest.current) setUnsaved({ ...latest.current, saved: sent.guests });
    } catch (failure) {
      if (latest.current !== sent) return;
      setUnsaved(undefined);
      showAnswer(id, answer, sent.saved);
      setProblem(t('guestsNotSaved', { reason: reasonOf(failure) }));
    }
    void refreshEvents();
  });
  useEffect(() => {
    latest.current = unsaved;
    if (!unsaved) return;
    const timer = setTimeout(() => void save(unsaved), guestsDelay);
    return () => clearTimeout(timer);
  }, [unsaved]);
  const saveNow = useEffectEvent(() => latest.current && void save(latest.current));
  useEffect(() => () => void saveNow(), []);
  return {
    guests: unsaved?.guests ?? event.my_guests,
    saved: unsaved?.saved ?? event.my_guests,
    problem: network.notice ?? problem,
    change: (guests: number) =>
      network.run(() => {
        setProblem(undefined);
        setUnsaved({ guests, saved: unsaved?.saved ?? event.my_guests });
        void cancelEventQueries().then(() => showAnswer(id, answer, guests));
      }),
  };
}

/** Lets the viewer choose that others on the waitlist may go first while the viewer's party does not fit. */
function LetsPass({ event: { id, slug, my_lets_pass } }: { event: Event }) {
  const network = useNeedsNetwork();
  const { mutate, variables, error, isPending } = useMutation({
    mutationFn: (lets_pass: boolean) =>
      inTurn(id, () => api.answers.answer({ event: slug, answer: 'going', lets_pass })),
    onSuccess: (state, lets_pass) => showEvent({ id, ...state, my_lets_pass: lets_pass }),
    onSettled: () => void refreshEvents(),
  });
  const problem = network.notice ?? (error && t('letsPassNotSaved', { reason: reasonOf(error) }));
  return (
    <div>
      <Checkbox
        label={t('letOthersPass')}
        checked={isPending ? variables : my_lets_pass}
        onChange={({ target }) => network.run(() => mutate(target.checked))}
      />
      <InlineError>{problem}</InlineError>
    </div>
  );
}

type NoteProps = { event: Event; answer: Answer };

const Note = ({ event: { id, slug, my_note }, answer }: NoteProps) => (
  <SavedText
    label={t('note')}
    labelHidden
    stored={my_note}
    save={(note) => inTurn(id, () => api.answers.answer({ event: slug, answer: choiceOf(answer), note }))}
    onSaved={(note) => showEvent({ id, my_note: note })}
    notSaved={(reason) => t('noteNotSaved', { reason })}
  >
    {(control) => <TextArea rows={2} maxLength={200} {...control} />}
  </SavedText>
);

interface Control {
  value: string;
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
  onBlur: () => void;
}

type SavedTextProps = {
  label: string;
  labelHidden?: boolean;
  /** The text that the server has. */
  stored: string;
  save: (text: string) => Promise<unknown>;
  onSaved: (text: string) => void;
  notSaved: (reason: string) => string;
  children: (control: Control) => ReactNode;
};

/** A text for the hosts. It is saved when its field loses the focus, or when the button is pressed. */
function SavedText({ label, labelHidden, stored, notSaved, children, ...of }: SavedTextProps) {
  /**
   * Undefined until something is typed. Until then, the field shows the stored text, which another device or an
   * organiser may change.
   */
  const [typed, setTyped] = useState<string>();
  const network = useNeedsNetwork();
  const { mutate, variables, error, isPending, isSuccess } = useMutation({
    mutationFn: of.save,
    onSuccess(_, saved) {
      of.onSaved(saved);
      setTyped((latest) => (latest?.trim() === saved ? undefined : latest));
    },
  });
  const value = typed ?? stored;
  const text = value.trim();
  const isChanged = text !== (isPending ? variables : stored);
  const save = () => isChanged && network.run(() => mutate(text));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-2">
      <Field
        label={label}
        labelHidden={labelHidden}
        hint={t('noteHint')}
        error={network.notice ?? (error && notSaved(reasonOf(error)))}
      >
        {children({ value, onChange: ({ target }) => setTyped(target.value), onBlur: save })}
      </Field>
      <p role="status" className="flex items-center gap-1 text-sm font-semibold text-ok empty:sr-only">
        {isSuccess && !isChanged && (
          <>
            <Check aria-hidden className="size-4" />
            <span>{t('saved')}</span>
          </>
        )}
      </p>
      {(isChanged || isPending) && (
        <Button
          type="submit"
          size="sm"
          variant="secondary"
          busy={isPending}
          busyLabel={t('saving')}
          className="self-start"
        >
          {t('save')}
        </Button>
      )}
    </form>
  );
}
