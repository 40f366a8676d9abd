import { useNow } from '#web/useNow.ts';
import type { EventCard } from '#features/events/contract.ts';
import { isCancelled } from '#features/events/rules.ts';
import { instant, type Instant } from '#wire/instant.ts';
import { canonicalTimeZone } from '#wire/time-zone.ts';
import { atWallTime, wallTime } from '#wire/wall-time.ts';
import { DAY } from '#ui/date-time-text.ts';
import { dateTile, timeOfDay } from '#wire/format.ts';
import { t } from '#features/events/messages.ts';

type ClubEvent = Pick<EventCard, 'start_time' | 'time_zone' | 'deleted_at' | 'location_name'>;

/** The examples for a new event: past events, the latest first, then upcoming events, the earliest first. */
function examples(events: readonly ClubEvent[], now: Instant): ClubEvent[] {
  const sorted = events
    .filter((event) => !isCancelled(event))
    .sort((a, b) => a.start_time.localeCompare(b.start_time));
  const past = sorted.filter(({ start_time }) => start_time <= now);
  return [...[...past].reverse(), ...sorted.slice(past.length)];
}

export interface SuggestedStart {
  label: string;
  start: Instant;
  /** The place of the event whose time is repeated. */
  location_name?: string;
}

const evening = 19 * 60 * 60_000;
const week = 7 * DAY;

/**
 * The suggested starts of a new event. Two repeat the weekday and time of the last two different events, on the next
 * date on which the club has no event at that time. The others are 7 pm today and tomorrow.
 */
export function suggestedStarts(events: readonly ClubEvent[], now: Instant, zone: string): SuggestedStart[] {
  const wallNow = wallTime(new Date(now), zone).getTime();
  const today = Math.floor(wallNow / DAY) * DAY;
  const at = (wall: number) => instant(atWallTime(wall, zone));
  const evenings = [
    { label: t('todayAt', { time: clock(at(today + evening), zone) }), start: at(today + evening) },
    {
      label: t('tomorrowAt', { time: clock(at(today + DAY + evening), zone) }),
      start: at(today + DAY + evening),
    },
  ];
  const previous = examples(events, now);
  const planned = new Set(previous.map(({ start_time }) => start_time));
  const asLastTime = new Map<string, SuggestedStart>();
  for (const { start_time, location_name } of previous) {
    const { weekday } = dateTile(start_time, zone);
    const label = t('asLastTime', { weekday, time: clock(start_time, zone) });
    if (asLastTime.has(label)) continue;
    const wall = wallTime(new Date(start_time), zone).setUTCSeconds(0);
    let next = wall + Math.ceil((wallNow + 1 - wall) / week) * week;
    while (planned.has(at(next))) next += week;
    asLastTime.set(label, { label, start: at(next), location_name });
    if (asLastTime.size === 2) break;
  }
  return [...asLastTime.values(), ...evenings.filter(({ start }) => start > now)];
}

/** '7:30 pm', '7 pm', '19:00', '19 Uhr': without ':00' if something follows. */
const clock = (time: Instant, zone: string) => timeOfDay(time, zone).replace(/:00(?=\s)/, '');

/** The zone of the club's last event, else that of the browser. */
export const usualZone = (events: readonly ClubEvent[], now: Instant): string =>
  examples(events, now)[0]?.time_zone ?? browserZone();

export function browserZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return canonicalTimeZone(timeZone) ?? timeZone;
}

/** The `suggestedStarts` of a club, updated as time passes. */
export const useSuggestedStarts = (events: readonly ClubEvent[], zone: string): SuggestedStart[] =>
  suggestedStarts(events, useNow(), zone);
