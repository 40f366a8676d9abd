import { useSyncExternalStore } from 'react';
import { onSession, sessionState } from './first/session.ts';

const loggedIn = () => sessionState().loggedIn;

/** Whether there is a session. Does not load the user. */
export const useLoggedIn = (): boolean => useSyncExternalStore(onSession, loggedIn, loggedIn);
