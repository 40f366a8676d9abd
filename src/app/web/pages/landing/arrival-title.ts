import type { Arrival } from '#web/after-login.ts';
import { t } from '#app/web/pages/landing/arrival-messages.ts';

/** 'Log in to open the event you were sent'. */
export function arrivalTitle({ path }: Arrival): string {
  if (path.startsWith('/app/events/')) return t('eventYouWereSent');
  return path.startsWith('/app/clubs/') ? t('clubYouWereSent') : t('pageYouWereSent');
}
