import { defineNotice } from '#platform/notices/notice.ts';
import { z } from 'zod';
import { factLines } from '#features/events/contract.ts';
import { answerLinks, inSentence, openEvent, whenLine } from '#features/events/mail.ts';
import { eventsForMembers, type EventForReader } from '#features/events/notice-queries.ts';
import { aboutEvent, isOn, opensEvent } from '#features/events/notices.ts';
import { actorName, whyMember } from '#features/members/mail.ts';
import { paragraphsOf } from '#platform/mail/text.ts';
import { t } from '#features/series/notice-messages.ts';

/** To all members, and to those who join a series of everybody: the first of its dates, and how it repeats. */
export const newSeries = defineNotice({
  kind: 'new_series',
  setting: 'new_event',
  merge: ({ series_id, dates }) => [series_id, ...(dates ?? [])].join(),
  delay: 0,
  /** `dates`: those that it is about, if they are not all of them. */
  facts: aboutEvent.extend({
    series_id: z.uuid(),
    everybody: z.boolean(),
    dates: z.array(z.uuid()).optional(),
  }),
  async load(db, told) {
    const asked = told.flatMap(({ user_id, facts: { event_id, dates = [] } }, n) =>
      [...new Set([event_id, ...dates])].map((id) => ({ n, user_id, facts: { event_id: id } })),
    );
    const events = await eventsForMembers(db, asked);
    return told.map(({ facts: { event_id, everybody } }, n) => {
      const dates = events.filter(
        (date): date is EventForReader => date !== null && asked[events.indexOf(date)]?.n === n,
      );
      const event = dates.find(({ id }) => id === event_id);
      return event ? { event, everybody, dates: dates.filter(({ deleted_at }) => !deleted_at) } : null;
    });
  },
  applies: ({ event }, now) => isOn(event, now),
  message: (data, actor) => planned(data, actorName(actor)),
  opens: ({ event }) => opensEvent(event),
  email(data, context) {
    const { event } = data;
    const repeats = inSentence(event.repeats ?? '');
    return {
      subject: t('newSeriesSubject', { event: event.name, repeats }),
      paragraphs: [
        planned(data, actorName(context.actor)),
        ...data.dates.map(whenLine),
        t('repeats', { repeats }),
        ...factLines(event),
        ...paragraphsOf(event.description),
      ],
      action: openEvent(context.config, event),
      ...answerLinks(context, event),
      why: whyMember(context.config, event.club_name),
    };
  },
});

const planned = (
  { event, everybody }: { event: EventForReader; everybody: boolean },
  actor: string,
): string =>
  t(everybody ? 'plannedForAll' : 'planned', {
    actor,
    event: event.name,
    repeats: inSentence(event.repeats ?? ''),
    club: event.club_name,
  });

export const notices = [newSeries];
