import type { Instant } from '#wire/instant.ts';

/** A row of the previous release: a notification, or an email or a fan-out that is still to be sent. */
export interface OldNotice {
  kind: string;
  /** The column `cause` of a notification or fan-out, or the column `about` of an email. */
  cause: string;
  club_id: string | null;
  event_id: string | null;
  series_id: string | null;
  /** The ids of the changes in the history that the row is about, keyed by event id. */
  changes: Record<string, string>;
  actor_id: string | null;
  created_at: Instant;
  /** The names and values at the time when the row was written. */
  subject: OldSubject;
}

interface OldEvent {
  id: string;
  slug: string;
  name: string;
  location_name: string;
  start_time: Instant;
  end_time: Instant;
  time_zone: string;
  created_at: Instant;
  updated_at: Instant;
  sequence: number;
  deleted_at: Instant | null;
  polling?: boolean;
  reader_changed_at?: Instant | null;
  invited?: boolean;
}

interface OldSubject {
  club_name?: string;
  event_name?: string;
  event?: OldEvent;
  dates?: OldEvent[];
  withdrawn?: OldEvent[];
  new_location?: string;
  before?: Record<string, string>;
  new_time?: object;
  role?: number;
  old_role?: number;
  host?: string;
  answer?: string;
  words?: string;
  repeats?: string;
  lift?: string;
  nudged?: string;
  polling?: boolean;
  times?: object[];
  fixed?: { voted?: boolean };
  late?: boolean;
}

/** A notice as it is stored now. Facts that its schema does not accept are not shown or sent. */
export interface Converted {
  kind: string;
  key: string;
  facts: Record<string, unknown>;
  before: Record<string, unknown>;
}

const snapshotOf = (event: OldEvent, repeats: string | undefined) => ({
  ...event,
  polling: event.polling ?? false,
  repeats: repeats ?? null,
});

const snapshots = (events: readonly OldEvent[], repeats?: string) =>
  Object.fromEntries(events.map((event) => [event.id, snapshotOf(event, repeats)]));

/**
 * Converts a row of the previous release to facts, which are ids. Everything else is read when the notice is shown or
 * sent.
 */
export function converted(old: OldNotice): Converted | undefined {
  const { kind, cause, club_id, event_id, subject, actor_id } = old;
  const { club_name = '', withdrawn = [], event } = subject;
  const of = (facts: object, before: object = {}, as = kind): Converted => ({
    kind: as,
    key: cause,
    facts: { ...facts },
    before: { ...before },
  });
  switch (kind) {
    case 'club_update':
      return of({ club_id, update_id: cause });
    case 'member_removed':
      return of({ club_id: club_id ?? cause, club_name }, snapshots(withdrawn));
    case 'member_joined':
      return of({ club_id }, actor_id ? { [actor_id]: true } : {});
    case 'left':
      return of({ club_id, club_name }, snapshots(withdrawn));
    case 'unattended':
      return of(
        { event_id: event?.id ?? withdrawn[0]?.id, isConfirmed: event !== undefined },
        snapshots(withdrawn),
      );
    case 'role_changed':
      return subject.host
        ? of({ event_id, host: subject.host }, { hosts: subject.host !== 'you' }, 'host_changed')
        : of({ club_id, role: subject.role }, 'old_role' in subject ? { role: subject.old_role } : {});
    default:
      return event_id === null ? ofDeletedClub(old) : ofEvent(old, of);
  }
}

const placeIn = ({ new_location: location_name }: OldSubject) =>
  location_name === undefined ? {} : { location_name };

function ofEvent(
  { kind, event_id, series_id, changes, subject, actor_id }: OldNotice,
  of: (facts: object, before?: object, as?: string) => Converted,
): Converted | undefined {
  const { club_name = '', repeats, event, dates = event ? [event] : [] } = subject;
  switch (kind) {
    case 'new_event':
      return repeats
        ? of({ event_id, series_id, everybody: subject.answer === 'going' }, {}, 'new_series')
        : of({ event_id, polls: subject.polling ?? subject.times !== undefined });
    case 'event_updated': {
      if (subject.fixed) return of({ event_id, voted: subject.fixed.voted ?? false }, {}, 'time_fixed');
      // Release 0.2.0 recorded no history of changes.
      const unrecorded = { before: subject.before ?? {}, after: placeIn(subject) };
      const change = changes[event_id ?? ''] ?? Object.values(changes)[0] ?? unrecorded;
      const moves = subject.new_location !== undefined || subject.new_time !== undefined;
      const ofSeries = repeats && series_id ? { series_id } : {};
      return of(
        { event_id, ...ofSeries, change, moves, ...(subject.late && { isFollowUp: true }) },
        { [event_id ?? '']: change, ...changes },
      );
    }
    case 'event_cancelled':
      return of({ event_id, isSeries: repeats !== undefined, club_name, events: snapshots(dates, repeats) });
    case 'answered_for_you':
      return of({ event_id, answer: subject.answer ?? 'going' });
    case 'answer_wanted':
      return of({ event_id, list: subject.nudged ?? 'silent' });
    case 'event_reminder':
      return of({ event_id, start_time: event?.start_time });
    case 'lift_changed': {
      const before = actor_id ? { [actor_id]: subject.lift === 'released' } : {};
      return of({ event_id, title: subject.words, change: subject.lift }, before);
    }
    default:
      return of({ event_id });
  }
}

/** Converts a row about a deleted club. Its events no longer exist, so only their cancellation is converted. */
function ofDeletedClub({ kind, cause, club_id, subject }: OldNotice): Converted | undefined {
  const { club_name = '', repeats, event, dates = event ? [event] : [] } = subject;
  if (kind !== 'event_cancelled') return undefined;
  const events = snapshots(dates, repeats);
  const facts = { club_id: club_id ?? cause, club_name, events, mine: Object.keys(events), invited: [] };
  return { kind: 'club_deleted', key: cause, facts, before: {} };
}
