import { addSeconds, instant } from '#wire/instant.ts';
import type { Occurrence } from '#app/demo/dates.ts';
import { hour, type ClubState, type Step } from '#app/demo/steps.ts';
import { handlers as updates } from '#features/updates/handlers.ts';

const week = 7 * 24 * 3600;

interface Planned {
  host: string;
  /** When the event was created. */
  created: number;
  /** The slug of the event, which is known once it is created. */
  event: () => string;
}

/** The message of the host about an event of the coming week, if there is one. */
export function messageSteps(
  { now }: ClubState,
  { message: content, isCancelled = false, start_time }: Occurrence,
  { host, created, event }: Planned,
): Step[] {
  const today = instant(now);
  const isNext = start_time > today && start_time < addSeconds(today, week);
  if (content === undefined || isCancelled || !isNext) return [];
  return [
    {
      at: Math.max(now - 2 * hour, created + hour),
      act: async (as) =>
        updates.sendMessage(await as(host), { event: event(), content, to: ['going', 'waiting', 'maybe'] }),
    },
  ];
}
