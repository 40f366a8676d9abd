import { CalendarClock, MapPin } from 'lucide-react';
import type { LinkedAnswer } from '#features/events/answers/contract.ts';
import { EntryCard } from '#web/EntryCard.tsx';
import { repeatText } from '#features/events/repeat-rules.ts';
import { hueOf } from '#wire/hue.ts';
import { Button } from '#ui/Button.tsx';
import { cn } from '#ui/class-names.ts';
import { Field } from '#ui/Field.tsx';
import { Select } from '#ui/Select.tsx';
import { t } from '#app/web/pages/answer/messages.ts';
import {
  choiceOf,
  failureInWords,
  offersSeries,
  problemInWords,
  savedInWords,
  stateInWords,
  timesInWords,
  type AnswerForm,
  type AnswerView,
  type Problem as LinkProblemProps,
} from '#app/web/pages/answer/sentences.ts';

const labels = () => ({ going: t('going'), maybe: t('maybe'), no: t('no') }) as const;

/** The page that the answer links in emails open. Only the server renders it, so it works without scripts. */
export default function AnswerPage(view: AnswerView) {
  return (
    <EntryCard>{'problem' in view ? <Problem code={view.problem} /> : <EventAndForm {...view} />}</EntryCard>
  );
}

const Problem = ({ code }: { code: string }) => <LinkProblem {...problemInWords(code)} />;

/** Explains why a link of an email shows no form, and what to do instead. */
export function LinkProblem({ title, text, passes }: LinkProblemProps) {
  return (
    <>
      <h1 className="text-2xl font-bold">{title}</h1>
      <p className="mt-1.5 text-muted">{text}</p>
      <Button asChild className="mt-6 w-full" size="lg">
        {/* An empty `href` loads the page again. */}
        {passes ? <a href="">{t('tryAgain')}</a> : <a href="/login">{t('goToLogin')}</a>}
      </Button>
    </>
  );
}

function EventAndForm({ link, marked, isSaved = false, isEvery = false, undo, failure }: AnswerForm) {
  const [day, times] = timesInWords(link);
  const isHost = link.my_role === 'organiser';
  return (
    <>
      <p
        data-hue={hueOf(link.owner_club_id)}
        className="-mx-5 -mt-5 mb-5 bg-club px-5 py-2.5 text-sm font-semibold wrap-anywhere text-club-ink sm:-mx-6 sm:-mt-6 sm:px-6"
      >
        {link.club_name}
      </p>
      <h1 className="text-2xl font-bold wrap-anywhere">{link.name}</h1>
      <p className="mt-3 flex gap-2.5">
        <CalendarClock aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
        <span className="min-w-0">
          <span className="block">{day}</span>
          <span className="block">{times}</span>
        </span>
      </p>
      <p className="mt-2 flex gap-2.5">
        <MapPin aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
        <span className="min-w-0 wrap-anywhere">{link.location_name}</span>
      </p>
      {isSaved && <Saved text={savedInWords(link, isEvery)} undo={undo} />}
      <form method="post" className="group">
        <Choices link={link} marked={markedIn(link, marked)} isSaved={isSaved} />
        {failure && (
          <p
            role="alert"
            tabIndex={-1}
            autoFocus
            className="mt-3 text-sm font-medium text-danger outline-none"
          >
            {failureInWords(failure)}
          </p>
        )}
        {(!isHost || link.guests_max > 0) && (
          <Button type="submit" className="mt-4 w-full" size="lg">
            {t('confirm')}
          </Button>
        )}
      </form>
      <Button asChild variant="link" className="mt-3 w-full">
        <a href={`/app/events/${encodeURIComponent(link.slug)}`}>{t('openTheEvent')}</a>
      </Button>
    </>
  );
}

/** Shows the saved answer. The text has the focus, so that screen readers read it out. */
function Saved({ text, undo }: { text: string; undo: string | undefined }) {
  return (
    <div
      role="status"
      className="mt-5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-ok-soft px-4 py-3 forced-colors:border"
    >
      <p tabIndex={-1} autoFocus className="min-w-0 flex-1 basis-48 font-semibold wrap-anywhere outline-none">
        {text}
      </p>
      {undo && (
        <form method="post" className="animate-hide-after-10s">
          <input type="hidden" name="undo" value={undo} />
          <Button type="submit" variant="secondary" size="sm">
            {t('undo')}
          </Button>
        </form>
      )}
    </div>
  );
}

/** The answer to preselect. A host can only be going. */
function markedIn(link: LinkedAnswer, marked: unknown): unknown {
  if (link.my_role === 'organiser') return 'going';
  return marked === 'every' && !offersSeries(link) ? choiceOf(link) : (marked ?? choiceOf(link));
}

interface ChoicesProps {
  link: LinkedAnswer;
  marked: unknown;
  isSaved: boolean;
}

function Choices({ link, marked, isSaved }: ChoicesProps) {
  const { first_name: name, choices, guests_max, my_guests } = link;
  const question = name ? t('areYouComing', { name }) : t('areYouComingNameless');
  return (
    <fieldset className="mt-5 border-t border-line pt-5">
      <legend className="float-left w-full text-lg font-bold wrap-anywhere">
        {isSaved ? t('changedYourMind') : question}
      </legend>
      {!isSaved && <p className="clear-both text-sm text-muted">{stateInWords(link)}</p>}
      <div className="clear-both grid gap-2 pt-3 min-[23rem]:grid-cols-3">
        {Object.entries(labels()).map(([answer, label]) => {
          const isPossible = choices.some((choice) => choice === answer);
          return (
            <ChoiceOption
              key={answer}
              value={answer}
              label={label}
              isDisabled={!isPossible}
              isMarked={isPossible && answer === marked}
              className="whitespace-nowrap"
            />
          );
        })}
      </div>
      {offersSeries(link) && link.repeats && (
        <ChoiceOption
          value="every"
          label={t('goingEvery', { repeats: repeatText(link.repeats) })}
          isMarked={marked === 'every'}
          className="mt-2"
        />
      )}
      {guests_max > 0 && (
        <div className="mt-4 group-has-[[value=no]:checked]:hidden">
          <Field label={t('guests')}>
            <Select name="guests" defaultValue={Math.min(my_guests, guests_max)}>
              {Array.from({ length: guests_max + 1 }, (_, n) => (
                <option key={n} value={n}>
                  {t('guestsOption', { n })}
                </option>
              ))}
            </Select>
          </Field>
        </div>
      )}
    </fieldset>
  );
}

interface ChoiceOptionProps {
  value: string;
  label: string;
  isMarked: boolean;
  isDisabled?: boolean;
  className?: string;
}

function ChoiceOption({ value, label, isMarked, isDisabled = false, className }: ChoiceOptionProps) {
  return (
    <label
      className={cn(
        'flex min-h-13 cursor-pointer items-center justify-center gap-2 rounded-lg border border-control px-1 font-semibold max-sm:gap-1.5 max-sm:text-sm transition-colors hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-disabled:cursor-not-allowed has-disabled:border-line has-disabled:text-muted has-focus-visible:outline-2 has-focus-visible:outline-accent',
        className,
      )}
    >
      <input
        type="radio"
        name="answer"
        value={value}
        required
        disabled={isDisabled}
        defaultChecked={isMarked}
        className="size-4.5 outline-none"
      />
      {label}
    </label>
  );
}
