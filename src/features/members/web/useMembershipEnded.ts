import { useNavigate } from 'react-router';
import { queryClient, refreshUser } from '#web/queries.ts';

const forgetUnseen = () => queryClient.removeQueries({ type: 'inactive' });

/** The way home once a club is gone for the user: home must not show, not even for a moment, what was in it. */
export function useMembershipEnded(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    forgetUnseen();
    await refreshUser();
    await navigate('/app', { replace: true });
    // The club page itself is unseen only now.
    forgetUnseen();
  };
}
