import type { Config } from '#platform/config.ts';
import type { Db } from '#platform/db/client.ts';
import type { WeeklyEvents } from '#features/events/weekly/jobs.ts';
import type { Instant } from '#wire/instant.ts';
import { answerLinks, cardOf, clubOf, dayOf, factsOf, openEvent } from '#features/events/mail.ts';
import { t } from '#features/events/notice-messages.ts';
import { newEvent } from '#features/events/notices.ts';
import type { EventForReader } from '#features/events/notice-queries.ts';
import { unansweredEvents } from '#features/events/weekly-queries.ts';

/** The events of the next seven days that a reader of the weekly email has not answered. */
export const eventsOfWeek: WeeklyEvents = {
  setting: newEvent.setting,
  async load(db: Db, { user_id, config, now }: { user_id: string; config: Config; now: Instant }) {
    const events = await unansweredEvents(db, user_id, now);
    return events.map((event) => ({
      sender: clubOf(event),
      url: openEvent(config, event).url,
      name: event.name,
      day: () => dayOf(event),
      part: (names) => partOf(event, { names, config, now }),
    }));
  },
};

/** An event with its club, if the email is about several clubs, and the buttons 'Going' and "Can't go". */
function partOf(
  event: EventForReader,
  { names, config, now }: { names: boolean; config: Config; now: Instant },
) {
  const club = names ? [{ label: t('clubLabel'), value: event.club_name }] : [];
  const { choices } = answerLinks({ config, now }, event, { isShort: true });
  return { card: cardOf(event, [...factsOf(event), ...club]), ...(choices && { choices }) };
}
