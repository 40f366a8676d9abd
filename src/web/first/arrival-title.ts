import type { Arrival } from '#web/first/after-login.ts';
import { t } from '#web/first/arrival-messages.ts';

/** 'Log in to open the event you were sent'. */
export function arrivalTitle({ path }: Arrival): string {
  if (path.startsWith('/app/events/')) return t('eventYouWereSent');
  return path.startsWith('/app/clubs/') ? t('clubYouWereSent') : t('pageYouWereSent');
}
