import { CalendarClock, MapPin } from 'lucide-react';
import { EntryCard } from '#features/auth/web/EntryCard.tsx';
import { Button } from '#ui/Button.tsx';
import { Field } from '#ui/Field.tsx';
import { Rich } from '#ui/Rich.tsx';
import { Select } from '#ui/Select.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { t } from '#app/web/pages/answer/messages.ts';

const choices = { going: t('going'), maybe: t('maybe'), no: t('no') };

const loginLink = (text: string) => (
  <a href="/login" className="text-accent underline underline-offset-4">
    {text}
  </a>
);

/**
 * The page that the answer links in emails open, without an event. The server renders it once; `answer.ts` fills it. There
 * is no form, which a mail scanner could submit.
 */
export default function AnswerPage() {
  return (
    <EntryCard>
      <noscript>
        <p className="mb-4 font-semibold">
          <Rich parts={t.parts('needsScripts', { link: loginLink })} />
        </p>
      </noscript>
      <div data-part="loading" hidden>
        <p role="status" className="sr-only">
          {t('loading')}
        </p>
        <SkeletonText lines={4} />
      </div>
      <Problem />
      <div data-part="event" hidden>
        <p data-part="club" className="text-sm font-semibold wrap-anywhere text-muted" />
        <h1 data-part="name" className="mt-1 text-2xl font-bold wrap-anywhere" />
        <p className="mt-3 flex gap-2.5">
          <CalendarClock aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          <span>
            <span data-part="day" className="block" />
            <span data-part="times" className="block" />
          </span>
        </p>
        <p className="mt-2 flex gap-2.5">
          <MapPin aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          <span data-part="place" className="min-w-0 wrap-anywhere" />
        </p>
        {/* Has the focus after an answer, which reads it out. */}
        <div
          data-part="saved"
          hidden
          className="mt-5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-ok-soft px-4 py-3 forced-colors:border"
        >
          <p
            data-part="saved-text"
            tabIndex={-1}
            className="min-w-0 flex-1 basis-48 font-semibold wrap-anywhere"
          />
          <Button data-part="undo" variant="secondary" size="sm">
            {t('undo')}
          </Button>
        </div>
        <Choices />
        <p data-part="not-saved" role="alert" className="mt-3 text-sm font-medium text-danger empty:hidden" />
        <Button data-part="confirm" className="mt-4 w-full" size="lg">
          {t('confirm')}
        </Button>
        <Button asChild variant="link" className="mt-3 w-full">
          <a data-part="open" href="/app">
            {t('openTheEvent')}
          </a>
        </Button>
      </div>
    </EntryCard>
  );
}

/** Why there is nothing to answer, and what to do. */
function Problem() {
  return (
    <div data-part="problem" role="status" hidden>
      <h1 data-part="problem-title" className="text-2xl font-bold" />
      <p data-part="problem-text" className="mt-1.5 text-muted" />
      <Button data-part="retry" className="mt-6 w-full" size="lg">
        {t('tryAgain')}
      </Button>
      <Button asChild className="mt-6 w-full" size="lg">
        <a data-part="login" href="/login">
          {t('goToLogin')}
        </a>
      </Button>
    </div>
  );
}

function Choices() {
  return (
    <fieldset data-part="choices" className="mt-5 border-t border-line pt-5">
      <legend data-part="question" className="float-left w-full text-lg font-bold wrap-anywhere" />
      <p data-part="state" className="clear-both text-sm text-muted" />
      <div className="mt-3 grid gap-2 min-[23rem]:grid-cols-3">
        {Object.entries(choices).map(([answer, label]) => (
          <label
            key={answer}
            className="flex min-h-13 cursor-pointer items-center justify-center gap-2 rounded-lg border border-control px-1 font-semibold whitespace-nowrap max-sm:gap-1.5 max-sm:text-sm transition-colors hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-disabled:cursor-not-allowed has-disabled:border-line has-disabled:text-muted has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input type="radio" name="answer" value={answer} className="size-4.5 outline-none" />
            {label}
          </label>
        ))}
      </div>
      <div data-part="guests-field" hidden className="mt-4">
        <Field label={t('guests')}>
          <Select data-part="guests" />
        </Field>
      </div>
    </fieldset>
  );
}
