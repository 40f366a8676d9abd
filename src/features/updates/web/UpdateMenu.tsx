import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '#web/api.ts';
import { sentence } from '#web/explain.ts';
import { queries, queryClient } from '#web/queries.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { notify } from '#web/copy.ts';
import type { Update } from '#features/updates/contract.ts';
import { Banner } from '#ui/Banner.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import { Menu, MenuItem } from '#ui/Menu.tsx';

/** Edits or deletes an update. */
export function UpdateMenu({ slug, update }: { slug: string; update: Update }) {
  const [asking, setAsking] = useState(false);
  const remove = useSubmit({
    mutationFn: () => api.updates.remove({ club: slug, update: update.id }),
    onSuccess: async () => {
      notify({ title: 'Update deleted' });
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
            aria-label="Change this update"
            className="offline:hidden -my-3 -mr-3 grid size-11 shrink-0 place-items-center rounded-full text-muted transition-colors hover:bg-sunken hover:text-ink"
          >
            <Ellipsis aria-hidden className="size-5" />
          </button>
        }
      >
        <MenuItem asChild>
          <Link to={`/app/clubs/${slug}/updates/${update.id}/edit`}>
            <Pencil aria-hidden />
            Edit
          </Link>
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setAsking(true)}>
          Delete
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          setAsking(open);
          remove.reset();
        }}
        title="Delete this update?"
        text="It disappears for all members, with everything in it. This cannot be undone."
        confirmLabel="Delete"
        cancelLabel="Keep update"
        danger
        busy={remove.isPending}
        busyLabel="Deleting"
        onConfirm={() => remove.mutate()}
      >
        {remove.error && (
          <Banner tone="danger" role="alert" title="The update wasn't deleted">
            {sentence(remove.error)}
          </Banner>
        )}
      </ConfirmDialog>
    </>
  );
}
