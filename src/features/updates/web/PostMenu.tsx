import { Ellipsis, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { showToast } from '#web/copy.ts';
import { Banner } from '#ui/Banner.tsx';
import { ConfirmDialog } from '#ui/ConfirmDialog.tsx';
import type { Elements } from '#ui/elements.ts';
import { Menu, MenuItem } from '#ui/Menu.tsx';
import { t } from '#features/updates/messages.ts';

interface PostMenuProps {
  /** The item that edits the post. */
  edit: Elements;
  remove: () => Promise<unknown>;
  onRemoved: () => Promise<unknown>;
  texts: Record<'label' | 'title' | 'text' | 'keep' | 'removed' | 'notRemoved', string>;
}

/** Edits or deletes an update, or a message about an event. */
export function PostMenu({ edit, remove, onRemoved, texts }: PostMenuProps) {
  const [asking, setAsking] = useState(false);
  const removal = useSubmit({
    mutationFn: remove,
    onSuccess: async () => {
      showToast({ title: texts.removed });
      setAsking(false);
      await onRemoved();
    },
  });
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button
            type="button"
            aria-label={texts.label}
            className="offline:hidden -my-3 -mr-3 grid size-11 shrink-0 place-items-center rounded-full text-muted transition-colors hover:bg-sunken hover:text-ink"
          >
            <Ellipsis aria-hidden className="size-5" />
          </button>
        }
      >
        {edit}
        <MenuItem icon={Trash2} danger onSelect={() => setAsking(true)}>
          {t('delete')}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          setAsking(open);
          removal.reset();
        }}
        title={texts.title}
        text={texts.text}
        confirmLabel={t('delete')}
        cancelLabel={texts.keep}
        danger
        busy={removal.isPending}
        busyLabel={t('deleting')}
        onConfirm={() => removal.mutate()}
      >
        {removal.error && (
          <Banner tone="error" role="alert" title={texts.notRemoved}>
            {sentence(removal.error)}
          </Banner>
        )}
      </ConfirmDialog>
    </>
  );
}
