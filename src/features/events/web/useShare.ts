import { notify } from '#web/copy.ts';
import type { Event } from '#features/events/contract.ts';
import { eventPath } from '#features/calendar/rules.ts';
import { copyText } from '#ui/copy-text.ts';

export const addressOf = ({ slug }: Pick<Event, 'slug'>): string => window.location.origin + eventPath(slug);

/** Shares an event the way this device shares things, else by copying its link. */
export function useShare(event: Pick<Event, 'slug' | 'name'>): () => Promise<void> {
  return async () => {
    const url = addressOf(event);
    if (await shareNatively({ title: 'Check out this event!', text: event.name, url })) return;
    if (await copyText(url)) notify('eventShared');
    else notify({ title: 'The link could not be copied', text: url });
  };
}

/** Whether the device took it over; a user who thought better of it is done as well. */
async function shareNatively(data: ShareData): Promise<boolean> {
  if (!('share' in navigator)) return false;
  try {
    await navigator.share(data);
    return true;
  } catch (failure) {
    return failure instanceof DOMException && failure.name === 'AbortError';
  }
}
