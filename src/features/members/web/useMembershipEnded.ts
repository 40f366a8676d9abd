import { useNavigate } from 'react-router';
import { queryClient, refreshUser } from '#web/queries.ts';

const removeInactiveQueries = () => queryClient.removeQueries({ type: 'inactive' });

/** Navigates home after a membership has ended, without showing cached data of the club there. */
export function useMembershipEnded(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    removeInactiveQueries();
    await refreshUser();
    await navigate('/app', { replace: true });
    // The queries of the club page are inactive only after the navigation.
    removeInactiveQueries();
  };
}
