import type { EventChange, Reason } from '#features/events/contract.ts';
import { t } from '#features/events/messages.ts';

/** The labels of the reasons, in the order of their buttons. */
export const reasons = (): Record<Reason, string> => ({
  weather: t('weather'),
  venue: t('venue'),
  illness: t('illness'),
  too_few: t('tooFew'),
  other: t('otherReason'),
});

/** The reason for a change and the message to everyone, '' without both. */
export function reasonText({ reason, words }: Pick<EventChange, 'reason' | 'words'>): string {
  const named = reason && reasons()[reason];
  return named && words ? t('reasonInWords', { reason: named, words }) : (named ?? words);
}

/** The reason for the last change that `which` selects and that was not undone, '' if there is none. */
export function reasonOfLast(
  changes: readonly EventChange[],
  which: (change: EventChange) => boolean,
): string {
  const last = changes.find((change) => change.undone_at === null && which(change));
  return last ? reasonText(last) : '';
}
