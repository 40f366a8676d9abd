import { useState } from 'react';
import type { Event } from '#features/events/contract.ts';
import { Section } from '#ui/Section.tsx';
import { ShowMore } from '#ui/ShowMore.tsx';
import { MessageEntry } from './MessageEntry.tsx';
import { t } from '#features/updates/messages.ts';

/** The number of messages that are shown at first. */
const firstMessages = 2;

/** The messages about an event that the viewer may read, the newest first. */
export function Messages({ event }: { event: Event }) {
  const [showsAll, setShowsAll] = useState(false);
  const { messages } = event;
  const shown = showsAll ? messages : messages.slice(0, firstMessages);
  const more = messages.length - shown.length;
  return (
    <Section title={t('messages')}>
      <ul className="flex flex-col gap-3">
        {shown.map((message) => (
          <li key={message.id}>
            <MessageEntry event={event} message={message} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <ShowMore className="mt-3" onPress={() => setShowsAll(true)}>
          {t('showMore', { n: more })}
        </ShowMore>
      )}
    </Section>
  );
}
