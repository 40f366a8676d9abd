import { Pencil } from 'lucide-react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { queries, queryClient } from '#web/queries.ts';
import type { Update } from '#features/updates/contract.ts';
import { MenuItem } from '#ui/Menu.tsx';
import { PostMenu } from './PostMenu.tsx';
import { t } from '#features/updates/messages.ts';

/** Edits or deletes an update. */
export function UpdateMenu({ slug, update }: { slug: string; update: Update }) {
  return (
    <PostMenu
      edit={
        <MenuItem asChild>
          <Link to={`/app/clubs/${slug}/updates/${update.id}/edit`}>
            <Pencil aria-hidden />
            {t('edit')}
          </Link>
        </MenuItem>
      }
      remove={() => api.updates.remove({ club: slug, update: update.id })}
      onRemoved={async () => {
        queryClient.setQueryData(queries.updates(slug).queryKey, (all) =>
          all?.filter(({ id }) => id !== update.id),
        );
        await queryClient.invalidateQueries({ queryKey: ['club'] });
      }}
      texts={{
        label: t('changeThisUpdate'),
        title: t('deleteThisUpdate'),
        text: t('deleteThisUpdateText'),
        keep: t('keepUpdate'),
        removed: t('updateDeleted'),
        notRemoved: t('updateNotDeleted'),
      }}
    />
  );
}
