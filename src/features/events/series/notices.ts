import { defineNotice, type NoticeActor } from '#platform/notices/notice.ts';
import { z } from 'zod';
import {
  dayOf,
  emailAbout,
  fieldFacts,
  inSentence,
  lineAbout,
  repeatsFact,
  whenFact,
  written,
} from '#features/events/mail.ts';
import { eventsOfEach, type EventForReader } from '#features/events/notice-queries.ts';
import { aboutEvent, isMeant, isOn, namesIn, opensEvent, sentByClub } from '#features/events/notices.ts';
import { t } from '#features/events/series/notice-messages.ts';
import { spanOf } from '#features/events/series/rules.ts';
import { seriesAndBreaks } from '#features/events/series/queries.ts';
import { breakInWords } from '#features/events/series/repeat-rules.ts';

/**
 * Sent about a new series to the members whom it is for, and to new members about a series that everyone attends. It shows the first
 * date, and how the series repeats.
 */
export const newSeries = defineNotice({
  kind: 'new_series',
  setting: 'new_event',
  group: 'news',
  merge: ({ series_id, dates }) => [series_id, ...(dates ?? [])].join(),
  delay: 0,
  /** `dates`: the dates that the notice is about, if it is not about the whole series. */
  facts: aboutEvent.extend({
    series_id: z.uuid(),
    everybody: z.boolean(),
    dates: z.array(z.uuid()).optional(),
  }),
  async load(db, recipients) {
    const events = await eventsOfEach(db, recipients, ({ event_id, dates = [] }) => [event_id, ...dates]);
    const ids = new Set(recipients.map(({ facts }) => facts.series_id));
    const series = new Map((await seriesAndBreaks(db, [...ids])).map((each) => [each.id, each]));
    return recipients.map(({ facts: { event_id, series_id, everybody } }, n) => {
      const dates = events[n] ?? [];
      const event = dates.find(({ id }) => id === event_id);
      return event
        ? {
            event,
            everybody,
            series: series.get(series_id),
            dates: dates.filter(({ deleted_at }) => !deleted_at),
          }
        : null;
    });
  },
  applies: ({ event }, now) => isOn(event, now) && isMeant(event),
  sender: (data) => sentByClub(data),
  message: (data, actor) => planned(data, actor),
  opens: (data) => opensEvent(data),
  weekly: {
    startsAt: ({ event }) => event.start_time,
    line: ({ event }, context) => lineAbout(event, context, subjectOf(event)),
  },
  email(data, context) {
    const { event, dates, series } = data;
    const span = series && spanOf(series, series.breaks, event.start_time);
    const { repeats } = event;
    const others = dates.filter(({ id }) => id !== event.id);
    return emailAbout(event, context, {
      subject: subjectOf(event),
      facts: [
        ...(repeats ? [repeatsFact(repeats, event, span?.lastDay)] : []),
        ...(span?.breaks.map((each) => ({ label: t('breakLabel'), value: breakInWords(each) })) ?? []),
        whenFact(event),
        ...fieldFacts(event),
      ],
      paragraphs: [
        planned(data, context.actor),
        ...(others.length > 0 ? [{ title: t('furtherDates'), facts: others.map(whenFact) }] : []),
        ...written(event.description),
      ],
      links: {
        skips: event.via === 'standing',
        dated: true,
        every: repeats && typeof repeats === 'object' && !event.answer ? repeats : undefined,
      },
    });
  },
});

const subjectOf = (event: EventForReader): string =>
  t('newSeriesSubject', {
    event: event.name,
    repeats: inSentence(event.repeats ?? ''),
    day: dayOf(event),
  });

const planned = (
  { event, everybody }: { event: EventForReader; everybody: boolean },
  actor: NoticeActor,
): string =>
  t(everybody ? 'plannedForAll' : 'planned', {
    ...namesIn(event, actor),
    repeats: inSentence(event.repeats ?? ''),
  });

export const notices = [newSeries];
