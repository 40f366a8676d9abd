import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sentence } from '#web/explain.ts';
import { queries } from '#web/queries.ts';
import { useNow } from '#web/useNow.ts';
import type { Event } from '#features/events/contract.ts';
import type { EventPatch } from '#features/events/field-contract.ts';
import type { Schedule } from '#features/events/form-rules.ts';
import type { Series } from '#features/events/series/contract.ts';
import { scopes, seriesPatchOf, type Scope, type SeriesPatch } from '#features/events/series/form-rules.ts';
import { repeatText } from '#features/events/repeat-rules.ts';
import type { Instant } from '#wire/instant.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { fullDate } from '#wire/format.ts';
import { NotLoaded } from '#ui/NotLoaded.tsx';
import { SeriesInWords } from './SeriesInWords.tsx';
import { t } from '#features/events/series/messages.ts';

const labels = (): Record<Scope, string> => ({
  this: t('thisEvent'),
  later: t('thisAndLater'),
  all: t('allComing'),
});

export type SeriesScopeProps = {
  event: Event;
  patch: EventPatch & Partial<Schedule>;
  /** Without a patch of the series, only the event changes. */
  onSave: (patch?: SeriesPatch) => void;
  onClose: () => void;
  submitLabel: string;
  busy: boolean;
  busyLabel: string;
  failure: Error | null;
};

/** Asks to which dates of a series an edit of one date applies. */
export default function SeriesScope({ event, patch, onSave, onClose, failure, ...button }: SeriesScopeProps) {
  const now = useNow();
  const slug = event.series?.slug ?? '';
  const { data: series, isError, isFetching, refetch } = useQuery(queries.series(slug));
  const [scope, setScope] = useState<Scope>('this');
  const hasStarted = event.start_time <= now;
  const patchOf = (each: Scope) =>
    series && each !== 'this' ? seriesPatchOf(series, event, patch, each, now) : undefined;
  const [later, all] = [hasStarted ? undefined : patchOf('later'), patchOf('all')];
  const patches = { this: undefined, later, all };
  const hints = {
    this: fullDate(event.start_time, event.time_zone),
    later: series && later && datesInWords(series, later, event.start_time, now),
    all: series && all && datesInWords(series, all, now, now),
  };
  const note = hasStarted
    ? t('thisHasStarted')
    : series && !(later && all)
      ? t('othersStay')
      : t('pastStays');
  const save = () => onSave(patches[scope]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={false}
      title={t('whichChange')}
      description={series ? <SeriesInWords of={series} /> : event.series && repeatText(event.series)}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('keepEditing')}
          </Button>
          <Button busy={button.busy} busyLabel={button.busyLabel} onClick={save}>
            {button.submitLabel}
          </Button>
        </>
      }
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <NotSaved title={t('eventsNotUpdated')} reason={failure && sentence(failure)} />
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">{t('whichChange')}</legend>
          {scopes.map((each) => (
            <label
              key={each}
              className="flex min-h-14 cursor-pointer items-center gap-3 rounded-lg border-2 border-line px-4 py-2 transition-colors hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:opacity-60 has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="scope"
                checked={each === scope}
                disabled={each !== 'this' && !patches[each]}
                onChange={() => setScope(each)}
                className="size-5 shrink-0 accent-accent"
              />
              <span className="min-w-0">
                <span className="block font-semibold">{labels()[each]}</span>
                <span className="block text-sm text-muted wrap-anywhere">{hints[each]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {isError && !series ? (
          <NotLoaded title={t('datesNotLoaded')} busy={isFetching} retry={() => void refetch()} />
        ) : (
          <p role="status" className="text-sm text-muted">
            {note}
          </p>
        )}
        {/* With this button, pressing Enter in a field saves. */}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

/** 'Every Wednesday, 12 events from Wednesday 25 November 2026 on'. The rule is named only if the days change. */
function datesInWords(series: Series, patch: SeriesPatch, since: Instant, now: Instant): string {
  const dates = series.events.filter(
    ({ start_time, deleted_at }) => start_time >= since && start_time > now && deleted_at === null,
  );
  const [n, first] = [dates.length, dates[0]];
  const values = { n, day: fullDate(first?.start_time ?? since, first?.time_zone ?? series.time_zone) };
  const hasNewDays = patch.weekdays ?? patch.month_day;
  return hasNewDays
    ? t('datesBecome', { words: repeatText({ ...series, ...patch }), ...values })
    : t('datesFrom', values);
}
