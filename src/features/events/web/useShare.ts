import { showToast } from '#web/copy.ts';
import type { Event } from '#features/events/contract.ts';
import { eventPath } from '#features/calendar/rules.ts';
import { copyText } from '#ui/copy-text.ts';
import { t } from '#features/events/messages.ts';

export const shareUrl = ({ slug }: Pick<Event, 'slug'>): string => window.location.origin + eventPath(slug);

/** Shares an event with the native share sheet, or copies its link if that is not available. */
export function useShare(event: Pick<Event, 'slug' | 'name'>): () => Promise<void> {
  return async () => {
    const url = shareUrl(event);
    if (await shareNatively({ title: t('shareText'), text: event.name, url })) return;
    if (await copyText(url)) showToast('eventShared');
    else showToast({ title: t('linkNotCopied'), text: url });
  };
}

/** Returns true if the share sheet was shown, even if the user dismissed it. */
async function shareNatively(data: ShareData): Promise<boolean> {
  if (!('share' in navigator)) return false;
  try {
    await navigator.share(data);
    return true;
  } catch (failure) {
    return failure instanceof DOMException && failure.name === 'AbortError';
  }
}
