import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { User } from '#features/users/contract.ts';
import { queries } from './queries.ts';
import { onSession, type SessionState, sessionState } from './first/session.ts';

export interface Session {
  user: User | undefined;
  loggedIn: boolean;
  /** When the session or the user last changed, in milliseconds. */
  updated: number;
}

const loggedInState: SessionState = { loggedIn: true, updated: 0 };

/** The server renders these screens only for logged-in users. */
const serverState = () => (typeof window === 'undefined' ? loggedInState : sessionState());

/** The session and its user, on a page that needs no login. */
export function useSession(): Session {
  const { loggedIn, updated } = useSyncExternalStore(onSession, sessionState, serverState);
  const { data, dataUpdatedAt } = useQuery({ ...queries.user(), enabled: loggedIn });
  return { user: loggedIn ? data : undefined, loggedIn, updated: Math.max(updated, dataUpdatedAt) };
}

/** The logged-in user, on a page that requires a login. */
export const useUser = (): User => useSuspenseQuery(queries.user()).data;
