import { ChevronDown } from 'lucide-react';
import type { ChangedFields, Event, EventChange } from '#features/events/contract.ts';
import { fullName } from '#features/members/rules.ts';
import type { Instant } from '#wire/instant.ts';
import { Badge } from '#ui/Badge.tsx';
import { cn } from '#ui/class-names.ts';
import { shortDayAndTime, relativeTime } from '#wire/format.ts';
import { reasonText } from './ReasonInWords.tsx';
import { t } from '#features/events/history-messages.ts';
import { t as ofEvents } from '#features/events/messages.ts';
import { listOf } from '#wire/messages.ts';

/** The history of an event, for members. */
export function Changes({ event, now }: { event: Event; now: Instant }) {
  const { changes } = event;
  if (changes.length === 0) return null;
  return (
    <details className="group">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
        <h2 className="text-xl font-bold">{ofEvents('changes')}</h2>
        <span className="text-base font-medium text-muted tabular-nums">{changes.length}</span>
        <ChevronDown
          aria-hidden
          className="ml-auto size-5 text-muted transition-transform group-open:rotate-180"
        />
      </summary>
      <ol aria-label={ofEvents('changes')} className="flex flex-col gap-3 pt-3">
        {changes.map((change) => (
          <Change key={change.id} change={change} now={now} />
        ))}
      </ol>
    </details>
  );
}

function Change({ change, now }: { change: EventChange; now: Instant }) {
  const { changed_at, undone_at } = change;
  const why = reasonText(change);
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
  if (kind === 'host' || kind === 'host_added' || kind === 'host_removed') {
    const host = new_host ? fullName(new_host) : t('someone');
    const [own, other] = sentencesOfHosts[kind];
    return changed_by && host === name ? t(own, { name }) : t(other, { name, host });
  }
  return t('didEdit', { name, edits: listOf(editsOf(change)) });
}

/** What members did to themselves, and to others. */
const sentencesOfHosts = {
  host: ['didTakeOver', 'didMakeHost'],
  host_added: ['didBecomeHost', 'didAddHost'],
  host_removed: ['didStepDown', 'didRemoveHost'],
} as const;

type Sentence = (change: Pick<EventChange, 'before' | 'after'>) => string | undefined;

const isMove = ({ after }: Pick<EventChange, 'after'>) => after.start_time !== undefined;

const timesOf = (
  key: 'start_time' | 'end_time',
  { before, after }: Pick<EventChange, 'before' | 'after'>,
) => ({
  from: shortDayAndTime(before[key] ?? ''),
  to: shortDayAndTime(after[key] ?? ''),
});

const seatsOf = ({ capacity }: ChangedFields) => capacity ?? t('noLimit');

/** What was done to each field, the most important first. */
const sentences: Record<keyof ChangedFields, Sentence> = {
  start_time: (change) => t('didMove', timesOf('start_time', change)),
  // If the start changed, the end and the cut-off moved with it, so they are not mentioned.
  end_time: (change) => (isMove(change) ? undefined : t('didChangeEnd', timesOf('end_time', change))),
  time_zone: ({ after }) => t('didChangeZone', { zone: after.time_zone?.replaceAll('_', ' ') ?? '' }),
  entry_until_time: (change) => (isMove(change) ? undefined : t('didChangeCutOff')),
  location_name: ({ before, after }) =>
    t('didChangePlace', {
      from: before.location_name || t('noPlace'),
      to: after.location_name || t('noPlace'),
    }),
  name: ({ before, after }) => t('didRename', { from: before.name ?? '', to: after.name ?? '' }),
  description: () => t('didChangeDescription'),
  details: () => t('didChangeDetails'),
  capacity: ({ before, after }) => t('didChangeSeats', { from: seatsOf(before), to: seatsOf(after) }),
  waitlist: ({ after }) => t(after.waitlist ? 'didSwitchWaitlistOn' : 'didSwitchWaitlistOff'),
  guests_max: ({ before, after }) =>
    t('didAllowGuests', { from: before.guests_max ?? 0, to: after.guests_max ?? 0 }),
  section_ids: () => t('didChangeSections'),
  needed: () => t('didChangeNeeded'),
  question: () => t('didChangeQuestion'),
  // The sentence about the question includes its choices.
  choices: ({ after }) => (after.question === undefined ? t('didChangeChoices') : undefined),
};

function editsOf(change: EventChange): string[] {
  const keys = Object.keys(sentences) as (keyof ChangedFields)[];
  const edits = keys.filter((key) => change.after[key] !== undefined).map((key) => sentences[key](change));
  return [...edits, change.asked_again && t('askedAgain')].filter(Boolean) as string[];
}
