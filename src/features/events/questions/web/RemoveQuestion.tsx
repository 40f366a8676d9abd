import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { sentence } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import type { Question } from '#features/events/question-contract.ts';
import { refreshEvents } from '#features/events/web/useEvent.ts';
import { Banner } from '#ui/Banner.tsx';
import { LazyConfirmDialog } from '#ui/LazyConfirmDialog.tsx';
import { IconButton } from '#ui/IconButton.tsx';
import { t } from '#features/events/questions/messages.ts';

/** Deletes a question with its answer, after a confirmation. */
export function RemoveQuestion({ question: { id } }: { question: Question }) {
  const [asking, setAsking] = useState(false);
  const removal = useSubmit({
    mutationFn: () => api.questions.remove({ question: id }),
    onSuccess: async () => {
      showToast({ title: t('deleted') });
      setAsking(false);
      await refreshEvents();
    },
  });
  return (
    <>
      <IconButton
        icon={Trash2}
        label={t('deleteQuestion')}
        className="-my-3 -mr-3 offline:hidden"
        onClick={() => setAsking(true)}
      />
      <LazyConfirmDialog
        open={asking}
        onOpenChange={(open) => {
          setAsking(open);
          removal.reset();
        }}
        title={t('deleteThisQuestion')}
        text={t('deleteQuestionText')}
        confirmLabel={t('delete')}
        cancelLabel={t('keep')}
        danger
        busy={removal.isPending}
        busyLabel={t('deleting')}
        onConfirm={() => removal.mutate()}
      >
        {removal.error && (
          <Banner tone="error" role="alert" title={t('notDeleted')}>
            {sentence(removal.error)}
          </Banner>
        )}
      </LazyConfirmDialog>
    </>
  );
}
