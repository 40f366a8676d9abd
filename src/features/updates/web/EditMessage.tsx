import { useState } from 'react';
import { showToast } from '#web/copy.ts';
import { ChangedMeanwhile } from '#web/ChangedMeanwhile.tsx';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { sentence } from '#web/explain.ts';
import { current, queries, queryClient } from '#web/queries.ts';
import type { Event } from '#features/events/contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { maxMessageLength, type Message } from '#features/updates/contract.ts';
import { isBlank } from '#wire/blank.ts';
import { Failure } from '#wire/client.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { PostFields } from './PostFields.tsx';
import { useEditedPost } from './useEditedPost.ts';
import { t } from '#features/updates/form-messages.ts';

/** Loads the current state of a message. Throws a 404 if it was deleted. */
async function newest({ slug }: Event, id: string): Promise<Message> {
  const { messages } = await queryClient.query({ ...queries.event(slug), ...current });
  return messages.find((each) => each.id === id) ?? Promise.reject(new Failure(404, 'not_found'));
}

type EditMessageProps = { event: Event; message: Message; onClose: () => void };

/** Changes the text and the pictures of a message about an event. */
export default function EditMessage({ event, message, onClose }: EditMessageProps) {
  const [isUploading, setIsUploading] = useState(false);
  const { form, save, kept, conflict } = useEditedPost({
    club: event.owner_club_id,
    post: message,
    newest: () => newest(event, message.id),
    onSaved: async () => {
      showToast({ title: t('messageSaved') });
      onClose();
      await refreshEvents();
    },
  });
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = isBlank(form.values.content);
  const submit = () => {
    setWasEmpty(isEmpty);
    if (!isEmpty) save.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('editMessage')}
      description={t('editMessageText')}
      footer={
        <Button
          busy={save.isPending || isUploading}
          busyLabel={isUploading ? t('uploading') : t('saving')}
          onClick={submit}
        >
          {t('saveChanges')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <DraftNotice of={kept} />
        <ChangedMeanwhile values={conflict} />
        <NotSaved title={t('messageNotSaved')} reason={save.error && sentence(save.error)} />
        <PostFields
          club={event.owner_club_id}
          draft={form.values}
          onChange={form.change}
          onUploading={setIsUploading}
          maxLength={maxMessageLength}
          rows={4}
          autoFocus
          error={wasEmpty && isEmpty && t('contentMissing')}
        />
      </div>
    </Dialog>
  );
}
