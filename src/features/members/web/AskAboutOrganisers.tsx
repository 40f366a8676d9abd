import { api } from '#web/api.ts';
import { explain } from '#web/explain.ts';
import { queryClient, refreshUser } from '#web/queries.ts';
import { showToast } from '#web/copy.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Club } from '#features/clubs/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { t } from '#features/members/messages.ts';

/** Asks the admins of a club with organisers whether these plan events, until one admin has answered. */
export default function AskAboutOrganisers({ club }: { club: Club }) {
  const decide = useSubmit({
    mutationFn: (organisers_plan: boolean) =>
      api.clubs.update({ club: club.slug, organisers_plan }, club.version),
    onSuccess: async () => {
      showToast('clubUpdated');
      await Promise.all([queryClient.invalidateQueries({ queryKey: ['club'] }), refreshUser()]);
    },
    onError: (failure) => {
      showToast({ title: t('notDecided'), text: explain(failure) });
      // Another admin may have decided.
      void queryClient.invalidateQueries({ queryKey: ['club'] });
    },
  });
  return (
    <Banner
      tone="accent"
      title={t('letOrganisersPlan')}
      className="mb-4 offline:hidden"
      action={
        <div className="flex gap-2 max-sm:w-full max-sm:*:grow">
          <Button size="sm" busy={decide.isPending && decide.variables} onClick={() => decide.mutate(true)}>
            {t('yes')}
          </Button>
          <Button
            variant="secondary"
            size="sm"
            busy={decide.isPending && !decide.variables}
            onClick={() => decide.mutate(false)}
          >
            {t('no')}
          </Button>
        </div>
      }
    >
      {t('letOrganisersPlanText')}
    </Banner>
  );
}
