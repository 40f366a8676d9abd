import { useUser } from '#web/useSession.ts';
import type { Club } from '#features/clubs/contract.ts';
import type { Update } from '#features/updates/contract.ts';
import { whyCannotChange } from '#features/updates/rules.ts';

/** Whether the viewer may edit and delete an update of the club. */
export function useMayChange(club: Club): (update: Pick<Update, 'creator_id'>) => boolean {
  const { id: user_id } = useUser();
  return (update) => whyCannotChange({ user_id, changesAll: club.is_planner }, update) === undefined;
}
