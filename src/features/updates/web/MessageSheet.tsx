import { useId, useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { DraftNotice } from '#web/DraftNotice.tsx';
import { sentence } from '#web/explain.ts';
import { useDraft } from '#web/useDraft.ts';
import { useNow } from '#web/useNow.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Event } from '#features/events/contract.ts';
import { isPolled } from '#features/events/rules.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { maxMessageLength, type MessageList } from '#features/updates/contract.ts';
import { listsFor, sizesOf } from '#features/updates/form-rules.ts';
import type { ClubOfUser } from '#features/users/contract.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Dialog } from '#ui/Dialog.tsx';
import { ToggleChip } from '#ui/ToggleChip.tsx';
import { namesOf, PostFields, type UpdateDraft } from './PostFields.tsx';
import { nameOfList } from './MessageEntry.tsx';
import { t } from '#features/updates/form-messages.ts';
import { t as ofUpdates } from '#features/updates/messages.ts';

interface MessageDraft extends UpdateDraft {
  to: MessageList[];
}

/** Whether the event has a waitlist, or still has members on it. */
const hasWaitlist = ({ capacity, waitlist, waiting_count }: Event): boolean =>
  waiting_count > 0 || (waitlist && capacity !== null);

type MessageSheetProps = { event: Event; club: ClubOfUser; onClose: () => void };

/** Sends a message about an event to the members with some answers. */
export default function MessageSheet({ event, club, onClose }: MessageSheetProps) {
  const now = useNow();
  const id = useId();
  const polled = isPolled(event, now);
  const lists = listsFor(event, club, now).filter((list) => list !== 'waiting' || hasWaitlist(event));
  const [draft, setDraft, kept] = useDraft<MessageDraft>(`message:${event.id}`, {
    content: '',
    pictures: [],
    to: polled ? lists : lists.filter((list) => list !== 'silent'),
  });
  const [isUploading, setIsUploading] = useState(false);
  const [wasEmpty, setWasEmpty] = useState(false);
  const isEmpty = isBlank(draft.content);
  const sizes = sizesOf(event);
  const to = lists.filter((list) => draft.to.includes(list));
  const people = to.reduce((sum, list) => sum + sizes[list], 0);
  const send = useSubmit({
    mutationFn: () =>
      api.updates.sendMessage({
        event: event.slug,
        content: draft.content,
        pictures: namesOf(draft.pictures),
        to,
      }),
    onSuccess: async (sent) => {
      kept.forget();
      showToast({ title: t('sentTo', { n: sent.people }) });
      onClose();
      await refreshEvents();
    },
    // The answers may have changed.
    onError: () => void refreshEvents(),
  });
  const submit = () => {
    setWasEmpty(isEmpty);
    if (!isEmpty) send.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={ofUpdates('message')}
      description={event.name}
      footer={
        <Button
          disabled={people === 0}
          busy={send.isPending || isUploading}
          busyLabel={isUploading ? t('uploading') : t('sending')}
          onClick={submit}
        >
          {t('sendTo', { n: people })}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <DraftNotice of={kept} />
        <NotSaved title={t('messageNotSent')} reason={send.error && sentence(send.error)} />
        <div role="group" aria-labelledby={`${id}-to`} aria-describedby={`${id}-readers`}>
          <p id={`${id}-to`} className="mb-1.5 text-sm font-semibold">
            {t('whoGetsIt')}
          </p>
          <div className="flex flex-wrap gap-2">
            {lists.map((list) => (
              <ToggleChip
                key={list}
                aria-pressed={draft.to.includes(list)}
                onClick={() => setDraft((latest) => ({ ...latest, to: toggled(latest.to, list) }))}
              >
                {t('listWithCount', { list: nameOfList(list, polled), n: sizes[list] })}
              </ToggleChip>
            ))}
          </div>
          <p id={`${id}-readers`} className="mt-1.5 text-sm text-muted">
            {t('laterReaders')}
          </p>
        </div>
        <PostFields
          label={t('yourMessage')}
          club={event.owner_club_id}
          draft={draft}
          onChange={(part) =>
            setDraft((latest) => ({ ...latest, ...(typeof part === 'function' ? part(latest) : part) }))
          }
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

const toggled = (to: readonly MessageList[], list: MessageList): MessageList[] =>
  to.includes(list) ? to.filter((each) => each !== list) : [...to, list];
