import { z } from 'zod';
import { defineNotice } from '#platform/notices/notice.ts';
import { fullName, isRunner } from '#features/members/rules.ts';
import { dayOf, emailAbout } from '#features/events/mail.ts';
import { withEvents, type EventForReader } from '#features/events/notice-queries.ts';
import { aboutEvent, opensEvent, sentByClub } from '#features/events/notices.ts';
import { t } from '#features/events/reach/notice-messages.ts';
import { isWorthTelling } from '#features/events/reach/rules.ts';
import { unreachedOf, type Unreached } from '#features/events/reach-queries.ts';

/** The number of people whom the app names, and the email. */
const maxNamed = 5;
const maxInEmail = 100;

/**
 * Sent to the person who made a change, half an hour later, if it did not reach somebody. Dropped once it has reached
 * everybody, or is undone, or another change has replaced it, or the event has started.
 */
export const notReached = defineNotice({
  kind: 'not_reached',
  setting: 'not_reached',
  group: 'now',
  merge: ({ change }) => change,
  delay: 0,
  facts: aboutEvent.extend({ change: z.uuid() }),
  async load(db, recipients) {
    const found = await withEvents(db, recipients);
    const unreached = Map.groupBy(
      await unreachedOf(
        db,
        recipients.map(({ facts: { event_id }, created_at: at }) => ({ event_id, at })),
      ),
      ({ change }) => change,
    );
    return recipients.map(({ created_at }, n) => {
      const each = found[n];
      // A former runner may not see who was not reached.
      if (!each || !isRunner(each.event, { my_role: each.event.is_host ? 'organiser' : null })) return null;
      const people = (unreached.get(each.change) ?? []).filter((person) =>
        isWorthTelling(person, each.event, created_at),
      );
      return { ...each, people };
    });
  },
  applies: ({ event, people }, now) => people.length > 0 && event.start_time > now,
  expires: ({ event }) => event.start_time,
  sender: (data) => sentByClub(data),
  message: ({ event, people }) =>
    people.length === 0
      ? undefined
      : t('notReachedNames', { ...numbers(event, people), names: namesOf(people) }),
  opens: (data) => opensEvent(data),
  email: ({ event, people }, context) =>
    emailAbout(event, context, {
      subject: t('notReached', numbers(event, people)),
      preview: namesOf(people),
      paragraphs: [
        t('reachThem', { n: people.length }),
        listOf(people.map(withReason), { max: maxInEmail, separator: '\n' }),
      ],
      links: false,
    }),
});

const numbers = (event: EventForReader, people: readonly Unreached[]) => ({
  n: people.length,
  event: event.name,
  day: dayOf(event),
});

/** 'Tom, Ida', or five names and the number of others. */
const namesOf = (people: readonly Unreached[]): string =>
  listOf(people.map(fullName), { max: maxNamed, separator: ', ' });

function listOf(all: readonly string[], { max, separator }: { max: number; separator: string }): string {
  const names = all.slice(0, max).join(separator);
  return all.length > max ? t('namesAndMore', { names, n: all.length - max }) : names;
}

const withReason = (person: Unreached): string =>
  t(person.undelivered ? 'notDelivered' : 'onItsWay', { name: fullName(person) });

export const notices = [notReached];
