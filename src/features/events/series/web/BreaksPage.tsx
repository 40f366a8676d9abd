import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { useParams } from 'react-router';
import { api } from '#web/api.ts';
import { ChangedMeanwhile } from '#web/ChangedMeanwhile.tsx';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { showToast } from '#web/copy.ts';
import { explain, sentence } from '#web/explain.ts';
import { current, queries, queryClient } from '#web/queries.ts';
import { useBack } from '#web/useBack.ts';
import { useDraft } from '#web/useDraft.ts';
import { useUser } from '#web/useSession.ts';
import { type Edited, useSharedForm } from '#web/useSharedForm.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { useTitle } from '#web/useTitle.ts';
import { isBlank } from '#wire/blank.ts';
import { Failure } from '#wire/client.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { isAdminIn } from '#features/members/rules.ts';
import type { Break } from '#features/events/series/contract.ts';
import { versionOfBreaks } from '#features/events/series/form-rules.ts';
import { isBreak } from '#features/events/series/rules.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { DayFields } from '#ui/DayFields.tsx';
import { EmptyState } from '#ui/EmptyState.tsx';
import { Field } from '#ui/Field.tsx';
import { dayProblem } from '#ui/date-time-text.ts';
import { IconButton } from '#ui/IconButton.tsx';

import { NotLoaded } from '#ui/NotLoaded.tsx';
import { BackButton, PageHeader } from '#ui/PageHeader.tsx';
import { SkeletonText } from '#ui/Skeleton.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { breakInWords } from '#features/events/series/repeat-rules.ts';
import { t } from '#features/events/series/messages.ts';

/** The breaks of a club, for its admins. */
export default function BreaksPage() {
  useTitle(t('breaks'));
  const { slug = '' } = useParams();
  const club = useSuspenseQuery(queries.club(slug)).data;
  const back = useBack(`/app/clubs/${club.slug}`);
  const isAdmin = isAdminIn(club, useUser().id);
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader title={t('breaks')} text={t('breaksText')} back={<BackButton onClick={back} />} />
      {isAdmin ? (
        <Breaks club={club.slug} />
      ) : (
        <EmptyState icon="boat" title={t('onlyAdminsChangeBreaks')} text={t('onlyAdminsChangeBreaksText')} />
      )}
    </div>
  );
}

function Breaks({ club }: { club: string }) {
  const { data: breaks, error, isFetching, refetch } = useQuery(queries.breaks(club));
  if (!breaks)
    return error ? (
      <NotLoaded title={t('breaksNotLoaded')} busy={isFetching} retry={() => void refetch()}>
        {explain(error)}
      </NotLoaded>
    ) : (
      <Card aria-busy>
        <SkeletonText lines={3} />
      </Card>
    );
  return <Editor club={club} loaded={breaks} />;
}

/** The list of breaks, each with a button to remove it, and a form to add a break. */
function Editor({ club, loaded }: { club: string; loaded: Break[] }) {
  const {
    breaks,
    added,
    setAdded,
    isChanged,
    save,
    unconfirmed,
    stopAsking: discardUnconfirmed,
    kept,
  } = useSave(club, loaded);
  const list = useRef<HTMLDivElement>(null);
  /** Moves the focus to the list, because the pressed button is removed together with its break. */
  const focusList = () => list.current?.focus();
  const remove = (gone: Break) =>
    save.mutate({ breaks: breaks.filter((each) => each !== gone) }, { onSuccess: focusList });
  return (
    <div className="flex flex-col gap-6">
      <div ref={list} tabIndex={-1} className="outline-none">
        {breaks.length > 0 ? (
          <Card asChild flush>
            <ul aria-label={t('breaks')} className="divide-y divide-line">
              {breaks.map((each) => (
                <li
                  key={`${each.first_on} ${each.last_on} ${each.name}`}
                  className="flex items-center gap-3 py-1.5 pr-2 pl-5 sm:pl-6"
                >
                  <span className="min-w-0 grow">
                    <span className="wrap-anywhere">{breakInWords(each)}</span>
                  </span>
                  <IconButton
                    icon={X}
                    label={t('removeBreak', { name: each.name })}
                    onClick={() => remove(each)}
                  />
                </li>
              ))}
            </ul>
          </Card>
        ) : (
          <EmptyState icon="boat" title={t('noBreaks')} text={t('noBreaksText')} className="py-6!" />
        )}
      </div>
      <DraftNotice of={kept} />
      <NewBreak
        value={added}
        onChange={setAdded}
        busy={save.isPending}
        failure={unconfirmed ? null : save.error}
        isChanged={isChanged}
        onAdd={() => save.mutate({ breaks: [...breaks, added] })}
      />
      <ConfirmDialog
        open={unconfirmed !== undefined}
        onOpenChange={discardUnconfirmed}
        title={t('cancelDates')}
        text={t('cancelDatesText')}
        confirmLabel={t('cancelTheDates')}
        cancelLabel={t('keepDates')}
        danger
        busy={save.isPending}
        busyLabel={t('savingBreaks')}
        onConfirm={() => unconfirmed && save.mutate({ breaks: unconfirmed, cancel: true })}
      />
    </div>
  );
}

const noBreak: Break = { first_on: '', last_on: '', name: '' };

const loadedFrom = (breaks: Break[]) => ({
  fields: { breaks, added: noBreak },
  version: versionOfBreaks(breaks),
});

interface Fields {
  breaks: Break[];
  added: Break;
}

function useSave(club: string, loaded: Break[]) {
  const query = queries.breaks(club);
  const [edited, setEdited, kept] = useDraft<Edited<Fields>>(`breaks:${club}`, undefined);
  const form = useSharedForm<Fields>({
    loaded: loadedFrom(loaded),
    load: async () => loadedFrom(await queryClient.query({ ...query, ...current })),
    state: [edited, setEdited],
  });
  const { breaks, added } = form.values;
  /** The breaks that wait for confirmation, because they would cancel events. */
  const [unconfirmed, setUnconfirmed] = useState<Break[]>();
  const save = useSubmit({
    mutationFn: (input: { breaks: Break[]; cancel?: boolean }) =>
      form.save((_, version) => api.series.saveBreaks({ club, ...input }, version)),
    onSuccess: async (saved, sent) => {
      setUnconfirmed(undefined);
      if (!saved) return;
      queryClient.setQueryData(query.queryKey, saved.breaks);
      // Only adding a break empties the form. Removing a break keeps what was typed for a new one.
      if (sent.breaks.includes(added)) form.change({ added: noBreak });
      form.accept(loadedFrom(saved.breaks));
      const text = [
        saved.cancelled > 0 && t('datesCancelled', { n: saved.cancelled }),
        saved.planned > 0 && t('datesPlannedAgain', { n: saved.planned }),
      ]
        .filter(Boolean)
        .join(' ');
      showToast({ title: t('breaksSaved'), ...(text && { text }) });
      await refreshEvents();
    },
    onError: (failure, sent) =>
      setUnconfirmed(
        failure instanceof Failure && failure.error === 'dates_in_break' ? sent.breaks : undefined,
      ),
  });
  return {
    breaks,
    added,
    setAdded: (next: Break) => form.change({ added: next }),
    /** Whether others have changed the breaks meanwhile. */
    isChanged: form.conflict !== undefined,
    save,
    unconfirmed,
    stopAsking: () => setUnconfirmed(undefined),
    kept,
  };
}

type NewBreakProps = {
  value: Break;
  onChange: (value: Break) => void;
  busy: boolean;
  failure: Error | null;
  isChanged: boolean;
  onAdd: () => void;
};

function NewBreak({ value, onChange, busy, failure, isChanged, onAdd }: NewBreakProps) {
  const [tried, setTried] = useState(false);
  const { name, first_on, last_on } = value;
  const isNamed = !isBlank(name);
  const yearProblem = dayProblem(first_on) ?? dayProblem(last_on);
  const isSpan = first_on !== '' && last_on !== '' && isBreak(value) && !yearProblem;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(!isNamed || !isSpan);
    if (isNamed && isSpan) onAdd();
  };
  const change = (part: Partial<Break>) => onChange({ ...value, ...part });
  return (
    <Card asChild>
      <form noValidate aria-label={t('addBreak')} onSubmit={submit} className="flex flex-col gap-5">
        <Field
          label={t('breakName')}
          hint={t('breakNameHint')}
          error={tried && !isNamed && t('breakNameMissing')}
          required
        >
          <TextInput
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={({ target }) => change({ name: target.value })}
          />
        </Field>
        <DayFields
          value={value}
          onChange={change}
          labels={{ first_on: t('firstDay'), last_on: t('lastDay') }}
          errors={{ first_on: tried && !isSpan && (yearProblem ?? t('breakDaysMissing')) }}
        />
        <ChangedMeanwhile values={isChanged ? [] : undefined} />
        <NotSaved title={t('breaksNotSaved')} reason={failure && sentence(failure)} />
        <Button type="submit" busy={busy} busyLabel={t('savingBreaks')} className="sm:self-end">
          {t('addBreak')}
        </Button>
      </form>
    </Card>
  );
}
