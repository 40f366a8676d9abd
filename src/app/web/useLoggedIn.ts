import { useSyncExternalStore } from 'react';
import { onSession, sessionState } from './session.ts';

/** Whether there is a session, without asking whose it is. */
export const useLoggedIn = (): boolean => useSyncExternalStore(onSession, () => sessionState().loggedIn);
