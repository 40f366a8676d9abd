import type { Sender } from '#platform/notices/notice.ts';
import { eventDayAndTime } from '#wire/format.ts';
import { clubOf, dayOf, inSentence, withReason } from '#features/events/mail.ts';
import { t } from '#features/events/notice-messages.ts';
import type { EventForReader, EventSnapshot } from '#features/events/notice-queries.ts';

interface Cancellation {
  event: Pick<EventSnapshot, 'name' | 'repeats' | 'start_time' | 'end_time' | 'time_zone'>;
  isSeries: boolean;
  club_name: string;
  why: Parameters<typeof withReason>[1];
}

/** Names the day of the event, or how its series repeats. */
export function cancelledSubject({ event, isSeries }: Cancellation): string {
  const day = isSeries && event.repeats ? inSentence(event.repeats) : dayOf(event);
  return t('cancelledSubject', { event: event.name, day });
}

interface CancelledEvent {
  event: EventForReader | EventSnapshot;
  club_id?: string | undefined;
  club_name: string;
}

/** The club of a cancelled event, which may be gone. */
export const cancelledBy = ({ event, club_id, club_name }: CancelledEvent): Sender =>
  'club_id' in event ? clubOf(event) : { id: club_id ?? club_name, name: club_name };

/** Who cancelled what, and why. */
export function cancellation({ event, isSeries, club_name: club, why }: Cancellation, actor: string): string {
  const { repeats } = event;
  const values = { actor, event: event.name, club };
  if (!repeats) return withReason(t('cancelled', values), why);
  const sentence = isSeries
    ? t('cancelledSeries', { ...values, repeats: inSentence(repeats) })
    : t('cancelledDate', { ...values, day: eventDayAndTime(event.start_time, event.time_zone) });
  return withReason(sentence, why);
}
