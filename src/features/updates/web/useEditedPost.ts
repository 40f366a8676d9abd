import { api } from '#web/api.ts';
import { useDraft } from '#web/useDraft.ts';
import { type Edited, useSharedForm } from '#web/useSharedForm.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Update } from '#features/updates/contract.ts';
import { namesOf, type UpdateDraft } from './PostFields.tsx';
import { t } from '#features/updates/form-messages.ts';

const loadedFrom = ({ content, pictures, version }: Update) => ({ fields: { content, pictures }, version });

interface EditedPost {
  club: string;
  post: Update;
  /** Loads the current state of the post. Throws a 404 if it was deleted. */
  newest: () => Promise<Update>;
  onSaved: () => Promise<unknown>;
}

/** The form for a saved update, or a message about an event, which others may edit too. */
export function useEditedPost({ club, post, newest, onSaved }: EditedPost) {
  const [edited, setEdited, kept] = useDraft<Edited<UpdateDraft>>(`update:${post.id}`, undefined);
  const form = useSharedForm<UpdateDraft>({
    loaded: loadedFrom(post),
    load: async () => loadedFrom(await newest()),
    state: [edited, setEdited],
  });
  const save = useSubmit({
    mutationFn: () =>
      form.save((draft, version) =>
        api.updates.edit({ club, update: post.id, ...changed(form.base, draft) }, version),
      ),
    onSuccess: async (saved) => {
      if (!saved) return;
      kept.forget();
      await onSaved();
    },
  });
  const theirValues = {
    content: { label: t('content'), value: form.base.content },
    pictures: { label: t('pictures'), value: t('nPictures', { n: form.base.pictures.length }) },
  };
  return { form, save, kept, conflict: form.conflict?.map((key) => theirValues[key]) };
}

/** The fields that changed: only these are sent. */
function changed(before: UpdateDraft, { content, pictures }: UpdateDraft) {
  const [old, chosen] = [namesOf(before.pictures), namesOf(pictures)];
  return {
    ...(content !== before.content && { content }),
    ...(String(old) !== String(chosen) && { pictures: chosen }),
  };
}
