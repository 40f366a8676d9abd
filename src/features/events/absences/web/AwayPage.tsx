import { useQuery } from '@tanstack/react-query';
import { Check, Pencil, Trash2 } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { showToast } from '#web/copy.ts';
import { explain, sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useDraft } from '#web/useDraft.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import type { Absence, SavedAbsence } from '#features/events/absences/contract.ts';
import {
  allowedDays,
  type DayProblem,
  dayProblems,
  type Days,
} from '#features/events/absences/form-rules.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { Banner, NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { DayFields } from '#ui/DayFields.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { IconButton } from '#ui/IconButton.tsx';
import { InlineError } from '#ui/InlineError.tsx';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { Section } from '#ui/Section.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { Failure } from '#wire/client.ts';
import { dayKey, dayMonthYear, dayWithYear, eventDayAndTime, shortDay } from '#wire/format.ts';
import { t as ofHome } from '#features/events/home-messages.ts';
import { t } from '#features/events/absences/messages.ts';

/** The days of an absence that is typed. `id`: it is an absence that exists. */
type Draft = Days & { id?: string };

const noDays: Draft = { first_on: '', last_on: '' };

/** The days on which the user is away. */
export default function AwayPage() {
  useTitle(t('away'));
  const back = useBack('/app');
  const [draft, setDraft, kept] = useDraft('away', noDays);
  const form = useRef<HTMLFormElement>(null);
  const save = useSubmit({
    mutationFn: ({ id, ...days }: Draft) =>
      id === undefined ? api.absences.add(days) : api.absences.change({ away: id, ...days }),
    onSuccess: ({ away }) => {
      kept.startOver();
      showAbsences((others) => [...others.filter(({ id }) => id !== away.id), away].sort(byFirstDay));
    },
    onError: (failure, { first_on, last_on }) => {
      // The absence was deleted elsewhere, so these days can only be a new one.
      if (failure instanceof Failure && failure.status === 404) setDraft({ first_on, last_on });
    },
  });
  const change = (absence: Absence) => {
    setDraft(absence);
    form.current?.focus();
  };
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('away')} text={t('awayText')} back={<BackButton onClick={back} />} />
      <div className="flex flex-col gap-6">
        <div>
          <DraftNotice of={kept} />
          <AbsenceForm
            ref={form}
            value={draft}
            onChange={setDraft}
            onCancel={kept.startOver}
            busy={save.isPending}
            failure={save.error}
            onSave={() => save.mutate(draft)}
          />
        </div>
        <div role="status" className="empty:sr-only">
          {save.data && <Banner ref={scrollTo} tone="ok" title={t('answered', { n: save.data.answered })} />}
        </div>
        {save.data && save.data.going.length > 0 && (
          <StillGoing key={save.submittedAt} events={save.data.going} />
        )}
        <Absences
          onChange={change}
          onDeleted={(id) => {
            if (draft.id === id) kept.startOver();
            if (save.data?.away.id === id) save.reset();
          }}
        />
      </div>
    </div>
  );
}

const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView?.({ block: 'nearest' });

const byFirstDay = (a: Absence, b: Absence) =>
  a.first_on < b.first_on ? -1 : Number(a.first_on > b.first_on);

/** Shows changed absences ahead of a refetch, and refetches the events, whose answers may have changed. */
function showAbsences(change: (absences: Absence[]) => Absence[]): void {
  const { queryKey } = queries.absences();
  queryClient.setQueryData(queryKey, (absences) => absences && change(absences));
  void queryClient.invalidateQueries({ queryKey });
  void refreshEvents();
}

type AbsenceFormProps = {
  ref: React.Ref<HTMLFormElement>;
  value: Draft;
  onChange: (value: Draft) => void;
  onCancel: () => void;
  busy: boolean;
  failure: Error | null;
  onSave: () => void;
};

function AbsenceForm({ ref, value, onChange, onCancel, busy, failure, onSave }: AbsenceFormProps) {
  const [tried, setTried] = useState(false);
  // The server checks the days in UTC.
  const today = dayKey(useNow(), 'UTC');
  const problems = dayProblems(value, today);
  const isChange = value.id !== undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isRight = Object.keys(problems).length === 0;
    setTried(!isRight);
    if (isRight) onSave();
  };
  const title = isChange ? t('changeAbsence') : t('newAbsence');
  return (
    <Card asChild>
      <form
        ref={ref}
        tabIndex={-1}
        noValidate
        aria-label={title}
        onSubmit={submit}
        className="flex scroll-mt-20 flex-col gap-5"
      >
        {isChange && <h2 className="text-lg font-bold">{title}</h2>}
        <DayFields
          value={value}
          onChange={(days) => onChange({ ...value, ...days })}
          labels={{ first_on: t('firstDay'), last_on: t('lastDay') }}
          errors={
            tried
              ? {
                  first_on: inWords(problems.first_on, t('firstDayMissing'), today),
                  last_on: inWords(problems.last_on, t('lastDayMissing'), today),
                }
              : undefined
          }
        />
        <NotSaved title={t('notSaved')} reason={failure && sentence(failure)} />
        <div className="flex flex-col gap-2 sm:flex-row-reverse">
          <Button type="submit" busy={busy} busyLabel={t('saving')}>
            {t('save')}
          </Button>
          {isChange && (
            <Button variant="ghost" onClick={onCancel}>
              {t('cancel')}
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}

function inWords(problem: DayProblem | undefined, missing: string, today: string): string | undefined {
  if (!problem) return undefined;
  const { first_on, last_on } = allowedDays(today);
  const range = { first: dayMonthYear(first_on, 'UTC'), last: dayMonthYear(last_on, 'UTC') };
  return {
    missing,
    out_of_range: t('dayOutOfRange', range),
    before_first: t('lastDayBeforeFirst'),
    too_long: t('tooLong'),
  }[problem];
}

/** The events on the days of the saved absence that the user has said they are going to. */
const StillGoing = ({ events }: { events: SavedAbsence['going'] }) => (
  <Section title={t('stillGoing')}>
    <p className="mb-3 text-muted">{t('stillGoingText')}</p>
    <Card asChild flush>
      <ul className="divide-y divide-line">
        {events.map((event) => (
          <GoingRow key={event.slug} event={event} />
        ))}
      </ul>
    </Card>
  </Section>
);

function GoingRow({ event }: { event: SavedAbsence['going'][number] }) {
  const { slug, name, club_name, start_time, time_zone, is_host } = event;
  const cancel = useSubmit({
    mutationFn: () => api.answers.unattend({ event: slug }),
    onSuccess: () => void refreshEvents(),
  });
  const label = ofHome('answerButton', { answer: 'no' });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 pr-3 pl-5 sm:pl-6">
      <div className="min-w-0 flex-1 basis-48">
        <Link
          to={`/app/events/${slug}`}
          className="inline-flex min-h-11 items-center font-semibold wrap-anywhere underline underline-offset-4"
        >
          {name}
        </Link>
        <p className="text-sm text-muted wrap-anywhere">
          {t('whenAndClub', { when: eventDayAndTime(start_time, time_zone), club: club_name })}
        </p>
        {is_host && <p className="text-sm font-semibold">{t('isHost')}</p>}
      </div>
      {!is_host && (
        <Button
          variant="secondary"
          size="sm"
          aria-label={ofHome('actionFor', { action: label, event: name })}
          aria-pressed={cancel.isSuccess}
          busy={cancel.isPending}
          onClick={() => cancel.isSuccess || cancel.mutate()}
          className={cancel.isSuccess ? 'border-accent! bg-accent-soft! text-accent!' : undefined}
        >
          {cancel.isSuccess && <Check aria-hidden />}
          <span>{label}</span>
        </Button>
      )}
      <InlineError className="basis-full">
        {cancel.error && t('answerNotSaved', { reason: sentence(cancel.error) })}
      </InlineError>
    </li>
  );
}

type AbsencesProps = { onChange: (absence: Absence) => void; onDeleted: (id: string) => void };

function Absences({ onChange, onDeleted }: AbsencesProps) {
  const { data: absences, error, isFetching, refetch } = useQuery(queries.absences());
  const today = dayKey(useNow());
  const list = useRef<HTMLDivElement>(null);
  const remove = useSubmit({
    mutationFn: ({ id }: Absence) => api.absences.remove({ away: id }),
    onSuccess: (_, { id }) => {
      showToast({ title: t('deleted'), text: t('deletedText') });
      showAbsences((others) => others.filter((other) => other.id !== id));
      onDeleted(id);
      // The pressed button is removed together with its absence.
      list.current?.focus();
    },
    onError: (failure) => {
      showToast({ title: t('notDeleted'), text: explain(failure) });
      void queryClient.invalidateQueries(queries.absences());
    },
  });
  if (!absences)
    return error ? (
      <NotLoaded title={t('notLoaded')} busy={isFetching} retry={() => void refetch()}>
        {explain(error)}
      </NotLoaded>
    ) : (
      <Card aria-busy>
        <SkeletonText lines={2} />
      </Card>
    );
  const isPast = ({ last_on }: Days) => last_on < today;
  const inOrder = [...absences.filter((each) => !isPast(each)), ...absences.filter(isPast)];
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      {inOrder.length > 0 ? (
        <Section title={t('yourAbsences')}>
          <Card asChild flush>
            <ul className="divide-y divide-line">
              {inOrder.map((absence) => (
                <AbsenceRow
                  key={absence.id}
                  days={daysInWords(absence)}
                  isPast={isPast(absence)}
                  onChange={() => onChange(absence)}
                  onDelete={() => remove.mutate(absence)}
                />
              ))}
            </ul>
          </Card>
        </Section>
      ) : (
        <EmptyState icon="boat" title={t('noAbsences')} text={t('noAbsencesText')} className="py-6!" />
      )}
    </div>
  );
}

type AbsenceRowProps = { days: string; isPast: boolean; onChange: () => void; onDelete: () => void };

const AbsenceRow = ({ days, isPast, onChange, onDelete }: AbsenceRowProps) => (
  <li className="flex items-center gap-1 py-1.5 pr-2 pl-5 sm:pl-6">
    <span className={isPast ? 'min-w-0 grow text-muted' : 'min-w-0 grow'}>
      {isPast ? t('past', { days }) : days}
    </span>
    <IconButton icon={Pencil} label={t('change', { days })} onClick={onChange} />
    <IconButton icon={Trash2} label={t('delete', { days })} onClick={onDelete} />
  </li>
);

function daysInWords({ first_on, last_on }: Days): string {
  const last = dayWithYear(last_on, 'UTC');
  if (first_on === last_on) return last;
  const isSameYear = first_on.slice(0, 4) === last_on.slice(0, 4);
  return t('days', { first: isSameYear ? shortDay(first_on, 'UTC') : dayWithYear(first_on, 'UTC'), last });
}
