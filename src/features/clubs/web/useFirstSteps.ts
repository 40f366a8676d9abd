import { useEffect } from 'react';
import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { t } from '#features/clubs/messages.ts';

type Steps = Pick<Club, 'slug' | 'first_steps'>;

/** Records that the calendar was added, or hides the first steps for good. Updates the page optimistically. */
export function useFirstSteps({ slug, first_steps }: Steps) {
  const { queryKey } = queries.club(slug);
  const show = (steps: Club['first_steps']) =>
    queryClient.setQueryData(queryKey, (club) => club && { ...club, first_steps: steps });
  return useSubmit({
    mutationFn: (change: 'calendar_added' | null) =>
      api.clubs.setFirstSteps({ club: slug, first_steps: change }),
    onMutate: (change) => show(change && first_steps && { ...first_steps, calendar_added: true }),
    onError(failure) {
      showToast({ title: t('firstStepsNotSaved'), text: explain(failure) });
      show(first_steps);
    },
  });
}

/**
 * Hides the first steps for good once they are complete. This is not optimistic: it would unmount the steps, and after a
 * failure they would be mounted again and repeat the request without end. The next visit repeats it instead.
 */
export function useHideOnceComplete({ slug }: Steps, isComplete: boolean): void {
  useEffect(() => {
    if (isComplete) void api.clubs.setFirstSteps({ club: slug, first_steps: null }).catch(() => {});
  }, [slug, isComplete]);
}
