import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { Club } from '#features/clubs/contract.ts';
import { t } from '#features/clubs/messages.ts';

/** Records that the calendar was added, or hides the first steps for good. Updates the page optimistically. */
export function useFirstSteps({ slug, first_steps }: Pick<Club, 'slug' | 'first_steps'>) {
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
