import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import type { Update } from '#features/updates/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { t } from '#features/updates/messages.ts';

/** Edits or deletes an update. */
export function UpdateMenu({ slug, update }: { slug: string; update: Update }) {
  const [asking, setAsking] = useState(false);
  const remove = useSubmit({
    mutationFn: () => api.updates.remove({ club: slug, update: update.id }),
    onSuccess: async () => {
      showToast({ title: t('updateDeleted') });
      setAsking(false);
      queryClient.setQueryData(queries.updates(slug).queryKey, (all) =>
        all?.filter(({ id }) => id !== update.id),
      );
      await queryClient.invalidateQueries({ queryKey: ['club'] });
    },
  });
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button
            type="button"
            aria-label={t('changeThisUpdate')}
            className="offline:hidden -my-3 -mr-3 grid size-11 shrink-0 place-items-center rounded-full text-muted transition-colors hover:bg-sunken hover:text-ink"
          >
            <Ellipsis aria-hidden className="size-5" />
          </button>
        }
      >
        <MenuItem asChild>
          <Link to={`/app/clubs/${slug}/updates/${update.id}/edit`}>
            <Pencil aria-hidden />
            {t('edit')}
          </Link>
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setAsking(true)}>
          {t('delete')}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          setAsking(open);
          remove.reset();
        }}
        title={t('deleteThisUpdate')}
        text={t('deleteThisUpdateText')}
        confirmLabel={t('delete')}
        cancelLabel={t('keepUpdate')}
        danger
        busy={remove.isPending}
        busyLabel={t('deleting')}
        onConfirm={() => remove.mutate()}
      >
        {remove.error && (
          <Banner tone="error" role="alert" title={t('updateNotDeleted')}>
            {sentence(remove.error)}
          </Banner>
        )}
      </ConfirmDialog>
    </>
  );
}
