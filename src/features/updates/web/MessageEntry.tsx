import { Pencil } from 'lucide-react';
import { Suspense, useState } from 'react';
import { api } from '#web/api.ts';
import type { Event } from '#features/events/contract.ts';
import { listNames } from '#features/events/answers/web/AnswerCounts.tsx';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import type { Message, MessageList } from '#features/updates/contract.ts';
import { listOf } from '#wire/messages.ts';
import { MenuItem } from '#ui/Menu.tsx';
import { EditMessage } from './LazyMessageParts.tsx';
import { PostMenu } from './PostMenu.tsx';
import { UpdateEntry } from './UpdateEntry.tsx';
import { t } from '#features/updates/messages.ts';

/** While members vote on the time, nobody has an answer. */
export const nameOfList = (list: MessageList, isPolled: boolean): string =>
  isPolled ? t('everyone') : listNames()[list];

type MessageEntryProps = { event: Event; message: Message };

/** A message about an event. Those who may change it see to whom it is. */
export function MessageEntry({ event, message }: MessageEntryProps) {
  const { to } = message;
  const lists = to?.map((list) => nameOfList(list, event.polling));
  return (
    <UpdateEntry
      update={message}
      dated
      about={lists && t('messageTo', { lists: listOf(lists) })}
      menu={to && <MessageMenu event={event} message={message} />}
    />
  );
}

function MessageMenu({ event, message }: MessageEntryProps) {
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <PostMenu
        edit={
          <MenuItem icon={Pencil} onSelect={() => setEditing(true)}>
            {t('edit')}
          </MenuItem>
        }
        remove={() => api.updates.remove({ club: event.owner_club_id, update: message.id })}
        onRemoved={refreshEvents}
        texts={{
          label: t('changeThisMessage'),
          title: t('deleteThisMessage'),
          text: t('deleteThisMessageText'),
          keep: t('keepMessage'),
          removed: t('messageDeleted'),
          notRemoved: t('messageNotDeleted'),
        }}
      />
      {isEditing && (
        <Suspense>
          <EditMessage event={event} message={message} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}
