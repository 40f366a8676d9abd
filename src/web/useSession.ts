import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { User } from '#features/users/contract.ts';
import { queries } from './queries.ts';
import { onSession, type SessionState, sessionState } from './session.ts';

export interface Session {
  user: User | undefined;
  loggedIn: boolean;
  /** When the session or the user last changed, in milliseconds. */
  updated: number;
}

const renderedFor: SessionState = { loggedIn: true, updated: 0 };

/** The server draws only for who is logged in. */
const firstState = () => (typeof window === 'undefined' ? renderedFor : sessionState());

/** Who is here, on a page that anybody may see. */
export function useSession(): Session {
  const { loggedIn, updated } = useSyncExternalStore(onSession, sessionState, firstState);
  const { data, dataUpdatedAt } = useQuery({ ...queries.user(), enabled: loggedIn });
  return { user: loggedIn ? data : undefined, loggedIn, updated: Math.max(updated, dataUpdatedAt) };
}

/** The signed-in user, on a page below /app that needs one. */
export const useUser = (): User => useSuspenseQuery(queries.user()).data;
