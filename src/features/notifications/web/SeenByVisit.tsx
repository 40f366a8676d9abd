import { useInbox, useSeen } from './useInbox.ts';

/**
 * Marks the notifications about an event as seen when its page opens. They are those that lead to the page. It renders
 * nothing, so that a change of the list does not render the page.
 */
export function SeenByVisit({ event }: { event: string }) {
  useSeen(useInbox(), event);
  return null;
}
