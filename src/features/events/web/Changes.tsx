import { ChevronDown } from 'lucide-react';
import type { ChangedFields, Event, EventChange } from '#features/events/contract.ts';
import { fullName } from '#features/members/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';
import { cn } from '#ui/class-names.ts';
import { shortDayAndTime, relativeTime } from '#wire/format.ts';
import { reasons } from './Reasons.tsx';
import { t } from '#features/events/messages.ts';
import { listOf } from '#wire/messages.ts';

/** The history of an event, for members. */
export function Changes({ event, now }: { event: Event; now: Instant }) {
  const { changes } = event;
  if (changes.length === 0) return null;
  return (
    <details className="group">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
        <h2 className="text-xl font-bold">{t('changes')}</h2>
        <span className="text-base font-medium text-muted tabular-nums">{changes.length}</span>
        <ChevronDown
          aria-hidden
          className="ml-auto size-5 text-muted transition-transform group-open:rotate-180"
        />
      </summary>
      <ol aria-label={t('changes')} className="flex flex-col gap-3 pt-3">
        {changes.map((change) => (
          <Change key={change.id} change={change} now={now} />
        ))}
      </ol>
    </details>
  );
}

function Change({ change, now }: { change: EventChange; now: Instant }) {
  const { changed_at, undone_at, reason, words } = change;
  const named = reason && reasons()[reason];
  const why = named && words ? t('reasonInWords', { reason: named, words }) : (named ?? words);
  return (
    <li className="wrap-anywhere">
      <span className={cn(undone_at && 'text-muted line-through')}>{sentenceOf(change)}</span>
      {why && <span> · {why}</span>}
      <span className="text-sm text-muted"> · {relativeTime(changed_at, now)}</span>
      {undone_at && <Badge className="ml-2">{t('undone')}</Badge>}
    </li>
  );
}

function sentenceOf(change: EventChange): string {
  const { kind, after, changed_by, new_host } = change;
  const name = changed_by ? fullName(changed_by) : t('someone');
  if (kind === 'cancelled') return t('didCancel', { name });
  if (kind === 'decided') return t('didFixTime', { name, time: shortDayAndTime(after.start_time ?? '') });
  if (kind === 'host') {
    const host = new_host ? fullName(new_host) : t('someone');
    return changed_by && host === name ? t('didTakeOver', { name }) : t('didMakeHost', { name, host });
  }
  return t('didEdit', { name, edits: listOf(editsOf(change)) });
}

/** What was edited, the most important first. */
function editsOf({ before, after, asked_again }: EventChange): string[] {
  const isChanged = (key: keyof ChangedFields) => after[key] !== undefined;
  const times = (key: 'start_time' | 'end_time') => ({
    from: shortDayAndTime(before[key] ?? ''),
    to: shortDayAndTime(after[key] ?? ''),
  });
  return [
    isChanged('start_time') && t('didMove', times('start_time')),
    // If the start changed, the end and the cut-off moved with it, so they are not mentioned.
    !isChanged('start_time') && isChanged('end_time') && t('didChangeEnd', times('end_time')),
    isChanged('time_zone') && t('didChangeZone', { zone: after.time_zone?.replaceAll('_', ' ') ?? '' }),
    !isChanged('start_time') && isChanged('entry_until_time') && t('didChangeCutOff'),
    isChanged('location_name') &&
      t('didChangePlace', {
        from: before.location_name || t('noPlace'),
        to: after.location_name || t('noPlace'),
      }),
    isChanged('name') && t('didRename', { from: before.name ?? '', to: after.name ?? '' }),
    isChanged('description') && t('didChangeDescription'),
    isChanged('details') && t('didChangeDetails'),
    isChanged('guests_max') &&
      t('didAllowGuests', { from: before.guests_max ?? 0, to: after.guests_max ?? 0 }),
    asked_again && t('askedAgain'),
  ].filter((sentence) => sentence !== false);
}
