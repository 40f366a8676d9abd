import { useSyncExternalStore } from 'react';
import { t } from '#web/messages.ts';
import { isLoggedIn } from './first/session.ts';
import { canStoreLogin } from './first/storage.ts';

export const loginNotStored = () => t('loginNotStored');

const subscribe = () => () => {};
const isNeeded = () => !isLoggedIn() && !canStoreLogin();

/**
 * Says that this browser does not store the login. The server renders it hidden and empty; on the static landing page,
 * `landing.ts` fills it.
 */
export function StorageNotice() {
  const isShown = useSyncExternalStore(subscribe, isNeeded, () => false);
  return (
    <p
      data-no-storage={loginNotStored()}
      role="status"
      hidden={!isShown}
      className="bg-warn-soft px-4 py-2.5 text-center text-sm font-semibold text-balance text-warn"
    >
      {isShown && loginNotStored()}
    </p>
  );
}
